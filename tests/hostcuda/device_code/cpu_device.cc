#include "tests/hostcuda/device_code/cpu_device.h"

#include <setjmp.h>
#include <ucontext.h>

#include <array>
#include <cstddef>
#include <vector>

device_code::Index threadIdx, blockIdx;

namespace device_code {
namespace {

constexpr unsigned kWarpThreads = 32;
constexpr std::size_t kStackBytes = 64 * 1024;

// Where some threads wait until all have come.
struct Meeting {
  unsigned come = 0, rounds = 0;
};

struct Thread {
  ucontext_t start;
  jmp_buf place;  // where it waits: far cheaper to return to than a context
  bool started = false, done = false;
  std::vector<std::byte> stack = std::vector<std::byte>(kStackBytes);
};

struct Warp {
  Meeting meeting;
  // Of this round and of the one before: who is quick may be a round ahead.
  std::array<std::array<std::uint64_t, kWarpThreads>, 2> bits;
};

struct Block {
  std::array<Thread, kThreads> threads;
  std::array<Warp, kThreads / kWarpThreads> warps;
  Meeting meeting;
  jmp_buf turns;
  const std::function<void()>* code = nullptr;
};

Block& TheBlock() {
  static auto& block = *new Block;
  return block;
}

void Wait(Meeting& meeting, unsigned count) {
  const unsigned round = meeting.rounds;
  if (++meeting.come == count) {
    meeting.come = 0;
    ++meeting.rounds;
    return;
  }
  while (meeting.rounds == round) {
    if (_setjmp(TheBlock().threads[threadIdx.x].place) == 0) _longjmp(TheBlock().turns, 1);
  }
}

void Begin() {
  (*TheBlock().code)();
  TheBlock().threads[threadIdx.x].done = true;
  _longjmp(TheBlock().turns, 1);
}

// Gives the thread its turn: until it waits or is done.
void Take(Thread& thread) {
  if (_setjmp(TheBlock().turns) != 0) return;
  if (thread.started) _longjmp(thread.place, 1);
  thread.started = true;
  getcontext(&thread.start);
  thread.start.uc_stack.ss_sp = thread.stack.data();
  thread.start.uc_stack.ss_size = thread.stack.size();
  thread.start.uc_link = nullptr;
  makecontext(&thread.start, Begin, 0);
  setcontext(&thread.start);
}

}  // namespace

void RunBlock(unsigned number, const std::function<void()>& code) {
  Block& block = TheBlock();
  block.code = &code;
  blockIdx.x = number;
  for (Thread& thread : block.threads) thread.started = thread.done = false;
  for (bool any = true; any;) {
    any = false;
    for (unsigned i = 0; i < kThreads; ++i) {
      if (block.threads[i].done) continue;
      any = true;
      threadIdx.x = i;
      Take(block.threads[i]);
    }
  }
}

std::uint64_t Exchange(std::uint64_t bits, unsigned distance) {
  Warp& warp = TheBlock().warps[threadIdx.x / kWarpThreads];
  const unsigned self = threadIdx.x % kWarpThreads;
  auto& round = warp.bits[warp.meeting.rounds % 2];
  round[self] = bits;
  Wait(warp.meeting, kWarpThreads);
  return round[self ^ distance];
}

}  // namespace device_code

void __syncthreads() { device_code::Wait(device_code::TheBlock().meeting, device_code::kThreads); }
