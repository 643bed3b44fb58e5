// Run file: the .gtap file of this process, open for appending. Owner: the recorder. Threads: one
// at a time. Failure: Create says why in one line; Append returns an errno value. Units: bytes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace graphtap::record {

class RunFile {
 public:
  // Creates <folder>/<name> exclusively, mode 0600, and before it the folder, mode 0700, if there
  // is none. nullptr: *error is one line.
  static std::unique_ptr<RunFile> Create(const std::string& folder, const std::string& name,
                                         std::string* error);

  RunFile(const RunFile&) = delete;
  RunFile& operator=(const RunFile&) = delete;
  ~RunFile();

  // All of `bytes`: 0; or nothing of them, as far as the file can still be cut: the errno value of
  // what failed. ENOENT: the file was deleted. EBADF: the job has closed the descriptor.
  int Append(std::span<const std::byte> bytes);

  const std::string& path() const { return path_; }

 private:
  RunFile(std::string path, int descriptor, dev_t device, ino_t inode);

  int Check() const;
  int Write(std::span<const std::byte> bytes);

  const std::string path_;
  const int descriptor_;
  const dev_t device_;
  const ino_t inode_;
  off_t size_ = 0;  // of what was appended as a whole
};

}  // namespace graphtap::record
