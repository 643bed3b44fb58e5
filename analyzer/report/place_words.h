// PlaceWords: where Python code launched a node or called its operator, and which compiled code
// that was, in words and as JSON. Pure functions, any thread, no failure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/model/process.h"

namespace graphtap::report {

// "net.py:34 Net.forward", without the folders, which JSON has. Here and below: "" or null where
// the place or the stack is nullptr.
std::string FrameText(const model::Frame* frame);
nlohmann::ordered_json FrameJson(const model::Frame* frame);

// The innermost place outside of the framework; as text, around compiled code, the line of the
// program that called that.
std::string PlaceText(const model::Stack* stack);
nlohmann::ordered_json PlaceJson(const model::Stack* stack);

std::string RegionName(const model::Region& region);  // "cl5zvuzfhzl5…"
// "0/1 cl5zvuzfhzl5…:108 call", the launch in compiled code; "" or null if it is in none.
std::string RegionText(const model::Node& node);
nlohmann::ordered_json RegionJson(const model::Node& node);
nlohmann::ordered_json CompileIdJson(const model::Node& node);

}  // namespace graphtap::report
