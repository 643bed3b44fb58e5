// The kernels of the rule tests, as functions of the current context, loaded before they are
// returned: a first launch while another kernel runs must not wait for it. Owner: the module.
// Threads: any. Failure: throws std::runtime_error.
#pragma once

#include <cuda.h>

namespace rules {

// A parameter larger than a word, with padding inside.
struct Packet {
  char tag;
  double weight;
  int values[3];
};

// (int* data, int count, int value): data[i] += value, one thread an element.
CUfunction AddTo();
// (const int* flag, int* gave_up): one thread; waits until *flag is not 0, at most about 10 s, then
// sets *gave_up.
CUfunction WaitForFlag();
// (int* arrivals, int* met, long long limit_us): one thread; counts itself in and waits for a
// second one, at most limit_us; sets *met if there was one.
CUfunction Rendezvous();
// (int* address, int value): *address = value; an illegal access where the address is none.
CUfunction StoreAt();
// (const int* from, int* to, int count): copies, one thread an element.
CUfunction CopyInts();
// (char, double, Packet, int*): writes the tags' sum; for parameter layouts.
CUfunction Mixed();

// (CUgraphConditionalHandle, unsigned value): sets the variable to value.
CUfunction SetConditional();
// (CUgraphConditionalHandle, int* left): *left -= 1; the variable says whether it is above 0 then.
CUfunction CountDown();

// An address that no allocation has.
inline constexpr unsigned long long kNoAddress = 0x1000;

}  // namespace rules
