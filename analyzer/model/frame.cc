#include "analyzer/model/frame.h"

#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"

namespace graphtap::model {
namespace {

// The file below the folder of an installed package; empty: it is of none.
std::string_view Inside(std::string_view file, std::string_view package) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const std::size_t at = file.find(folder);
    if (at == std::string_view::npos) continue;
    const auto rest = file.substr(at + folder.size());
    if (rest.starts_with(package)) return rest.substr(package.size());
  }
  return {};
}

}  // namespace

std::string Frame::Text() const {
  return line == 0 ? absl::StrFormat("%s %s", file, function)
                   : absl::StrFormat("%s:%u %s", file, line, function);
}

bool Frame::IsOfFramework() const {
  return !Inside(file, "torch/").empty() || !Inside(file, "triton/").empty();
}

bool Frame::IsOfTorch(std::string_view part) const {
  return Inside(file, "torch/").starts_with(part);
}

}  // namespace graphtap::model
