#!/usr/bin/env bash
# Whatever a job does to an executable, each sampled replay shows its values.
source "$(dirname "$0")/common.bash"
source "$(dirname "$0")/mirror.bash"

also() { :; }
expect_mirror --list 30
