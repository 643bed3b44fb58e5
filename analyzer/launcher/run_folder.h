// RunFolder: the folder of one run: *.gtap files, one a process, and launch.json.
// Owner: the launcher, before the job starts and after it ended. Threads: none shared.
// Failure: false and one line in *error; nothing is removed before all checks have passed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace graphtap::launcher {

class RunFolder {
 public:
  // `path` is made absolute against the working folder.
  explicit RunFolder(const std::filesystem::path& path);

  // The first of graphtap-run-1, graphtap-run-2, … that does not exist in the working folder.
  static RunFolder Fresh();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path LaunchRecordPath() const;

  // Makes the folder (mode 0700) and what is missing above it. A folder that holds a run is refused
  // unless `overwrite`, which removes that run's files and leaves every other file.
  bool Prepare(bool overwrite, std::string* error) const;

  // How many processes have written a run file.
  std::size_t CountRunFiles() const;

 private:
  std::string Quoted() const;

  std::filesystem::path path_;
};

}  // namespace graphtap::launcher
