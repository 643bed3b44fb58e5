#include "interpose/session/state.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace graphtap::session {
namespace {

enum class Mode : int { kUnknown, kOff, kOn };
std::atomic<Mode> g_mode{Mode::kUnknown};

// As they were at load.
struct Folders {
  std::string working, output;
};
std::atomic<const Folders*> g_folders{nullptr};
std::atomic<std::uint64_t> g_unknown_entry_points{0};

Mode Decide() noexcept {
  const char* folder = std::getenv("GRAPHTAP_OUT");
  const bool raised = getauxval(AT_SECURE) != 0;
  return folder != nullptr && *folder != '\0' && !raised ? Mode::kOn : Mode::kOff;
}

Folders MakeFolders() {
  Folders folders;
  folders.output = std::getenv("GRAPHTAP_OUT");
  char working_folder[4096];
  if (getcwd(working_folder, sizeof working_folder) == nullptr) return folders;
  folders.working = working_folder;
  if (folders.output.front() != '/') folders.output = folders.working + '/' + folders.output;
  return folders;
}

const Folders& AllFolders() noexcept {
  static const Folders& none = *new Folders;
  const Folders* folders = g_folders.load(std::memory_order_acquire);
  if (folders != nullptr || !Enabled()) return folders == nullptr ? none : *folders;
  try {
    const auto* made = new Folders(MakeFolders());
    if (g_folders.compare_exchange_strong(folders, made)) return *made;
    delete made;
    return *folders;
  } catch (...) {
    return none;
  }
}

// As early as can be: the job may change its working folder and its environment later. Libraries
// that the job links are initialised before this one, and may use CUDA already.
__attribute__((constructor)) void AtLoad() {
  if (Enabled()) AllFolders();
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

const std::string& OutputFolder() noexcept { return AllFolders().output; }
const std::string& WorkingFolderAtLoad() noexcept { return AllFolders().working; }

void CountUnknownEntryPoint() noexcept {
  g_unknown_entry_points.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t TakeUnknownEntryPoints() noexcept {
  return g_unknown_entry_points.exchange(0, std::memory_order_relaxed);
}

}  // namespace graphtap::session
