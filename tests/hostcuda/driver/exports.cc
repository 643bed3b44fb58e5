// The exported symbols. Each is a jump through a slot to one instance of Entry, which does what all
// calls have in common (injected failures, initialisation, sticky errors, the default stream) and
// then calls the implementation. A C++ function cannot be defined from its type alone, hence the
// jump.
#include "tests/hostcuda/driver/exports.h"

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/injection.h"
#include "tests/hostcuda/driver/process.h"

#if !defined(__x86_64__)
#error "the jumps are written for x86-64"
#endif

namespace hostcuda {
namespace {

template <typename Line, bool kThreadStream, auto kFunction>
struct Entry;

template <typename Line, bool kThreadStream, typename... Args, CUresult (*kFunction)(Args...)>
struct Entry<Line, kThreadStream, kFunction> {
  static CUresult Call(Args... args) {
    CUresult result = InjectedFailure(Line::kBase);
    if (result == CUDA_SUCCESS) result = CheckNeed(Line::kNeed);
    if (result != CUDA_SUCCESS) return result;
    ThreadStreamScope scope(kThreadStream);
    return kFunction(args...);
  }
};

#define HOSTCUDA_LINE(need, base, version)      \
  struct Line_##base##_##version {              \
    static constexpr Need kNeed = Need::need;   \
    static constexpr const char* kBase = #base; \
  };
#define HOSTCUDA_CALL(need, base, symbol, version) HOSTCUDA_LINE(need, base, version)
#define HOSTCUDA_STREAM_CALL(need, base, symbol, version, thread_symbol, thread_version) \
  HOSTCUDA_LINE(need, base, version)
#include "tests/hostcuda/driver/entry_points.inc"

}  // namespace

// For each exported symbol: hostcuda_slot_<symbol> holds the address of its Entry;
// hostcuda_entry_<symbol> is the symbol under a hidden name, so that cuGetProcAddress gives our own
// address also where a preloaded library exports the same symbol.
#define HOSTCUDA_EXPORT(base, symbol, version, implementation, thread)                             \
  extern "C" {                                                                                     \
  [[gnu::visibility("hidden")]] extern const char entry_##symbol[] asm("hostcuda_entry_" #symbol); \
  [[gnu::visibility("hidden")]] extern decltype(&calls::implementation)                            \
      const slot_##symbol asm("hostcuda_slot_" #symbol);                                           \
  [[gnu::used]] decltype(&calls::implementation) const slot_##symbol =                             \
      &Entry<Line_##base##_##version, thread, &calls::implementation>::Call;                       \
  }                                                                                                \
  asm(".pushsection .text\n"                                                                       \
      ".globl " #symbol                                                                            \
      "\n"                                                                                         \
      ".type " #symbol                                                                             \
      ", @function\n"                                                                              \
      ".globl hostcuda_entry_" #symbol                                                             \
      "\n"                                                                                         \
      ".hidden hostcuda_entry_" #symbol "\n" #symbol                                               \
      ":\n"                                                                                        \
      "hostcuda_entry_" #symbol                                                                    \
      ":\n"                                                                                        \
      "  jmp *hostcuda_slot_" #symbol                                                              \
      "(%rip)\n"                                                                                   \
      ".size " #symbol ", .-" #symbol                                                              \
      "\n"                                                                                         \
      ".popsection\n");
#define HOSTCUDA_CALL(need, base, symbol, version) \
  HOSTCUDA_EXPORT(base, symbol, version, symbol, false)
#define HOSTCUDA_STREAM_CALL(need, base, symbol, version, thread_symbol, thread_version) \
  HOSTCUDA_EXPORT(base, symbol, version, symbol, false)                                  \
  HOSTCUDA_EXPORT(base, thread_symbol, version, symbol, true)
#include "tests/hostcuda/driver/entry_points.inc"

std::span<const EntryPoint> EntryPoints() {
#define HOSTCUDA_CALL(need, base, symbol, version) {#base, version, entry_##symbol, 0, nullptr},
#define HOSTCUDA_STREAM_CALL(need, base, symbol, version, thread_symbol, thread_version) \
  {#base, version, entry_##symbol, thread_version, entry_##thread_symbol},
  static const EntryPoint kEntryPoints[] = {
#include "tests/hostcuda/driver/entry_points.inc"
  };
  return kEntryPoints;
}

}  // namespace hostcuda
