#include "analyzer/model/region.h"

#include <algorithm>
#include <string_view>

#include "proto/names/generated_name.h"

namespace graphtap::model {
namespace {

std::string_view GeneratedName(const Frame& frame) { return names::GeneratedName(frame.file); }

// Of what lies between a program and the code that was compiled for it.
bool PassesOn(const Frame& frame) {
  return frame.IsOfTorch("_") || frame.IsOfTorch("autograd/") || frame.IsOfTorch("fx/") ||
         frame.IsOfTorch("utils/") || frame.file.starts_with("<eval_with_key>");
}

bool IsProgram(const Frame& frame) {
  return !frame.IsOfFramework() && GeneratedName(frame).empty();
}

// The rest of a function behind a graph break, which the part before it calls.
bool IsPart(const Frame& frame) {
  constexpr std::string_view kPart = "torch_dynamo_resume_in_";
  const std::string_view function = frame.function;
  return function.substr(function.rfind('.') + 1).starts_with(kPart);
}

}  // namespace

std::optional<Region> RegionOf(std::span<const Frame> frames) {
  const auto line = std::find_if(frames.begin(), frames.end(),
                                 [](const Frame& frame) { return !GeneratedName(frame).empty(); });
  if (line == frames.end()) return std::nullopt;
  Region region{std::string(GeneratedName(*line)), &*line};
  auto at = std::find_if(line + 1, frames.end(), [](const Frame& frame) {
    return !PassesOn(frame) && GeneratedName(frame).empty();
  });
  // Dynamo calls what it compiled from the function's own frame.
  if (at != frames.end() && (at - 1)->IsOfTorch("_dynamo/")) {
    region.function = &*at;
    region.in_function = true;
    at = std::find_if_not(at, frames.end(), IsPart);
    if (at != frames.end()) ++at;
  }
  at = std::find_if(at, frames.end(), IsProgram);
  if (at != frames.end()) region.caller = &*at;
  return region;
}

}  // namespace graphtap::model
