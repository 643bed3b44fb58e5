# Sourced before common.bash by a script that mounts: it goes on in a mount namespace of its own, so
# that what it mounts ends with it. Without the right to, it fails and says so.
if [[ ${OWN_MOUNTS:-} != $$ ]]; then
  unshare -m true || {
    echo "FAILED: this test mounts file systems: run it as root (CAP_SYS_ADMIN)" >&2
    exit 1
  }
  export OWN_MOUNTS=$$
  exec unshare -m "$0" "$@" # the process stays the same one
fi
unset OWN_MOUNTS
