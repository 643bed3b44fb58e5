#include "interpose/record/run_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace graphtap::record {
namespace {

std::string Line(const std::string& path, int error) {
  return path + ": " + std::generic_category().message(error);
}

// The job shall get the descriptor numbers that it would get without us: ours moves far up.
int MoveUp(int descriptor) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return descriptor;
  const rlim_t lowest = limit.rlim_cur < 65536 ? limit.rlim_cur / 2 : 32768;
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, static_cast<int>(lowest));
  if (moved < 0) return descriptor;
  ::close(descriptor);
  return moved;
}

}  // namespace

std::unique_ptr<RunFile> RunFile::Create(const std::string& folder, const std::string& name,
                                         std::string* error) {
  const auto fail = [&](const std::string& path) {
    *error = Line(path, errno);
    return nullptr;
  };
  std::string path = folder + "/" + name;
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return fail(folder);
  int descriptor = -1;
  do {
    descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) return fail(path);
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) {
    fail(path);
    ::close(descriptor);
    return nullptr;
  }
  descriptor = MoveUp(descriptor);
  return std::unique_ptr<RunFile>(
      new RunFile(std::move(path), descriptor, status.st_dev, status.st_ino));
}

RunFile::RunFile(std::string path, int descriptor, dev_t device, ino_t inode)
    : path_(std::move(path)), descriptor_(descriptor), device_(device), inode_(inode) {}

RunFile::~RunFile() {
  if (Check() != EBADF) ::close(descriptor_);
}

// Jobs that become daemons close descriptors which they never opened, and may then get our number
// for a file of their own: that one must not be touched. What goes into a deleted file is lost.
int RunFile::Check() const {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) return EBADF;
  if (status.st_dev != device_ || status.st_ino != inode_) return EBADF;
  return status.st_nlink == 0 ? ENOENT : 0;
}

int RunFile::Append(std::span<const std::byte> bytes) {
  if (const int gone = Check(); gone != 0) return gone;
  const int error = Write(bytes);
  if (error == 0) {
    size_ += static_cast<off_t>(bytes.size());
  } else if (::ftruncate(descriptor_, size_) == 0) {
    ::lseek(descriptor_, size_, SEEK_SET);
  }
  return error;
}

int RunFile::Write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return EIO;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace graphtap::record
