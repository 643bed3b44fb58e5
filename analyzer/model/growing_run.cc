#include "analyzer/model/growing_run.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/model/run_file_name.h"

namespace graphtap::model {
namespace {

// Each is there once; a damaged file may say otherwise.
constexpr std::size_t kMostMessages = 1000;

// Adds the numbers; returns how many of them are new.
std::uint64_t AddSpan(std::uint64_t first, std::uint64_t last,
                      std::map<std::uint64_t, std::uint64_t>* spans) {
  std::uint64_t known = 0;
  auto at = spans->upper_bound(first);
  if (at != spans->begin() && std::prev(at)->second >= first - 1) --at;
  while (at != spans->end() && at->first - 1 <= last) {
    first = std::min(first, at->first);
    last = std::max(last, at->second);
    known += at->second - at->first + 1;
    at = spans->erase(at);
  }
  spans->emplace(first, last);
  return last - first + 1 - known;
}

// A range of a damaged file may be none.
void AddReplays(const graphtap::ReplayRange& range, Tally* tally) {
  if (range.first() == 0 || range.last() < range.first()) return;
  tally->replays += AddSpan(range.first(), range.last(), &tally->spans[range.executable()]);
  tally->first_ns =
      std::min<std::uint64_t>(tally->first_ns.value_or(range.first_ns()), range.first_ns());
  tally->last_ns =
      std::max<std::uint64_t>(tally->last_ns.value_or(range.last_ns()), range.last_ns());
}

void AddReplay(const graphtap::Replay& replay, Tally* tally) {
  if (!replay.has_number()) return;  // it failed
  graphtap::ReplayRange alone;
  alone.set_executable(replay.executable());
  alone.set_first(replay.number());
  alone.set_last(replay.number());
  alone.set_first_ns(replay.time_ns());
  alone.set_last_ns(replay.time_ns());
  AddReplays(alone, tally);
  tally->sampled += replay.sampled();
  tally->lost += replay.has_lost();
}

void SetEnd(graphtap::End&& end, Process* process) {
  process->end.reset();
  process->ending = {};
  if (end.how() == End::HOW_UNKNOWN) return;
  process->ending = EndingOf(end);
  process->end = std::move(end);
}

void Add(Entry&& entry, Process* process, Tally* tally) {
  switch (entry.body_case()) {
    case Entry::kRun:
      process->run = std::move(*entry.mutable_run());
      process->run_lost = false;
      break;
    case Entry::kReplay:
      AddReplay(entry.replay(), tally);
      break;
    case Entry::kReplayRange:
      AddReplays(entry.replay_range(), tally);
      break;
    case Entry::kObservation:
      ++tally->observations;
      break;
    case Entry::kRefusal:
      ++tally->refused;
      break;
    case Entry::kLoss:
      process->losses[entry.loss().cause()] = entry.loss().count();
      break;
    case Entry::kMessage:
      if (process->messages.size() < kMostMessages) {
        process->messages.push_back(std::move(*entry.mutable_message()));
      }
      break;
    case Entry::kEnd:
      SetEnd(std::move(*entry.mutable_end()), process);
      break;
    default:
      break;
  }
}

std::string HostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

bool IsGone(std::uint32_t pid) { return ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH; }

bool HasExited(const Process& process) {
  return process.end && process.end->how() == End::HOW_EXIT;
}

bool IsOver(const Process& process) {
  if (HasExited(process)) return true;
  return process.run.host() == HostName() && IsGone(process.run.pid());
}

}  // namespace

std::optional<double> Tally::Rate() const {
  if (replays < 2 || !first_ns || *last_ns <= *first_ns) return std::nullopt;
  return static_cast<double>(replays - 1) / (static_cast<double>(*last_ns - *first_ns) / 1e9);
}

absl::Status GrowingRun::Read() {
  std::error_code ignored;
  if (!std::filesystem::exists(run_.path, ignored)) return absl::OkStatus();
  auto launch = LaunchOf(run_.path);
  if (!launch.ok()) return launch.status();
  run_.launch = *std::move(launch);
  if (run_.launch) run_.run_id = run_.launch->run_id;
  if (const auto status = FindFiles(); !status.ok()) return status;
  for (auto& file : files_) {
    if (file.entries == nullptr) continue;
    if (const auto status = ReadFile(&file); !status.ok()) return status;
  }
  if (!run_.launch || !run_.launch->end_realtime_ns) return absl::OkStatus();
  for (auto* process : processes_) SetEnding(run_.launch, process);
  return absl::OkStatus();
}

absl::Status GrowingRun::FindFiles() {
  auto paths = RunFiles(run_.path);
  if (absl::IsNotFound(paths.status())) return absl::OkStatus();  // not yet, or no longer
  if (!paths.ok()) return paths.status();
  std::erase_if(*paths, [&](const auto& path) {
    return std::any_of(files_.begin(), files_.end(),
                       [&](const File& file) { return file.path == path; });
  });
  std::stable_sort(paths->begin(), paths->end(), [](const auto& a, const auto& b) {
    const auto start = [](const std::string& path) {
      const auto name = ParseRunFileName(std::filesystem::path(path).filename().string());
      return name ? name->start_realtime_ns : 0;
    };
    return start(a) < start(b);
  });
  for (const auto& path : *paths) {
    if (const auto status = AddFile(path); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status GrowingRun::AddFile(const std::string& path) {
  auto source = reader::OpenFile(path);
  if (!source.ok()) return source.status();
  File file;
  file.path = path;
  file.entries = std::make_unique<reader::EntryReader>(**source, reader::PayloadFrames::kSkip);
  file.source = *std::move(source);
  auto process = std::make_unique<Process>();
  file.process = process.get();
  if (const auto status = ReadFile(&file); !status.ok()) return status;
  const bool empty = !tallies_.contains(process.get());
  if (empty && path == run_.path && process->damage.bytes > 0) {
    return absl::InvalidArgumentError(absl::StrFormat("%s: not a run file: no frame in it", path));
  }
  if (empty && !process->damage.damaged()) return absl::OkStatus();  // not begun yet
  Identify(path, process.get());
  const std::string& run_id = process->run.run_id();
  if (!process->run_lost && run_.run_id.empty()) run_.run_id = run_id;
  if (!process->run_lost && run_id != run_.run_id) {
    run_.foreign.push_back({process->file, run_id});
    file.Close();
  } else {
    AddProcess(std::move(process));
  }
  files_.push_back(std::move(file));
  return absl::OkStatus();
}

void GrowingRun::AddProcess(std::unique_ptr<Process> process) {
  process->name = absl::StrFormat("p%u", run_.processes.size());
  auto& key = process->key;
  key.program = process->run_lost ? "?" : process->run.program();
  if (process->run.has_rank()) key.rank = process->run.rank();
  key.ordinal = static_cast<std::uint32_t>(
      std::count_if(processes_.begin(), processes_.end(), [&](const Process* other) {
        return other->key.rank == key.rank && other->key.program == key.program;
      }));
  tallies_.try_emplace(process.get());
  processes_.push_back(process.get());
  run_.processes.push_back(std::move(process));
}

absl::Status GrowingRun::ReadFile(File* file) {
  file->source->Update();
  Entry entry;
  while (true) {
    const auto more = file->entries->Next(&entry);
    if (!more.ok()) {
      return absl::Status(more.status().code(),
                          absl::StrFormat("%s: %s", file->path, more.status().message()));
    }
    if (!*more) break;
    Add(std::move(entry), file->process, &tallies_[file->process]);
  }
  file->process->damage = file->entries->damage();
  // A file that has its end grows no more.
  if (HasExited(*file->process)) file->Close();
  return absl::OkStatus();
}

bool GrowingRun::Over() const {
  if (run_.launch && run_.launch->end_realtime_ns) return true;
  if (run_.launch && !IsGone(run_.launch->pid)) return false;
  return !run_.processes.empty() &&
         std::all_of(run_.processes.begin(), run_.processes.end(),
                     [](const auto& process) { return IsOver(*process); });
}

}  // namespace graphtap::model
