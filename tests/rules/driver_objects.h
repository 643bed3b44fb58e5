// Owners of the driver objects that the rule tests use: streams, events, graphs, memory, a gate
// that holds a stream. Owner: each test its own objects. Threads: a test's own. Failure: Must()
// throws, which GoogleTest reports. Units: integers of 4 bytes.
#pragma once

#include <cuda.h>

#include <source_location>
#include <utility>
#include <vector>

namespace rules {

// Throws with the name of the error and the line if `result` is not success.
void Must(CUresult result, std::source_location where = std::source_location::current());

// Destroys a driver object at the end of its scope, or earlier by Reset().
template <typename Handle, CUresult (*kDestroy)(Handle)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() { Reset(); }

  void Reset() {
    if (handle_ != nullptr) kDestroy(std::exchange(handle_, nullptr));
  }
  operator Handle() const { return handle_; }
  Handle* Out() { return &handle_; }

 private:
  Handle handle_ = nullptr;
};

using Graph = Owned<CUgraph, &cuGraphDestroy>;
using Exec = Owned<CUgraphExec, &cuGraphExecDestroy>;
using Event = Owned<CUevent, &cuEventDestroy>;
using OwnedStream = Owned<CUstream, &cuStreamDestroy>;

OwnedStream MakeStream();  // non-blocking
Event MakeEvent();         // without timing

// Integers in device memory, zero at first.
class Buffer {
 public:
  Buffer();
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  static constexpr int kCount = 32;
  CUdeviceptr address() const { return address_; }
  int* pointer() const { return reinterpret_cast<int*>(address_); }
  // Waits for all work of the context, then reads.
  std::vector<int> Read() const;
  int First() const { return Read().front(); }
  void Clear();

 private:
  CUdeviceptr address_ = 0;
};

// Integers in host memory that kernels see at the same address.
class HostWords {
 public:
  HostWords();
  ~HostWords();
  HostWords(const HostWords&) = delete;
  HostWords& operator=(const HostWords&) = delete;

  static constexpr int kCount = 16;
  int* device(int index) const;
  int Load(int index) const;
  void Store(int index, int value);

 private:
  int* words_ = nullptr;
};

// A kernel that occupies its stream until Open(): work queued behind it has not begun.
class Gate {
 public:
  explicit Gate(CUstream stream);
  ~Gate() { Open(); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void Open() { words_.Store(0, 1); }
  // True if the kernel stopped waiting by itself: somebody waited for it. Ask after its stream is
  // done.
  bool GaveUp() const { return words_.Load(1) != 0; }

 private:
  HostWords words_;
};

}  // namespace rules
