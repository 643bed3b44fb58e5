#include "proto/frames/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace graphtap::frames {
namespace {

class FileSource : public ByteSource {
 public:
  FileSource(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override { ::close(descriptor_); }

  std::uint64_t size() const override { return size_; }

  void Update() override {
    struct stat info = {};
    if (::fstat(descriptor_, &info) == 0) size_ = static_cast<std::uint64_t>(info.st_size);
  }

  std::size_t Read(std::uint64_t offset, char* to, std::size_t length) const override {
    if (offset >= size_) return 0;
    length = std::min<std::uint64_t>(length, size_ - offset);
    std::size_t done = 0;
    while (done < length) {
      const ssize_t got =
          ::pread(descriptor_, to + done, length - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  int descriptor_;
  std::uint64_t size_;
};

class BytesSource : public ByteSource {
 public:
  explicit BytesSource(std::string bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t Read(std::uint64_t offset, char* to, std::size_t length) const override {
    return offset < bytes_.size() ? bytes_.copy(to, length, offset) : 0;
  }

 private:
  std::string bytes_;
};

}  // namespace

std::unique_ptr<ByteSource> OpenFile(const std::string& path, int* error) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    *error = errno;
    return nullptr;
  }
  struct stat info = {};
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(descriptor);
    *error = EINVAL;
    return nullptr;
  }
  return std::make_unique<FileSource>(descriptor, static_cast<std::uint64_t>(info.st_size));
}

std::unique_ptr<ByteSource> OpenBytes(std::string bytes) {
  return std::make_unique<BytesSource>(std::move(bytes));
}

}  // namespace graphtap::frames
