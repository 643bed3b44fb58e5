#include "tests/rules/driver_objects.h"

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>

#include "tests/rules/kernels.h"

namespace rules {

void Must(CUresult result, std::source_location where) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  throw std::runtime_error("line " + std::to_string(where.line()) + " of " + where.file_name() +
                           ": " + (name != nullptr ? name : std::to_string(result)));
}

OwnedStream MakeStream() {
  OwnedStream stream;
  Must(cuStreamCreate(stream.Out(), CU_STREAM_NON_BLOCKING));
  return stream;
}

Event MakeEvent() {
  Event event;
  Must(cuEventCreate(event.Out(), CU_EVENT_DISABLE_TIMING));
  return event;
}

Buffer::Buffer() {
  Must(cuMemAlloc(&address_, kCount * sizeof(int)));
  Clear();
}

Buffer::~Buffer() { cuMemFree(address_); }

std::vector<int> Buffer::Read() const {
  std::vector<int> values(kCount);
  Must(cuCtxSynchronize());
  Must(cuMemcpyDtoH(values.data(), address_, kCount * sizeof(int)));
  return values;
}

// The fill is on the legacy stream, which the tests' streams do not wait for.
void Buffer::Clear() {
  Must(cuMemsetD32(address_, 0, kCount));
  Must(cuCtxSynchronize());
}

HostWords::HostWords() {
  void* memory = nullptr;
  Must(cuMemHostAlloc(&memory, kCount * sizeof(int), CU_MEMHOSTALLOC_DEVICEMAP));
  words_ = static_cast<int*>(memory);
  for (int i = 0; i < kCount; ++i) Store(i, 0);
}

HostWords::~HostWords() {
  cuCtxSynchronize();  // a kernel may still read the words
  cuMemFreeHost(words_);
}

int* HostWords::device(int index) const {
  CUdeviceptr address = 0;
  Must(cuMemHostGetDevicePointer(&address, words_, 0));
  return reinterpret_cast<int*>(address) + index;
}

int HostWords::Load(int index) const { return std::atomic_ref<int>(words_[index]).load(); }

void HostWords::Store(int index, int value) { std::atomic_ref<int>(words_[index]).store(value); }

Gate::Gate(CUstream stream) {
  int* flag = words_.device(0);
  int* gave_up = words_.device(1);
  std::array<void*, 2> arguments{&flag, &gave_up};
  Must(cuLaunchKernel(WaitForFlag(), 1, 1, 1, 1, 1, 1, 0, stream, arguments.data(), nullptr));
}

}  // namespace rules
