// Allocator fields: the field numbers of the messages about memory in proto/trace.proto, and of
// what Python told, as trace_fields.h has the others. Constants, no failure.
#pragma once

#include "interpose/record/trace_fields.h"

namespace graphtap::record {

// clang-format off: a message a paragraph, its numbers counted from 1.
enum class AllocatorEventField : FieldNumber {
  kNumber = 1, kAction, kDevice, kAddress, kBytes, kStream, kPoolFirst, kPoolSecond, kThread,
  kTimeNs, kOp, kStack,
};
enum class AllocatorStateField : FieldNumber {
  kLabel = 1, kEvents, kSettled, kTimeNs, kSegments, kPoint,
};
enum class ParameterPointerField : FieldNumber {
  kName = 1, kAddress, kBytes, kCaptures, kGone, kTimeNs,
};
enum class StackField : FieldNumber { kId = 1, kFrames, kCut };
enum class FrameField : FieldNumber { kFile = 1, kFunction, kLine };
enum class CompiledRegionField : FieldNumber { kCapture = 1, kCompileId };
enum class CompiledFileField : FieldNumber { kName = 1, kCompileId, kFile, kFunction, kLine };
enum class SegmentField : FieldNumber {
  kDevice = 1, kAddress, kBytes, kStream, kPoolFirst, kPoolSecond, kExpandable, kBlocks,
};
enum class BlockField : FieldNumber { kState = 1, kAddress, kBytes, kRequested };
enum class OperandBlockField : FieldNumber { kAddress = 1, kBytes, kPoolFirst, kPoolSecond, kOp };
enum class PointField : FieldNumber {
  kNumber = 1, kLabel, kKind, kEdge, kThread, kTimeNs, kCall, kBytes, kMemorySkipped, kStateSkipped,
};
enum class DeviceMemoryField : FieldNumber { kPoint = 1, kDevice, kFreeBytes, kTotalBytes };
// clang-format on

}  // namespace graphtap::record
