// CPU twins of the kernels of kernels.cu.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "tests/hostcuda/twin.h"
#include "tests/rules/kernels.h"

namespace {

using hostcuda::Grid;
using hostcuda::Twin;
using rules::Packet;
using std::chrono::microseconds;
using Clock = std::chrono::steady_clock;

void AddTo(const Grid& grid, int* data, int count, int value) {
  for (int i = 0; i < count && static_cast<std::size_t>(i) < grid.Threads(); ++i) data[i] += value;
}

template <typename Condition>
bool WaitUntil(microseconds limit, Condition condition) {
  const auto end = Clock::now() + limit;
  while (!condition()) {
    if (Clock::now() >= end) return false;
    std::this_thread::yield();
  }
  return true;
}

void WaitForFlag(const Grid&, const int* flag, int* gave_up) {
  const std::atomic_ref<int> watched(*const_cast<int*>(flag));
  if (!WaitUntil(std::chrono::seconds(10), [&] { return watched.load() != 0; })) {
    std::atomic_ref<int>(*gave_up).store(1);
  }
}

void Rendezvous(const Grid&, int* arrivals, int* met, long long limit_us) {
  const std::atomic_ref<int> present(*arrivals);
  present.fetch_add(1);
  if (WaitUntil(microseconds(limit_us), [&] { return present.load() >= 2; })) {
    std::atomic_ref<int>(*met).store(1);
  } else {
    present.fetch_sub(1);
  }
}

void StoreAt(const Grid&, int* address, int value) {
  if (reinterpret_cast<std::uintptr_t>(address) == rules::kNoAddress) hostcuda::IllegalAccess();
  *address = value;
}

void CopyInts(const Grid& grid, const int* from, int* to, int count) {
  for (int i = 0; i < count && static_cast<std::size_t>(i) < grid.Threads(); ++i) to[i] = from[i];
}

void Mixed(const Grid&, char tag, double weight, Packet packet, int* out) {
  *out = tag + packet.tag + static_cast<int>(weight + packet.weight) + packet.values[2];
}

void SetConditional(const Grid&, unsigned long long handle, unsigned value) {
  hostcuda_set_conditional(handle, value);
}

void CountDown(const Grid&, unsigned long long handle, int* left) {
  *left -= 1;
  hostcuda_set_conditional(handle, *left > 0);
}

const Twin kTwins[] = {
    Twin("_Z11rule_add_toPiii", &AddTo),
    Twin("_Z18rule_wait_for_flagPKiPi", &WaitForFlag),
    Twin("_Z15rule_rendezvousPiS_x", &Rendezvous),
    Twin("_Z13rule_store_atPii", &StoreAt),
    Twin("_Z14rule_copy_intsPKiPii", &CopyInts),
    Twin("_Z20rule_set_conditionalyj", &SetConditional),
    Twin("_Z15rule_count_downyPi", &CountDown),
    Twin("_Z10rule_mixedcdN5rules6PacketEPi", &Mixed),
};

}  // namespace
