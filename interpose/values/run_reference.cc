#include "interpose/values/run_reference.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>
#include <utility>
#include <vector>

#include "interpose/session/state.h"
#include "interpose/values/run_messages.h"
#include "proto/reference/reference.h"

namespace graphtap::values {
namespace {

// A run file, and whose it is.
struct ProcessFile {
  std::optional<std::uint32_t> rank;
  std::string program;
  std::uint64_t start_ns = 0;
  std::uint32_t pid = 0;
  std::unique_ptr<frames::ByteSource> file;
};

// The process says who it is in the first message of its file.
std::optional<ProcessFile> ReadProcess(const std::string& path) {
  ProcessFile process;
  int error = 0;
  process.file = frames::OpenFile(path, &error);
  if (process.file == nullptr) return std::nullopt;
  bool told = false;
  RunMessages read;
  read.on_run = [&](const RunMessages::Run& run) {
    process.rank = run.rank;
    process.program = run.program;
    process.start_ns = run.start_ns;
    process.pid = run.pid;
    told = true;
  };
  frames::MessageReader messages(*process.file);
  std::string_view message;
  while (!told && messages.Next(&message) == frames::Found::kOne) read.Read(message);
  return told ? std::optional(std::move(process)) : std::nullopt;
}

// Of a folder, by start.
std::vector<ProcessFile> ReadProcesses(const std::string& folder) {
  std::vector<ProcessFile> processes;
  std::string ignored;
  for (const auto& path :
       reference::RunFilesIn(folder, &ignored).value_or(std::vector<std::string>())) {
    if (auto process = ReadProcess(path)) processes.push_back(*std::move(process));
  }
  std::stable_sort(processes.begin(), processes.end(), [](const auto& a, const auto& b) {
    return std::tie(a.start_ns, a.pid) < std::tie(b.start_ns, b.pid);
  });
  return processes;
}

}  // namespace

RunReference::RunReference(std::string folder, std::unique_ptr<frames::ByteSource> file,
                           std::uint64_t most_index_bytes)
    : folder_(std::move(folder)), file_(std::move(file)), most_index_bytes_(most_index_bytes) {}

std::unique_ptr<Reference> RunReference::Open(const std::string& folder, session::Session& session,
                                              std::string* error) {
  if (!reference::IsReference(folder, error)) return nullptr;
  const auto rank = ReadRank([](const char* name) { return std::getenv(name); }).rank;
  const std::string program = program_invocation_short_name;
  const auto is_alike = [&](const ProcessFile& other) {
    return other.rank == rank && other.program == program;
  };
  // How many such processes of this run began before.
  std::size_t ordinal = 0;
  for (const auto& other : ReadProcesses(session::OutputFolder())) {
    if (is_alike(other) && other.pid != static_cast<std::uint32_t>(getpid())) ++ordinal;
  }
  auto processes = ReadProcesses(folder);
  std::unique_ptr<frames::ByteSource> file;
  for (auto& process : processes) {
    if (is_alike(process) && ordinal-- == 0) file = std::move(process.file);
  }
  if (file == nullptr && processes.size() == 1) file = std::move(processes.front().file);
  return std::make_unique<RunReference>(folder, std::move(file), session.settings().host_bytes / 8);
}

// nullptr: there is no file.
RunIndex* RunReference::Index() {
  const std::lock_guard lock(mutex_);
  if (!index_ && file_ != nullptr) index_.emplace(*file_, most_index_bytes_);
  return index_ ? &*index_ : nullptr;
}

bool RunReference::WantsBytes(const Watched& watched) {
  const RunIndex* index = Index();
  return index != nullptr && index->HasBytes(watched.Key());
}

Expected RunReference::Find(const Watched& watched, std::uint64_t replay) {
  Expected expected;
  const RunIndex* index = Index();
  if (index == nullptr) {
    expected.why_not = folder_ + " has no process of this rank and program";
    return expected;
  }
  const auto* seen = index->Find(watched.Key(), replay);
  if (seen == nullptr) {
    expected.why_not = folder_ + " has no such observation" +
                       (index->Full() ? " among those for which there was memory "
                                        "(an eighth of GRAPHTAP_HOST_MB)"
                                      : "");
    return expected;
  }
  const RunIndex::Site& site = index->SiteOf(*seen);
  expected.dtype = site.dtype;
  expected.extent = site.bytes;
  expected.exact = site.exact;
  if (site.comparable) expected.hash = seen->hash;
  if (seen->payload) {
    expected.bytes = seen->payload_bytes;
    expected.id = *seen->payload;
  }
  if (!expected.hash && !seen->payload) {
    expected.why_not = folder_ + " has neither a comparable hash nor bytes of it";
  }
  return expected;
}

bool RunReference::Read(const Expected& expected, std::uint64_t offset, std::span<std::byte> to) {
  return Index()->Read(expected.id, offset, to);
}

}  // namespace graphtap::values
