// Temporary folder: a folder for one test, removed with all that is in it. Owner: the test.
// Threads: one. Failure: std::filesystem::filesystem_error.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace graphtap {

class TemporaryFolder {
 public:
  TemporaryFolder() : path_(std::filesystem::temp_directory_path() / "graphtap-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) {
      throw std::filesystem::filesystem_error("mkdtemp " + path_, std::error_code());
    }
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace graphtap
