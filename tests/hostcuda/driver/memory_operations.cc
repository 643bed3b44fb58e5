#include "tests/hostcuda/driver/memory_operations.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/memory.h"
#include "tests/hostcuda/driver/stream.h"

namespace hostcuda {
namespace {

constexpr unsigned kMostOperations = 255;

std::size_t WordBytes(CUstreamBatchMemOpType operation) {
  switch (operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      return 4;
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      return 8;
    default:
      return 0;  // concerns no word
  }
}

bool IsWait(CUstreamBatchMemOpType operation) {
  return operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 || operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
}

bool IsOperation(const CUstreamBatchMemOpParams& one) {
  std::size_t bytes = WordBytes(one.operation);
  if (bytes == 0) {
    return one.operation == CU_STREAM_MEM_OP_BARRIER ||
           one.operation == CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
  }
  // Writes and waits have their address in one place.
  CUdeviceptr address = one.waitValue.address;
  return address % bytes == 0 && Memory().Contains(address, bytes);
}

template <typename Word, typename Difference>
bool Holds(Word seen, Word wanted, unsigned flags) {
  switch (flags & 3U) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return static_cast<Difference>(seen - wanted) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
      return seen == wanted;
    case CU_STREAM_WAIT_VALUE_AND:
      return (seen & wanted) != 0;
    default:
      return static_cast<Word>(~(seen | wanted)) != 0;
  }
}

template <typename Word>
std::atomic_ref<Word> At(CUdeviceptr address) {
  return std::atomic_ref<Word>(*reinterpret_cast<Word*>(address));
}

bool IsOver(const CUstreamBatchMemOpParams& one) {
  const auto& wait = one.waitValue;
  if (one.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32) {
    return Holds<cuuint32_t, int>(At<cuuint32_t>(wait.address).load(), wait.value, wait.flags);
  }
  return Holds<cuuint64_t, long>(At<cuuint64_t>(wait.address).load(), wait.value64, wait.flags);
}

void Write(const CUstreamBatchMemOpParams& one) {
  const auto& write = one.writeValue;
  if (one.operation == CU_STREAM_MEM_OP_WRITE_VALUE_32) {
    At<cuuint32_t>(write.address).store(write.value);
  } else {
    At<cuuint64_t>(write.address).store(write.value64);
  }
}

CUresult Queue(CUstream handle, const CUstreamBatchMemOpParams* array, unsigned count,
               unsigned flags) {
  MemoryOperationsWork work;
  CUresult result = ReadOperations(array, count, flags, &work.operations);
  std::shared_ptr<Stream> stream;
  if (result == CUDA_SUCCESS) result = ResolveStream(handle, &stream);
  if (result != CUDA_SUCCESS) return result;
  work.context = &stream->context;
  return Submit(*stream, std::move(work));
}

CUstreamBatchMemOpParams Wait(CUstreamBatchMemOpType operation, CUdeviceptr address,
                              cuuint64_t value, unsigned flags) {
  CUstreamBatchMemOpParams one{};
  one.operation = operation;
  one.waitValue.address = address;
  one.waitValue.value64 = value;
  one.waitValue.flags = flags;
  return one;
}

CUstreamBatchMemOpParams Write(CUstreamBatchMemOpType operation, CUdeviceptr address,
                               cuuint64_t value, unsigned flags) {
  CUstreamBatchMemOpParams one{};
  one.operation = operation;
  one.writeValue.address = address;
  one.writeValue.value64 = value;
  one.writeValue.flags = flags;
  return one;
}

}  // namespace

CUresult ReadOperations(const CUstreamBatchMemOpParams* array, unsigned count, unsigned flags,
                        MemoryOperations* operations) {
  if (array == nullptr || count == 0 || count > kMostOperations || flags != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!std::all_of(array, array + count, &IsOperation)) return CUDA_ERROR_INVALID_VALUE;
  operations->assign(array, array + count);
  return CUDA_SUCCESS;
}

CUresult RunOperations(const MemoryOperations& operations) {
  for (const CUstreamBatchMemOpParams& one : operations) {
    if (!IsOperation(one)) return CUDA_ERROR_ILLEGAL_ADDRESS;
    if (IsWait(one.operation)) {
      while (!IsOver(one)) std::this_thread::yield();
    } else if (WordBytes(one.operation) != 0) {
      Write(one);
    }
  }
  return CUDA_SUCCESS;
}

bool SameOperations(const MemoryOperations& left, const MemoryOperations& right) {
  return std::equal(
      left.begin(), left.end(), right.begin(), right.end(),
      [](const auto& one, const auto& other) { return one.operation == other.operation; });
}

namespace calls {

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned count, CUstreamBatchMemOpParams* array,
                               unsigned flags) {
  return Queue(stream, array, count, flags);
}

// Those of the first form work only where a driver is told to allow them.
CUresult cuStreamWaitValue32(CUstream, CUdeviceptr, cuuint32_t, unsigned) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuStreamWaitValue64(CUstream, CUdeviceptr, cuuint64_t, unsigned) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuStreamWriteValue32(CUstream, CUdeviceptr, cuuint32_t, unsigned) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuStreamWriteValue64(CUstream, CUdeviceptr, cuuint64_t, unsigned) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                unsigned flags) {
  CUstreamBatchMemOpParams one = Wait(CU_STREAM_MEM_OP_WAIT_VALUE_32, address, value, flags);
  return Queue(stream, &one, 1, 0);
}

CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value,
                                unsigned flags) {
  CUstreamBatchMemOpParams one = Wait(CU_STREAM_MEM_OP_WAIT_VALUE_64, address, value, flags);
  return Queue(stream, &one, 1, 0);
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                 unsigned flags) {
  CUstreamBatchMemOpParams one = Write(CU_STREAM_MEM_OP_WRITE_VALUE_32, address, value, flags);
  return Queue(stream, &one, 1, 0);
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value,
                                 unsigned flags) {
  CUstreamBatchMemOpParams one = Write(CU_STREAM_MEM_OP_WRITE_VALUE_64, address, value, flags);
  return Queue(stream, &one, 1, 0);
}

}  // namespace calls
}  // namespace hostcuda
