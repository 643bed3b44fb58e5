// Allocator user: a part of a job that takes and gives back device memory in every way that the
// framework has: sizes, two streams, blocks that another stream still uses, private pools. Owner:
// the test. Threads: one each; several may run at once. Failure: what the framework throws.
#pragma once

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>

#include <random>
#include <vector>

namespace graphtap::adapter_test {

// As the framework does before its first op on a device.
void InitialiseAllocator();

// An op, on the CPU.
void RunOp();

class AllocatorUser {
 public:
  explicit AllocatorUser(unsigned seed);
  ~AllocatorUser() { LeavePool(); }
  AllocatorUser(const AllocatorUser&) = delete;
  AllocatorUser& operator=(const AllocatorUser&) = delete;

  void Run(int steps);
  // Gives back a block that other streams still use, as far as the framework knows.
  void LeavePending();
  void FreeAll();

 private:
  void Step();
  void Take();
  void GiveBack(bool used_elsewhere);
  void EnterPool();
  void LeavePool();
  void EmptyCache();

  std::mt19937 random_;
  c10::cuda::CUDAStream mine_, other_;
  std::vector<c10::DataPtr> held_;
  unsigned long long pool_ = 0;  // 0: none
};

}  // namespace graphtap::adapter_test
