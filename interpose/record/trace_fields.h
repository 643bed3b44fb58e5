// Trace fields: the field numbers of proto/trace.proto, one enumeration for each message; the
// encoder is the only user. The library may not contain protobuf's generated code, so the numbers
// stand here a second time: tests/unit/record_encoder_test.cc holds them against that code.
// Constants, no failure.
#pragma once

#include <cstdint>

namespace graphtap::record {

using FieldNumber = std::uint32_t;

enum class EntryField : FieldNumber {
  kRun = 1,
  kString = 2,
  kStack = 3,
  kFunction = 4,
  kGraph = 5,
  kNode = 6,
  kExecutable = 7,
  kThread = 8,
  kStream = 9,
  kSite = 10,
  kOp = 13,
  kEnd = 32,
  kCapture = 33,
  kUpdate = 34,
  kReplay = 35,
  kReplayRange = 36,
  kLoss = 37,
  kMessage = 38,
  kObservation = 39,
  kParameterPointer = 43,
  kAllocatorEvent = 46,
  kAllocatorState = 47,
  kDeviceMemory = 49,
  kPoint = 50,
  kPayloadPiece = 54,
  kRuleCounts = 55,
  kShadow = 56,
  kRefusal = 57,
  kCheckFailure = 58,
  kCompiledRegion = 59,
  kCompiledFile = 60,
};

// clang-format off: a message a paragraph, its numbers counted from 1.
enum class RunField : FieldNumber {
  kRunId = 1, kName, kGroupId, kWorldSize, kRank, kRankVariable, kHost, kPid, kParentPid,
  kStartRealtimeNs, kStartMonotonicNs, kProgram, kArguments, kWorkingDirectory, kEnvironment,
  kMetadata, kGraphtapVersion, kDriverVersion, kLibraries, kGpus, kOtherTools,
  kSpecification, kReplays, kPoints,
};
enum class KeyValueField : FieldNumber { kKey = 1, kValue };
enum class GpuField : FieldNumber {
  kOrdinal = 1, kName, kUuid, kMemoryBytes, kMultiprocessors, kComputeCapability,
};
enum class StringField : FieldNumber { kId = 1, kText };
enum class FunctionField : FieldNumber { kId = 1, kName, kParameters, kLayoutUnknown };
enum class ParameterField : FieldNumber { kOffset = 1, kSize };
enum class GraphField : FieldNumber {
  kId = 1, kNumber, kVersion, kKey, kCapture, kNodeCount, kEdgeCount, kTimeNs, kEager,
};
enum class NodeField : FieldNumber {
  kGraph = 1, kIndex, kParent, kBody, kPosition, kScope, kDependencies, kParameters, kOp, kInnerOp,
  kStack,
};
enum class OpField : FieldNumber {
  kGraph = 1, kIndex, kKind, kName, kScope, kInvocation, kParent, kTensors, kStack, kGradient,
};
enum class GradientField : FieldNumber { kNames = 1, kScope, kInvocation, kParameter };
enum class TensorField : FieldNumber {
  kRole = 1, kIndex, kDtype, kSizes, kStrides, kDevice, kAddress, kBytes, kStorageAddress,
  kStorageBytes,
};
enum class DependencyField : FieldNumber { kFrom = 1, kFromPort, kToPort, kType };
enum class NodeParametersField : FieldNumber {
  kKind = 1, kKernel, kMemcpy, kMemset, kHost, kEvent, kConditional, kAllocation, kOperands,
  kUnreadError,
};
enum class KernelNodeField : FieldNumber {
  kFunction = 1, kGridX, kGridY, kGridZ, kBlockX, kBlockY, kBlockZ, kSharedBytes, kAttributes,
  kScalars, kByExtra,
};
enum class AttributeField : FieldNumber { kId = 1, kValue, kDimensions };
enum class ScalarField : FieldNumber { kParameter = 1, kValue, kPacked, kSize };
enum class OperandField : FieldNumber {
  kRole = 1, kParameter, kOffset, kAddress, kGrade, kExtent, kExact, kHost, kDtype, kStrided, kBlock,
  kOp,
};
enum class MemcpyNodeField : FieldNumber {
  kWidthBytes = 1, kHeight, kDepth, kSourceMemory, kDestinationMemory, kSourcePitch,
  kDestinationPitch,
};
enum class MemsetNodeField : FieldNumber { kValue = 1, kElementBytes, kWidth, kHeight, kPitch };
enum class HostNodeField : FieldNumber { kFunctionAddress = 1 };
enum class EventNodeField : FieldNumber { kEventHandle = 1 };
enum class ConditionalNodeField : FieldNumber { kType = 1, kBodies };
enum class AllocationNodeField : FieldNumber { kBytes = 1 };
enum class ExecutableField : FieldNumber {
  kNumber = 1, kGraph, kKey, kFlags, kThread, kTimeNs, kCall,
};
enum class ThreadField : FieldNumber { kId = 1, kSystemId, kName, kFirstSeenNs };
enum class StreamField : FieldNumber { kId = 1, kKind, kHandle, kDevice };
enum class EndField : FieldNumber { kHow = 1, kExitCode, kTimeNs };
enum class CaptureField : FieldNumber {
  kNumber = 1, kKey, kMode, kThread, kStream, kJoinedStreams, kBeginNs, kEndNs, kOutcome, kError,
  kGraph, kNodeCount, kToGraph, kJoinedCount,
};
enum class UpdateField : FieldNumber {
  kExecutable = 1, kCall, kResult, kGraph, kNode, kParameters, kEnabled, kUpdateResult, kThread,
  kTimeNs, kAfterReplay, kDestroyed,
};
enum class ReplayField : FieldNumber {
  kExecutable = 1, kNumber, kStream, kThread, kTimeNs, kError, kSampled, kLost,
};
enum class ReplayRangeField : FieldNumber {
  kExecutable = 1, kFirst, kLast, kStreams, kFirstNs, kLastNs,
};
enum class LossField : FieldNumber { kCause = 1, kCount };
enum class MessageField : FieldNumber { kCode = 1, kDetail, kTimeNs };
enum class SiteField : FieldNumber {
  kId = 1, kExecutable, kGraph, kNode, kRole, kParameter, kOffset, kAddress, kBytes, kCutBytes,
  kGrade, kDtype, kHash, kDigest, kCopy, kCopyBytes, kRules, kVersion, kOp,
};
enum class ObservationField : FieldNumber {
  kSite = 1, kReplay, kHash, kStatistics, kPayload, kPayloadBytes,
};
enum class StatisticsField : FieldNumber {
  kElements = 1, kFinite, kNan, kPositiveInfinity, kNegativeInfinity, kZero, kMinimum, kMaximum,
  kMean, kDeviation, kL2,
};
enum class PayloadPieceField : FieldNumber { kPayload = 1, kOffset, kBytes };
enum class RuleCountsField : FieldNumber {
  kRule = 1, kRequested, kPlanned, kRefused, kObserved, kLost, kPassed, kFailed, kImpossible,
};
enum class ShadowField : FieldNumber {
  kExecutable = 1, kSkip, kError, kSites, kProbes, kOverlapsLost, kDeviceBytes, kSlotBytes,
  kDurationNs, kTimeNs, kInPlace,
};
enum class CheckFailureField : FieldNumber {
  kSite = 1, kReplay, kRule, kDtype, kElement, kCoordinates, kExpected, kObserved, kMismatches,
  kCompared, kExpectedHash, kObservedHash,
};
enum class RefusalField : FieldNumber {
  kExecutable = 1, kGraph, kNode, kRole, kParameter, kOffset, kBytes, kReason, kRules, kOp,
};
// clang-format on

}  // namespace graphtap::record
