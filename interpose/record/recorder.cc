#include "interpose/record/recorder.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include "interpose/record/file_recorder.h"
#include "interpose/record/run_file.h"

namespace graphtap::record {
namespace {

// <host>.<pid>.<start realtime ns, hex>.gtap
std::string FileName(const Run& run) {
  std::string host = run.host.empty() ? "unknown" : run.host;
  std::replace(host.begin(), host.end(), '/', '_');
  char rest[64];
  std::snprintf(rest, sizeof rest, ".%u.%llx.gtap", static_cast<unsigned>(run.pid),
                static_cast<unsigned long long>(run.start_realtime_ns));
  return host + rest;
}

}  // namespace

std::unique_ptr<Recorder> Recorder::Start(const Options& options, const Run& run,
                                          std::string* error) noexcept {
  try {
    auto file = RunFile::Create(options.folder, FileName(run), error);
    if (file == nullptr) return nullptr;
    return std::make_unique<FileRecorder>(options, run, std::move(file));
  } catch (const std::exception& failure) {
    try {
      *error = failure.what();
    } catch (...) {
      error->clear();  // not even memory for the reason
    }
    return nullptr;
  }
}

}  // namespace graphtap::record
