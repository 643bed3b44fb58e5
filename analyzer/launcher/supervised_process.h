// SupervisedProcess: a child that this process stands in for: it gets the signals that this process
// gets, and this process learns how it ended.
// Owner: the caller, on one thread, with no other child waited for meanwhile. The forwarded signals
// and SIGCHLD are blocked in the calling thread from Start to destruction.
// Failure: Start returns an errno; Wait returns only when the child has ended.
#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/launcher/environment_block.h"

namespace graphtap::launcher {

// How a process ended: exactly one of the two is set.
struct ProcessEnd {
  std::optional<int> exit_code;
  std::optional<int> signal;
};

class SupervisedProcess {
 public:
  SupervisedProcess() = default;
  ~SupervisedProcess();
  SupervisedProcess(const SupervisedProcess&) = delete;
  SupervisedProcess& operator=(const SupervisedProcess&) = delete;

  // Starts the command (searched in PATH as a shell does) with the environment; once. Returns 0, or
  // the errno of what failed, and then no child is left.
  int Start(const std::vector<std::string>& command, const EnvironmentBlock& environment);

  pid_t pid() const { return pid_; }

  // Forwards signals until the child has ended. A signal that the terminal sent has reached the
  // child already and is not sent twice. A child that job control stopped stops this process too,
  // so that the shell gets its terminal back.
  ProcessEnd Wait();

 private:
  [[noreturn]] void Exec(const std::vector<std::string>& command,
                         const EnvironmentBlock& environment, int error_pipe) const;
  std::optional<ProcessEnd> Reap() const;

  pid_t pid_ = -1;
  bool blocking_ = false;
  sigset_t waited_ = {};
  sigset_t old_mask_ = {};
  struct sigaction old_child_action_ = {};
};

}  // namespace graphtap::launcher
