#include "analyzer/report/process_words.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "absl/strings/str_format.h"
#include "analyzer/report/cuda_names.h"
#include "analyzer/report/units.h"
#include "proto/lists/messages.h"

namespace graphtap::report {
namespace {

// A word as a shell reads it back.
std::string ShellWord(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string UuidText(const std::string& uuid) {
  if (uuid.size() != 16) return Hex(uuid);
  const std::string hex = Hex(uuid);
  return absl::StrFormat("GPU-%s-%s-%s-%s-%s", hex.substr(0, 8), hex.substr(8, 4),
                         hex.substr(12, 4), hex.substr(16, 4), hex.substr(20));
}

std::string SeverityName(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    default:
      return "error";
  }
}

}  // namespace

std::string ProcessTitle(const model::Process& process) {
  return absl::StrFormat("%s  %s  pid %u on %s", process.name, process.key.Text(),
                         process.run.pid(), process.run.host());
}

std::string EndingText(const model::Ending& ending) {
  std::string text;
  switch (ending.how) {
    case model::Ending::How::kExited:
      text = absl::StrFormat("exit code %d", ending.code);
      break;
    case model::Ending::How::kSignaled:
      text = absl::StrFormat("signal %d (%s)", ending.code, ::strsignal(ending.code));
      break;
    case model::Ending::How::kRunning:
      return "it runs still, or its launcher was killed";
    case model::Ending::How::kReplaced:
      return "replaced by another program (exec)";
    case model::Ending::How::kUnknown:
      return "unknown: no end record (killed, or still running)";
  }
  return ending.by_launcher ? text + ", says the launcher; no end record" : text;
}

std::string CommandText(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) {
    absl::StrAppendFormat(&text, "%s%s", text.empty() ? "" : " ", ShellWord(word));
  }
  return text;
}

std::string GpuText(const Gpu& gpu) {
  std::string text = gpu.name();
  if (gpu.compute_capability() > 0) {
    absl::StrAppendFormat(&text, ", sm_%u", gpu.compute_capability());
  }
  if (gpu.multiprocessors() > 0) absl::StrAppendFormat(&text, ", %u SMs", gpu.multiprocessors());
  if (gpu.memory_bytes() > 0) absl::StrAppendFormat(&text, ", %s", Bytes(gpu.memory_bytes()));
  if (!gpu.uuid().empty()) absl::StrAppendFormat(&text, ", %s", UuidText(gpu.uuid()));
  return text;
}

std::string MessageText(const Message& message) {
  const auto found = std::find_if(kMessages.begin(), kMessages.end(), [&](const auto& info) {
    return static_cast<std::uint32_t>(info.code) == message.code();
  });
  if (found == kMessages.end()) {
    return absl::StrFormat("message %u of a newer graphtap: %s", message.code(), message.detail());
  }
  std::string text = absl::StrFormat("%s: %s", SeverityName(found->severity), found->text);
  return message.detail().empty() ? text : text + ' ' + message.detail();
}

std::string CaptureOutcome(const model::Capture& capture) {
  const auto& record = capture.record;
  switch (record.outcome()) {
    case graphtap::Capture::OUTCOME_GRAPH:
      return record.has_graph() ? absl::StrFormat("g%u", record.graph()) : "graph";
    case graphtap::Capture::OUTCOME_FAILED:
      return record.has_error() ? ResultName(record.error()) : "failed";
    default:
      return "open";
  }
}

std::string ReplayCountText(const model::Executable& executable) {
  if (executable.missing_replays() == 0) return Count(executable.replay_count());
  return absl::StrFormat("%s of %s known", Count(executable.replay_count()),
                         Count(executable.replays.back().last));
}

std::string StreamName(const model::Process& process, std::uint32_t id) {
  const auto found = process.streams.find(id);
  if (found == process.streams.end()) return absl::StrFormat("s%u", id);
  const graphtap::Stream& stream = found->second;
  std::string name = absl::StrFormat("s%u", id);
  if (stream.kind() == graphtap::Stream::KIND_LEGACY) name = "legacy";
  if (stream.kind() == graphtap::Stream::KIND_PER_THREAD) name = "per_thread";
  if (!stream.has_device() || process.run.gpus_size() < 2) return name;
  return absl::StrFormat("%s@GPU%u", name, stream.device());
}

std::string StreamNames(const model::Process& process, const std::vector<std::uint32_t>& ids) {
  std::string names;
  for (const auto id : ids) {
    absl::StrAppendFormat(&names, "%s%s", names.empty() ? "" : ", ", StreamName(process, id));
  }
  return names;
}

std::string ThreadName(const model::Process& process, std::uint32_t id) {
  const auto found = process.threads.find(id);
  if (found == process.threads.end() || found->second.name().empty()) {
    return absl::StrFormat("t%u", id);
  }
  return absl::StrFormat("t%u (%s)", id, found->second.name());
}

std::optional<std::uint64_t> LifetimeNs(const model::Process& process) {
  if (process.run_lost || !process.end || !process.end->has_time_ns() ||
      process.end->time_ns() < process.run.start_monotonic_ns()) {
    return std::nullopt;
  }
  return process.end->time_ns() - process.run.start_monotonic_ns();
}

}  // namespace graphtap::report
