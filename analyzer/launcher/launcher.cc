#include "analyzer/launcher/launcher.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "analyzer/launcher/environment_block.h"
#include "analyzer/launcher/launch_record.h"
#include "analyzer/launcher/run_folder.h"
#include "analyzer/launcher/supervised_process.h"
#include "analyzer/launcher/surroundings.h"
#include "proto/lists/environment.h"
#include "proto/reference/reference.h"

namespace graphtap::launcher {
namespace {

constexpr const char* kNvtxInjection = "NVTX_INJECTION64_PATH";
constexpr const char* kGitRevisionKey = "git_revision";

int Refuse(std::ostream& log, int exit_code, const std::string& why) {
  log << "graphtap run: " << why << '\n';
  return exit_code;
}

bool IsMissing(int error) { return error == ENOENT || error == ENOTDIR; }

int RefuseCommand(std::ostream& log, const std::string& name, int error, const char* why) {
  const int exit_code = IsMissing(error) ? kExitNotFound : kExitNotExecutable;
  return Refuse(log, exit_code, "'" + name + "': " + why);
}

std::string MetadataVariable(const std::string& key) { return std::string(kMetadataPrefix) + key; }

EnvironmentBlock RequestedEnvironment(const LaunchOptions& options) {
  EnvironmentBlock environment(environ);
  for (const auto& [variable, value] : options.settings) environment.Set(variable, value);
  for (const auto& [key, value] : options.metadata) environment.Set(MetadataVariable(key), value);
  return environment;
}

bool HasReferences(const Settings& settings, std::string* error) {
  for (const auto& path : reference::ReferencesOf(settings.specification, settings.check)) {
    if (!reference::IsReference(path, error)) {
      *error = "reference of a check: " + *error;
      return false;
    }
    std::error_code ignored;
    if (!settings.out.empty() && std::filesystem::equivalent(path, settings.out, ignored)) {
      *error = "reference of a check: " + path + ": it is the run folder itself";
      return false;
    }
  }
  return true;
}

// The job's processes may start in other folders.
void MakePathsAbsolute(const Settings& settings, EnvironmentBlock* environment) {
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  if (error) return;
  if (!settings.check.empty()) {
    environment->Set("GRAPHTAP_CHECK", reference::AbsolutePath(settings.check, folder));
  }
  const auto absolute = reference::WithAbsolutePaths(settings.specification, folder);
  if (absolute != settings.specification) environment->Set("GRAPHTAP_PROBE", spec::Text(absolute));
}

// Adds what only the launcher knows: where and under which id to record, and the library.
void CompleteEnvironment(const LaunchRecord& record, const RunFolder& folder,
                         const std::string& library, EnvironmentBlock* environment) {
  environment->Set("GRAPHTAP_OUT", folder.path().string());
  environment->Set("GRAPHTAP_RUN_ID", record.run_id);
  environment->AppendPreload(library);
  const auto revision = MetadataVariable(kGitRevisionKey);
  if (record.git_revision && environment->Get(revision) == nullptr) {
    environment->Set(revision, *record.git_revision);
  }
}

void RequestNvtxRanges(const std::string& library, LogLevel level, EnvironmentBlock* environment,
                       std::ostream& log) {
  const char* current = environment->Get(kNvtxInjection);
  if (current == nullptr || *current == '\0') {
    environment->Set(kNvtxInjection, library);
  } else if (current != library && level != LogLevel::quiet) {
    log << "graphtap run: NVTX ranges are not recorded: " << kNvtxInjection << " is '" << current
        << "' already\n";
  }
}

void Conclude(const RunFolder& folder, LogLevel level, std::ostream& log) {
  if (level == LogLevel::quiet) return;
  const auto path = folder.path().string();
  if (folder.CountRunFiles() == 0) {
    log << "graphtap run: nothing recorded: no process used CUDA (" << path << ")\n";
  } else {
    log << "graphtap run: recorded; next: graphtap info " << path << '\n';
  }
}

int ExitCode(const ProcessEnd& end) {
  return end.signal ? kExitSignalBase + *end.signal : end.exit_code.value_or(kExitBadOptions);
}

// Starts the job and waits for it; keeps the launch record up to date. A job that could not be
// started leaves no record.
int Supervise(const LaunchOptions& options, const EnvironmentBlock& environment,
              const RunFolder& folder, LaunchRecord* record, std::ostream& log) {
  const auto save = [&] {
    std::string error;
    if (!WriteLaunchRecord(*record, folder.LaunchRecordPath(), &error)) {
      log << "graphtap run: " << error << '\n';
    }
  };
  SupervisedProcess job;
  record->start_realtime_ns = RealtimeNow();
  if (const int error = job.Start(options.command, environment); error != 0) {
    return RefuseCommand(log, options.command[0], error, std::strerror(error));
  }
  record->pid = job.pid();
  save();
  const ProcessEnd end = job.Wait();
  record->end_realtime_ns = RealtimeNow();
  record->exit_code = end.exit_code;
  record->signal = end.signal;
  save();
  return ExitCode(end);
}

}  // namespace

int Launch(const LaunchOptions& options, std::ostream& log) {
  std::string error;
  EnvironmentBlock environment = RequestedEnvironment(options);
  const auto settings =
      ParseSettings([&](const char* name) { return environment.Get(name); }, &error);
  if (!settings) return Refuse(log, kExitBadOptions, error);
  if (!HasReferences(*settings, &error)) return Refuse(log, kExitBadOptions, error);
  MakePathsAbsolute(*settings, &environment);
  const auto library = FindPreloadLibrary(&error);
  if (!library) return Refuse(log, kExitBadOptions, error);
  if (const int reason = CheckCommand(options.command[0], environment.Get("PATH"))) {
    const char* why = IsMissing(reason) ? "no such command" : "not an executable file";
    return RefuseCommand(log, options.command[0], reason, why);
  }
  const RunFolder folder = settings->out.empty() ? RunFolder::Fresh() : RunFolder(settings->out);
  if (!folder.Prepare(options.overwrite, &error)) return Refuse(log, kExitBadOptions, error);

  LaunchRecord record;
  record.command = options.command;
  record.run_id = NewRunId();
  record.git_revision = FindGitRevision();
  CompleteEnvironment(record, folder, *library, &environment);
  RequestNvtxRanges(*library, settings->log, &environment, log);
  const int exit_code = Supervise(options, environment, folder, &record, log);
  if (record.end_realtime_ns) Conclude(folder, settings->log, log);
  return exit_code;
}

}  // namespace graphtap::launcher
