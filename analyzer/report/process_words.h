// ProcessWords: short phrases about processes, captures and executables that more than one report
// prints.
// Pure functions, any thread, no failure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/process.h"

namespace graphtap::report {

std::string ProcessTitle(const model::Process& process);  // "p0  train/0  pid 42 on host-a"
std::string EndingText(const model::Ending& ending);      // "exit code 0", "signal 9 (Killed)"
std::string CommandText(const std::vector<std::string>& words);  // quoted for a shell where needed
std::string GpuText(const Gpu& gpu);
std::string MessageText(const Message& message);  // "warning: …"

// "gave g0", "CUDA_ERROR_…", "open".
std::string CaptureOutcome(const model::Capture& capture);

// What the numbers of the replays say: "1,501", "1,400 of 1,501 known".
std::string ReplayCountText(const model::Executable& executable);

// "s0, s1"; "legacy", "per_thread" for the default streams.
std::string StreamName(const model::Process& process, std::uint32_t id);
std::string StreamNames(const model::Process& process, const std::vector<std::uint32_t>& ids);

std::string ThreadName(const model::Process& process, std::uint32_t id);  // "t0 (python)"

// Time from the start of the process to the end record; nullopt without one.
std::optional<std::uint64_t> LifetimeNs(const model::Process& process);

}  // namespace graphtap::report
