#include "analyzer/model/stack.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"

namespace graphtap::model {
namespace {

bool IsOfFramework(const Frame& frame) {
  return absl::StrContains(frame.file, "/site-packages/torch/") ||
         absl::StrContains(frame.file, "/dist-packages/torch/");
}

}  // namespace

std::string Frame::Text() const {
  return line == 0 ? absl::StrFormat("%s %s", file, function)
                   : absl::StrFormat("%s:%u %s", file, line, function);
}

const Frame* Stack::Place() const {
  if (frames.empty()) return nullptr;
  const auto found = std::find_if_not(frames.begin(), frames.end(), IsOfFramework);
  return found == frames.end() ? &frames.front() : &*found;
}

}  // namespace graphtap::model
