#include "analyzer/model/stack.h"

#include <cstddef>

namespace graphtap::model {
namespace {

// Code that Inductor makes for each kernel to launch it.
bool IsLauncher(const Frame& frame, const Frame* caller) {
  return frame.file == "<string>" && caller != nullptr && caller->IsOfTorch("_inductor/");
}

}  // namespace

const Frame* Stack::Place() const {
  if (frames.empty()) return nullptr;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Frame* caller = i + 1 < frames.size() ? &frames[i + 1] : nullptr;
    if (!frames[i].IsOfFramework() && !IsLauncher(frames[i], caller)) return &frames[i];
  }
  return &frames.front();
}

}  // namespace graphtap::model
