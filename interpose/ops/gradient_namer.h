// Gradient namer: a gradient that is added to a parameter goes by the parameter's name, if that is
// known, before all its others; its invocation counts those of that name. Owner: a capture or an
// eager step, for as long. Threads: one at a time. Failure: bad_alloc. No units.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "interpose/record/op_records.h"

namespace graphtap::ops {

using NameOfParameter = std::function<std::optional<record::StringId>(std::uint64_t address)>;

class GradientNamer {
 public:
  explicit GradientNamer(NameOfParameter name_of) : name_of_(std::move(name_of)) {}

  // In the order in which they are there.
  void Name(record::Gradient* gradient);

 private:
  using Place = std::pair<std::optional<record::StringId>, record::StringId>;  // scope and name

  NameOfParameter name_of_;
  std::map<Place, std::uint32_t> seen_;
};

}  // namespace graphtap::ops
