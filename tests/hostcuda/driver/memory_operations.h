// Memory operations: words that a stream writes and words that it waits for, in batches. Owner:
// values. Threads: checked on the caller's, run on a stream's worker. Failure: INVALID_VALUE for
// what no batch can have, ILLEGAL_ADDRESS for memory that is gone by now. Units: bytes.
#pragma once

#include <cuda.h>

#include <vector>

namespace hostcuda {

using MemoryOperations = std::vector<CUstreamBatchMemOpParams>;

// *operations from a caller's array; flags are those of the batch.
CUresult ReadOperations(const CUstreamBatchMemOpParams* array, unsigned count, unsigned flags,
                        MemoryOperations* operations);

// Does them in their order; a wait blocks until its word is as it should be.
CUresult RunOperations(const MemoryOperations& operations);

// Whether an executable's node may change from one batch to the other: in addresses and values.
bool SameOperations(const MemoryOperations& left, const MemoryOperations& right);

}  // namespace hostcuda
