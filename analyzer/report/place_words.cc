#include "analyzer/report/place_words.h"

namespace graphtap::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownName = 12;  // of 52 characters, all but the first of them random

}  // namespace

std::string FrameText(const model::Frame* frame) {
  if (frame == nullptr) return "";
  model::Frame shown = *frame;
  shown.file.erase(0, shown.file.rfind('/') + 1);
  return shown.Text();
}

Json FrameJson(const model::Frame* frame) {
  if (frame == nullptr) return {};
  Json json;
  json["file"] = frame->file;
  json["line"] = frame->line == 0 ? Json() : Json(frame->line);
  json["function"] = frame->function;
  return json;
}

std::string PlaceText(const model::Stack* stack) {
  if (stack == nullptr) return "";
  return FrameText(stack->region ? stack->region->caller : stack->Place());
}

Json PlaceJson(const model::Stack* stack) {
  return stack == nullptr ? Json() : FrameJson(stack->Place());
}

std::string RegionName(const model::Region& region) {
  return region.name.substr(0, kShownName) + "…";
}

std::string RegionText(const model::Node& node) {
  const model::Stack* stack = node.stack;
  if (stack == nullptr || !stack->region) return "";
  model::Frame shown = *stack->region->line;
  shown.file = RegionName(*stack->region);
  return node.compile_id.empty() ? shown.Text() : node.compile_id + ' ' + shown.Text();
}

Json CompileIdJson(const model::Node& node) {
  return node.compile_id.empty() ? Json() : Json(node.compile_id);
}

Json RegionJson(const model::Node& node) {
  const model::Stack* stack = node.stack;
  if (stack == nullptr || !stack->region) return {};
  Json json;
  json["name"] = stack->region->name;
  json["compile_id"] = CompileIdJson(node);
  json["line"] = FrameJson(stack->region->line);
  json["function"] = FrameJson(stack->region->function);
  json["caller"] = FrameJson(stack->region->caller);
  return json;
}

}  // namespace graphtap::report
