#include "proto/reference/reference.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include "proto/arrays/array_file.h"
#include "proto/frames/message_reader.h"

namespace graphtap::reference {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAllowed = "allowed is a run folder, a .npy or a .safetensors file";

bool IsRunFile(const std::string& path, std::string* error) {
  int code = 0;
  const auto source = frames::OpenFile(path, &code);
  if (source == nullptr) {
    *error = path + ": " + std::strerror(code);
    return false;
  }
  frames::MessageReader messages(*source);
  std::string_view message;
  const auto found = messages.Next(&message);
  if (found == frames::Found::kOtherVersion) *error = path + ": " + messages.VersionText();
  if (found == frames::Found::kEnd) *error = path + ": nothing of a run file in it";
  return found == frames::Found::kOne;
}

}  // namespace

std::optional<std::vector<std::string>> RunFilesIn(const std::string& folder, std::string* error) {
  std::vector<std::string> files;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    if (entry->path().extension() == ".gtap") files.push_back(entry->path().string());
  }
  if (code) {
    *error = folder + ": " + code.message();
    return std::nullopt;
  }
  if (files.empty()) {
    *error = folder + ": no run file in it: " + kAllowed;
    return std::nullopt;
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool IsReference(const std::string& path, std::string* error) {
  std::error_code code;
  const auto status = fs::status(path, code);
  if (!fs::exists(status)) {
    *error = path + ": no such file or folder: " + kAllowed;
    return false;
  }
  if (!fs::is_directory(status)) {
    if (arrays::IsArrayFile(path)) return arrays::ArrayFile::Open(path, error).has_value();
    *error = path + ": " + kAllowed;
    return false;
  }
  const auto files = RunFilesIn(path, error);
  return files && std::any_of(files->begin(), files->end(),
                              [&](const auto& file) { return IsRunFile(file, error); });
}

std::vector<std::string> ReferencesOf(const spec::Specification& specification,
                                      const std::string& fallback) {
  std::vector<std::string> paths;
  for (const spec::Rule& rule : specification.rules) {
    for (const spec::Action& action : rule.actions) {
      if (action.kind != spec::ActionKind::kCheck) continue;
      const std::string& path = action.path.empty() ? fallback : action.path;
      if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
    }
  }
  return paths;
}

std::string AbsolutePath(const std::string& path, const std::string& folder) {
  return path.empty() || path.front() == '/' ? path : folder + '/' + path;
}

spec::Specification WithAbsolutePaths(spec::Specification specification,
                                      const std::string& folder) {
  for (spec::Rule& rule : specification.rules) {
    for (spec::Action& action : rule.actions) action.path = AbsolutePath(action.path, folder);
  }
  return specification;
}

}  // namespace graphtap::reference
