// Twins: CPU functions that stand for kernels. A plug-in (a shared object linked to hostcuda's
// libcuda.so.1 and named in HOSTCUDA_TWINS) registers each under the kernel's mangled name with a
// static hostcuda::Twin. Threads: a twin runs on a stream's worker, once a launch, for the whole
// grid. Failure: IllegalAccess() ends the launch with the sticky error 700. Units: bytes, threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

extern "C" {

struct HostcudaDim {
  unsigned x, y, z;
};

struct HostcudaGrid {
  HostcudaDim grid;
  HostcudaDim block;
  unsigned shared_bytes;

  std::size_t Threads() const {
    return std::size_t{grid.x} * grid.y * grid.z * block.x * block.y * block.z;
  }
};

struct HostcudaTwin {
  const char* name;             // mangled
  std::size_t parameter_count;  // length of the two arrays
  const std::size_t* offsets;
  const std::size_t* sizes;
  void (*function)();
  // Calls `function` with the parameters in `arguments`; returns a CUresult.
  int (*call)(void (*function)(), const HostcudaGrid* grid, const void* arguments);
};

// Copies the description; a later registration of the same name replaces an earlier one, for
// functions that are looked up afterwards.
void hostcuda_register_twin(const HostcudaTwin* twin);
// For an endless kernel: returns when hostcuda_release_endless_kernels() was called after it began.
void hostcuda_wait_for_release(void);
// What cudaGraphSetConditional does in device code.
void hostcuda_set_conditional(unsigned long long handle, unsigned value);
// Ends all endless kernels that run now.
void hostcuda_release_endless_kernels(void);
// The nth call (from 1, counted from now; 0: every call) of the entry point with this base name
// returns `result` and does nothing.
void hostcuda_fail(const char* name, int nth, int result);
// How many launches had no twin so far.
unsigned long long hostcuda_launches_without_twin(void);

}  // extern "C"

namespace hostcuda {

using Grid = HostcudaGrid;

struct IllegalAccessError {};

[[noreturn]] inline void IllegalAccess() { throw IllegalAccessError{}; }

// Where a kernel's parameters lie, as the CUDA ABI places them: each at its own alignment.
template <typename... Params>
struct ParameterLayout {
  static_assert((std::is_trivially_copyable_v<Params> && ...), "kernels take plain bytes");
  static constexpr std::array<std::size_t, sizeof...(Params)> kSizes{sizeof(Params)...};
  static constexpr std::array<std::size_t, sizeof...(Params)> kOffsets = [] {
    std::array<std::size_t, sizeof...(Params)> offsets{};
    std::array<std::size_t, sizeof...(Params)> alignments{alignof(Params)...};
    std::size_t end = 0;
    for (std::size_t i = 0; i < sizeof...(Params); ++i) {
      end = (end + alignments[i] - 1) / alignments[i] * alignments[i];
      offsets[i] = end;
      end += kSizes[i];
    }
    return offsets;
  }();
};

class Twin {
 public:
  template <typename... Params>
  Twin(const char* name, void (*function)(const Grid&, Params...)) {
    using Layout = ParameterLayout<Params...>;
    HostcudaTwin twin{name,
                      sizeof...(Params),
                      Layout::kOffsets.data(),
                      Layout::kSizes.data(),
                      reinterpret_cast<void (*)()>(function),
                      &Call<Params...>};
    hostcuda_register_twin(&twin);
  }

 private:
  template <typename Param>
  static Param Read(const void* arguments, std::size_t offset) {
    Param value;
    std::memcpy(&value, static_cast<const std::byte*>(arguments) + offset, sizeof(Param));
    return value;
  }

  template <typename... Params>
  static int Call(void (*function)(), const HostcudaGrid* grid, const void* arguments) {
    constexpr int kIllegalAddress = 700;  // CUDA_ERROR_ILLEGAL_ADDRESS; a plug-in needs no cuda.h
    try {
      auto* typed = reinterpret_cast<void (*)(const Grid&, Params...)>(function);
      [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
        typed(*grid, Read<Params>(arguments, ParameterLayout<Params...>::kOffsets[kIndex])...);
      }(std::index_sequence_for<Params...>{});
    } catch (const IllegalAccessError&) {
      return kIllegalAddress;
    }
    return 0;
  }
};

}  // namespace hostcuda
