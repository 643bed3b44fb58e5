#include "analyzer/launcher/run_folder.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

namespace graphtap::launcher {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunFileExtension = ".gtap";
constexpr const char* kLaunchRecord = "launch.json";

bool IsRunFile(const fs::path& path) { return path.extension() == kRunFileExtension; }

std::vector<fs::path> FilesOfRun(const fs::path& folder, std::error_code* error) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, *error)) {
    const auto& path = entry.path();
    const bool ours = IsRunFile(path) || path.filename() == kLaunchRecord;
    std::error_code ignored;
    if (ours && !entry.is_directory(ignored)) files.push_back(path);
  }
  return files;
}

}  // namespace

RunFolder::RunFolder(const fs::path& path) : path_(fs::absolute(path).lexically_normal()) {
  // "run1/" and "run1" are one folder.
  if (!path_.has_filename() && path_.has_relative_path()) path_ = path_.parent_path();
}

RunFolder RunFolder::Fresh() {
  std::error_code ignored;
  for (std::size_t number = 1;; ++number) {
    const fs::path path = "graphtap-run-" + std::to_string(number);
    if (!fs::exists(fs::symlink_status(path, ignored))) return RunFolder(path);
  }
}

fs::path RunFolder::LaunchRecordPath() const { return path_ / kLaunchRecord; }

std::string RunFolder::Quoted() const { return std::string("'") + path_.c_str() + "'"; }

bool RunFolder::Prepare(bool overwrite, std::string* error) const {
  std::error_code code;
  fs::create_directories(path_.parent_path(), code);
  if (!code && mkdir(path_.c_str(), S_IRWXU) == 0) return true;
  if (!code) code.assign(errno, std::generic_category());
  if (code.value() == EEXIST && fs::is_directory(path_)) {
    code.clear();
    const auto files = FilesOfRun(path_, &code);
    if (!files.empty() && !overwrite) {
      *error = Quoted() + " holds a run already: choose another --output, or --overwrite to " +
               "replace it";
      return false;
    }
    for (const auto& file : files) {
      if (!code) fs::remove(file, code);
    }
    if (!code) return true;
  }
  *error = Quoted() + " cannot be the run folder: " + code.message();
  return false;
}

std::size_t RunFolder::CountRunFiles() const {
  std::size_t count = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path_, ignored)) {
    if (IsRunFile(entry.path())) ++count;
  }
  return count;
}

}  // namespace graphtap::launcher
