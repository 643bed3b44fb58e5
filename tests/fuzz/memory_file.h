// MemoryFile: a file without a disk, for what opens a path. Owner: the target, which writes it anew
// for each input. Threads: one. Failure: the program ends. Units: bytes.
#pragma once

#include <string>
#include <string_view>

namespace graphtap::fuzz {

class MemoryFile {
 public:
  explicit MemoryFile(const char* name);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void Write(std::string_view bytes);
  const std::string& path() const { return path_; }

 private:
  int file_;
  std::string path_;
};

}  // namespace graphtap::fuzz
