// Gpu: a GPU with its primary context, by the driver API alone, so that a program runs on hostcuda
// and on any machine with a driver. Owner: main. Threads: one. Failure: Must() ends the process
// with one line. Units: bytes, microseconds.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace probe_test {

void Must(CUresult result, std::source_location where = std::source_location::current());

// Device memory of exactly this size, so that a checker sees each byte too far.
class Memory {
 public:
  explicit Memory(std::size_t bytes);
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&&) = delete;

  CUdeviceptr address() const { return address_; }
  void Write(std::size_t offset, std::span<const std::byte> bytes);
  std::vector<std::byte> Read(std::size_t offset, std::size_t bytes) const;

 private:
  CUdeviceptr address_ = 0;
};

struct KernelCall {
  CUfunction function = nullptr;
  unsigned blocks = 1, threads = 1;
  std::vector<void*> arguments;  // of the kernel, each at an address that lives on
};

class Gpu {
 public:
  Gpu();

  int major() const { return major_; }
  int minor() const { return minor_; }
  std::string name() const;
  CUmodule Load(std::span<const std::byte> image) const;
  CUfunction Find(CUmodule module, const char* name) const;
  void Launch(const KernelCall& call) const;
  void Wait() const;

  // A graph of the calls, one behind the other.
  CUgraphExec Chain(std::span<const KernelCall> calls) const;
  // How long `launches` launches of the graph took.
  double Time(CUgraphExec graph, int launches) const;

 private:
  CUdevice device_ = 0;
  CUstream stream_ = nullptr;
  CUevent begin_ = nullptr, end_ = nullptr;
  int major_ = 0, minor_ = 0;
};

}  // namespace probe_test
