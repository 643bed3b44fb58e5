#include "analyzer/model/run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "analyzer/model/process_builder.h"
#include "analyzer/model/run_file_name.h"
#include "analyzer/reader/byte_source.h"
#include "analyzer/reader/entry_reader.h"

namespace graphtap::model {
namespace {

namespace fs = std::filesystem;
using Processes = std::vector<std::unique_ptr<Process>>;

// Whether the file has nothing of a run file in it, not even the beginning of a frame.
bool IsOtherFile(const Process& process, std::uint64_t size) {
  return size > 0 && process.damage.bytes == size && process.damage.messages == 0;
}

absl::StatusOr<std::unique_ptr<Process>> LoadProcess(const std::string& path, bool alone) {
  const auto source = reader::OpenFile(path);
  if (!source.ok()) return source.status();
  reader::EntryReader entries(**source);
  ProcessBuilder builder;
  Entry entry;
  while (true) {
    const auto more = entries.Next(&entry);
    if (!more.ok()) {
      return absl::Status(more.status().code(),
                          absl::StrFormat("%s: %s", path, more.status().message()));
    }
    if (!*more) break;
    builder.Add(std::move(entry), entries.place());
  }
  auto process = builder.Finish();
  process->damage = entries.damage();
  Identify(path, process.get());
  if (alone && IsOtherFile(*process, (*source)->size())) {
    return absl::InvalidArgumentError(absl::StrFormat("%s: not a run file: no frame in it", path));
  }
  return process;
}

// The launcher's; without one, the id of most files, of these the one that started first.
std::string ChooseRunId(const Run& run, const Processes& by_start) {
  if (run.launch) return run.launch->run_id;
  std::map<std::string, int> counts;
  for (const auto& process : by_start) {
    if (!process->run_lost) ++counts[process->run.run_id()];
  }
  const Process* best = nullptr;
  for (const auto& process : by_start) {
    if (process->run_lost) continue;
    if (best == nullptr || counts[process->run.run_id()] > counts[best->run.run_id()]) {
      best = process.get();
    }
  }
  return best == nullptr ? "" : best->run.run_id();
}

void NumberProcesses(Run* run, Processes processes) {
  std::map<std::pair<std::int64_t, std::string>, std::uint32_t> ordinals;
  for (auto& process : processes) {
    const auto& record = process->run;
    if (!process->run_lost && record.run_id() != run->run_id) {
      run->foreign.push_back({process->file, record.run_id()});
      continue;
    }
    process->name = absl::StrFormat("p%u", run->processes.size());
    if (record.has_rank()) process->key.rank = record.rank();
    process->key.program = process->run_lost ? "?" : record.program();
    const std::int64_t rank = record.has_rank() ? std::int64_t{record.rank()} : -1;
    process->key.ordinal = ordinals[{rank, process->key.program}]++;
    SetEnding(run->launch, process.get());
    run->processes.push_back(std::move(process));
  }
}

}  // namespace

absl::StatusOr<std::vector<std::string>> RunFiles(const std::string& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) {
    return absl::NotFoundError(absl::StrFormat("%s: no such file or folder", path));
  }
  if (!fs::is_directory(status)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == kRunFileEnding) files.push_back(entry->path().string());
  }
  if (error) {
    return absl::PermissionDeniedError(absl::StrFormat("%s: %s", path, error.message()));
  }
  // With a launch record and no run file: a job that never used CUDA.
  if (files.empty() && !fs::exists(fs::path(path) / "launch.json", error)) {
    return absl::NotFoundError(absl::StrFormat(
        "%s: no run file; a run folder holds a <host>.<pid>.<start>.gtap for each process", path));
  }
  std::sort(files.begin(), files.end());
  return files;
}

absl::StatusOr<std::optional<Launch>> LaunchOf(const std::string& path) {
  return ReadLaunch(fs::is_directory(path) ? path : fs::path(path).parent_path().string());
}

void Identify(const std::string& path, Process* process) {
  process->path = path;
  process->file = fs::path(path).filename().string();
  const auto name = ParseRunFileName(process->file);
  if (!process->run_lost || !name) return;
  process->run.set_host(name->host);
  process->run.set_pid(name->pid);
  process->run.set_start_realtime_ns(name->start_realtime_ns);
}

void SetEnding(const std::optional<Launch>& launch, Process* process) {
  if (process->ending.how != Ending::How::kUnknown) return;
  if (!launch || launch->pid != process->run.pid()) return;
  process->ending.by_launcher = true;
  if (launch->signal) {
    process->ending.how = Ending::How::kSignaled;
    process->ending.code = *launch->signal;
  } else if (launch->exit_code) {
    process->ending.how = Ending::How::kExited;
    process->ending.code = *launch->exit_code;
  } else if (!launch->end_realtime_ns) {
    process->ending.how = Ending::How::kRunning;
  }
}

absl::StatusOr<Run> LoadRun(const std::string& path) {
  const auto files = RunFiles(path);
  if (!files.ok()) return files.status();
  Processes processes;
  for (const auto& file : *files) {
    auto process = LoadProcess(file, /*alone=*/file == path);
    if (!process.ok()) return process.status();
    processes.push_back(*std::move(process));
  }
  std::stable_sort(processes.begin(), processes.end(), [](const auto& a, const auto& b) {
    return std::tuple(a->run.start_realtime_ns(), a->run.pid()) <
           std::tuple(b->run.start_realtime_ns(), b->run.pid());
  });
  Run run;
  run.path = path;
  const bool is_folder = fs::is_directory(path);
  auto launch = LaunchOf(path);
  if (!launch.ok()) return launch.status();
  // A single file is of its own run, which need not be the one that the folder was made for.
  if (is_folder || (*launch && (*launch)->run_id == processes.front()->run.run_id())) {
    run.launch = *std::move(launch);
  }
  run.run_id = ChooseRunId(run, processes);
  NumberProcesses(&run, std::move(processes));
  return run;
}

}  // namespace graphtap::model
