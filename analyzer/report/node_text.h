// NodeText: one node of a graph in words.
// Pure functions, any thread, no failure.
#pragma once

#include <string>

#include "analyzer/model/process.h"

namespace graphtap::report {

std::string GridText(const KernelNode& kernel);   // "16", "8x4"
std::string BlockText(const KernelNode& kernel);  // "256", "32x8"

// What the node does: "scale_add <<<16, 256>>>", "64.0 KiB host to device".
std::string ActionText(const model::Node& node);

// The path of the node that a dependency comes from: it is on the same level.
std::string SourcePath(const model::Node& node, const Dependency& dependency);
std::string DependenciesText(const model::Node& node);  // "3, 4 (programmatic)"

std::string OperandText(const Operand& operand);  // "0x7f0000000000  scanned, exact, 64.0 KiB"

// A value of 4 or 8 bytes in every reading that makes sense: "0x3f7fbe77 = 1065336439 = 0.999f".
std::string ScalarText(const Scalar& scalar);

// "forward/aten::linear", before the operand's name, of a gradient; else empty.
std::string GradientKey(const model::Graph& graph, const Operand& operand);

}  // namespace graphtap::report
