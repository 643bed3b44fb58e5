#!/usr/bin/env bash
# `graphtap run` exits as the job does, and with 126 or 127 when there is none.
source "$(dirname "$0")/common.bash"

expect_status 0 "$graphtap" run -- true
expect_status 7 "$graphtap" run -- sh -c 'exit 7'
expect_status 137 "$graphtap" run -- sh -c 'kill -KILL $$'
expect_status 143 "$graphtap" run -- sh -c 'kill -TERM $$'

expect_status 127 "$graphtap" run -o missing -- no-such-command
expect_equal "$(<err)" "graphtap run: 'no-such-command': no such command" "line"
expect_status 126 "$graphtap" run -o missing -- /etc/passwd
expect_status 126 "$graphtap" run -o missing -- /
[[ ! -e missing ]] || fail "a folder was made although nothing was started"

# Found, but the kernel cannot start it.
printf '#!/no/such/interpreter\n' >script
chmod +x script
expect_status 127 "$graphtap" run -o missing -- ./script
grep -q "'./script': No such file" err || fail "line: $(<err)"
