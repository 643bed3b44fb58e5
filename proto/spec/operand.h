// Operand names: ".arg3+0x18" at the end of a selector.
// Pure functions, any thread. Failure: see ReadOperand. Units: bytes.
#pragma once

#include <string>
#include <string_view>

#include "proto/spec/specification.h"

namespace graphtap::spec {

enum class OperandReading : std::uint8_t {
  kNone,      // the text does not have the form of an operand name
  kBadIndex,  // it has, but the index does not fit
  kBadOffset,
  kRead,
};

// `text` without the period: "arg3+0x18".
OperandReading ReadOperand(std::string_view text, OperandName* operand);

// "arg3+0x18".
std::string Text(const OperandName& operand);

}  // namespace graphtap::spec
