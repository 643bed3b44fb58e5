// Starts a program under a filter of system calls like those of containers: confined COMMAND…
// Looking into processes, mounting, key rings and the like are refused with EPERM, clone3 with
// ENOSYS, which makes glibc take clone.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

namespace {

constexpr long kRefused[] = {SYS_ptrace,
                             SYS_process_vm_readv,
                             SYS_process_vm_writev,
                             SYS_perf_event_open,
                             SYS_bpf,
                             SYS_kcmp,
                             SYS_pidfd_getfd,
                             SYS_userfaultfd,
                             SYS_mount,
                             SYS_unshare,
                             SYS_setns,
                             SYS_keyctl,
                             SYS_add_key,
                             SYS_request_key,
                             SYS_io_uring_setup,
                             SYS_syslog,
                             SYS_personality,
                             SYS_membarrier,
                             SYS_mbind,
                             SYS_move_pages};

sock_filter Statement(unsigned short code, unsigned value) { return BPF_STMT(code, value); }
sock_filter Jump(unsigned short code, unsigned value, unsigned char yes, unsigned char no) {
  return BPF_JUMP(code, value, yes, no);
}

void Refuse(long call, unsigned error, std::vector<sock_filter>* filter) {
  filter->push_back(Jump(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
  filter->push_back(Statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error));
}

bool Install() {
  std::vector<sock_filter> filter = {
      Statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const long call : kRefused) Refuse(call, EPERM, &filter);
  Refuse(SYS_clone3, ENOSYS, &filter);
  filter.push_back(Statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: confined COMMAND…\n");
    return 2;
  }
  if (!Install() || ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 || errno != EPERM) {
    std::perror("confined: the filter cannot be installed");
    return 1;
  }
  execvp(argv[1], argv + 1);
  std::perror("confined");
  return 127;
}
