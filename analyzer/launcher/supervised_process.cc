#include "analyzer/launcher/supervised_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>

namespace graphtap::launcher {
namespace {

constexpr std::array kForwarded = {SIGINT,  SIGTERM,  SIGHUP,  SIGQUIT, SIGUSR1,
                                   SIGUSR2, SIGWINCH, SIGCONT, SIGTSTP};

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const auto& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// The kernel's own signals (positive codes) are those of the terminal: the whole foreground group,
// and so the child, has them.
bool SentByProcess(const siginfo_t& info) { return info.si_code <= 0; }

bool IsJobControlStop(int signal) {
  return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

}  // namespace

SupervisedProcess::~SupervisedProcess() {
  if (!blocking_) return;
  // What arrived after the child's end was meant for the child.
  const timespec now = {};
  while (sigtimedwait(&waited_, nullptr, &now) > 0) {
  }
  sigaction(SIGCHLD, &old_child_action_, nullptr);
  sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

int SupervisedProcess::Start(const std::vector<std::string>& command,
                             const EnvironmentBlock& environment) {
  int error_pipe[2];
  if (pipe2(error_pipe, O_CLOEXEC) != 0) return errno;

  sigemptyset(&waited_);
  sigaddset(&waited_, SIGCHLD);
  for (const int signal : kForwarded) sigaddset(&waited_, signal);
  sigprocmask(SIG_BLOCK, &waited_, &old_mask_);
  // With an inherited SIG_IGN the kernel would reap the child and its status were lost.
  struct sigaction default_action = {};
  default_action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &default_action, &old_child_action_);
  blocking_ = true;

  pid_ = fork();
  if (pid_ == 0) Exec(command, environment, error_pipe[1]);
  int error = pid_ < 0 ? errno : 0;
  close(error_pipe[1]);
  if (error == 0) {
    // Nothing to read: the pipe was closed by a successful exec.
    ssize_t got;
    do {
      got = read(error_pipe[0], &error, sizeof(error));
    } while (got < 0 && errno == EINTR);
    if (got != sizeof(error)) error = 0;
    if (error != 0) waitpid(pid_, nullptr, 0);
  }
  close(error_pipe[0]);
  return error;
}

void SupervisedProcess::Exec(const std::vector<std::string>& command,
                             const EnvironmentBlock& environment, int error_pipe) const {
  const auto entries = environment.Entries();
  sigaction(SIGCHLD, &old_child_action_, nullptr);
  sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
  execvpe(command[0].c_str(), Pointers(command).data(), Pointers(entries).data());
  const int error = errno;
  // If even this write fails, the exit code below still says that nothing ran.
  (void)!write(error_pipe, &error, sizeof(error));
  _exit(127);
}

ProcessEnd SupervisedProcess::Wait() {
  for (;;) {
    siginfo_t info;
    const int signal = sigwaitinfo(&waited_, &info);
    if (signal == SIGCHLD) {
      if (const auto end = Reap()) return *end;
    } else if (signal > 0 && SentByProcess(info)) {
      kill(pid_, signal);
    }
  }
}

std::optional<ProcessEnd> SupervisedProcess::Reap() const {
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG | WUNTRACED) == pid_) {
    if (WIFEXITED(status)) return ProcessEnd{WEXITSTATUS(status), std::nullopt};
    if (WIFSIGNALED(status)) return ProcessEnd{std::nullopt, WTERMSIG(status)};
    if (WIFSTOPPED(status) && IsJobControlStop(WSTOPSIG(status))) raise(SIGSTOP);
  }
  return std::nullopt;
}

}  // namespace graphtap::launcher
