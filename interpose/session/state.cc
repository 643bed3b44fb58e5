#include "interpose/session/state.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace graphtap::session {
namespace {

enum class Mode : int { kUnknown, kOff, kOn };
std::atomic<Mode> g_mode{Mode::kUnknown};
std::atomic<const std::string*> g_folder{nullptr};
std::atomic<std::uint64_t> g_unknown_entry_points{0};

Mode Decide() noexcept {
  const char* folder = std::getenv("GRAPHTAP_OUT");
  const bool raised = getauxval(AT_SECURE) != 0;
  return folder != nullptr && *folder != '\0' && !raised ? Mode::kOn : Mode::kOff;
}

std::string MakeFolder() {
  std::string folder = std::getenv("GRAPHTAP_OUT");
  if (folder.front() == '/') return folder;
  char working_folder[4096];
  if (getcwd(working_folder, sizeof working_folder) == nullptr) return folder;
  return std::string(working_folder) + "/" + folder;
}

// As early as can be: the job may change its working folder and its environment later. Libraries
// that the job links are initialised before this one, and may use CUDA already.
__attribute__((constructor)) void AtLoad() {
  if (Enabled()) OutputFolder();
}

}  // namespace

bool Enabled() noexcept {
  Mode mode = g_mode.load(std::memory_order_relaxed);
  if (mode == Mode::kUnknown) {
    mode = Decide();
    g_mode.store(mode, std::memory_order_relaxed);
  }
  return mode == Mode::kOn;
}

const std::string& OutputFolder() noexcept {
  static const std::string& empty = *new std::string;
  const std::string* folder = g_folder.load(std::memory_order_acquire);
  if (folder != nullptr || !Enabled()) return folder == nullptr ? empty : *folder;
  try {
    const auto* made = new std::string(MakeFolder());
    if (g_folder.compare_exchange_strong(folder, made)) return *made;
    delete made;
    return *folder;
  } catch (...) {
    return empty;
  }
}

void CountUnknownEntryPoint() noexcept {
  g_unknown_entry_points.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t UnknownEntryPoints() noexcept {
  return g_unknown_entry_points.load(std::memory_order_relaxed);
}

}  // namespace graphtap::session
