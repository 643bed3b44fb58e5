// CudaNames: the driver's numbers as words. Constants, any thread.
// Failure: a number of a newer driver is written as a number.
#pragma once

#include <cstdint>
#include <string>

#include "proto/trace.pb.h"

namespace graphtap::report {

std::string ResultName(std::uint32_t result);           // "CUDA_ERROR_INVALID_VALUE"
std::string NodeKindName(std::uint32_t kind);           // "kernel"; CUgraphNodeType
std::string CaptureModeName(std::uint32_t mode);        // "global"; CUstreamCaptureMode
std::string UpdateResultName(std::uint32_t result);     // "topology changed"
std::string DependencyTypeName(std::uint32_t type);     // "programmatic"
std::string MemoryTypeName(std::uint32_t type);         // "device"; CUmemorytype
std::string AttributeName(std::uint32_t id);            // "cluster_dimension"; CUlaunchAttributeID
std::string ConditionalTypeName(std::uint32_t type);    // "while"
std::string InstantiateFlagNames(std::uint64_t flags);  // "auto_free_on_launch+upload", "none"
std::string DriverVersionName(std::uint32_t version);   // 13020 is "13.2"
std::string GradeName(Operand::Grade grade);            // "scanned"

}  // namespace graphtap::report
