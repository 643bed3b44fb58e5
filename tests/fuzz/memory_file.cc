#include "tests/fuzz/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/require.h"

namespace graphtap::fuzz {

MemoryFile::MemoryFile(const char* name)
    : file_(memfd_create(name, MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(file_)) {
  Require(file_ >= 0, "the system makes files in memory");
}

MemoryFile::~MemoryFile() { close(file_); }

void MemoryFile::Write(std::string_view bytes) {
  const bool written = ftruncate(file_, 0) == 0 && pwrite(file_, bytes.data(), bytes.size(), 0) ==
                                                       static_cast<ssize_t>(bytes.size());
  Require(written, "a file in memory takes what is written");
}

}  // namespace graphtap::fuzz
