#!/usr/bin/env bash
# A bad option: exit 125, one line, nothing started, nothing made.
source "$(dirname "$0")/common.bash"

# refuse TEXT OPTIONS…: the line has the text.
refuse() {
  local text=$1
  shift
  expect_status 125 "$graphtap" run "$@"
  expect_equal "$(wc -l <err)" 1 "lines for '$*'"
  grep -qF -- "$text" err || fail "'$*': no '$text' in: $(<err)"
}

touch_started=(-- touch started)
refuse "no command" -o folder
refuse "no command" -o folder --
refuse "'touch' is no option" -o folder touch started
refuse "'--nonsense' is no option" -o folder --nonsense "${touch_started[@]}"
refuse "--output" -o a -o b "${touch_started[@]}"
refuse "--output" -o -- touch started
refuse "GRAPHTAP_ZSTD='20': allowed is auto, 0" -o folder --zstd 20 "${touch_started[@]}"
refuse "GRAPHTAP_HOST_MB='0'" -o folder --host-mb 0 "${touch_started[@]}"
refuse "GRAPHTAP_SITE_BYTES='64Q'" -o folder --site-bytes 64Q "${touch_started[@]}"
refuse "GRAPHTAP_LOG='loud'" -o folder --log loud "${touch_started[@]}"
refuse "--meta 'key'" -o folder --meta key "${touch_started[@]}"
refuse "--meta 'a-b=c'" -o folder --meta a-b=c "${touch_started[@]}"
refuse "cannot be the run folder: " -o /dev/null "${touch_started[@]}"
GRAPHTAP_LOG=loud refuse "GRAPHTAP_LOG='loud'" -o folder "${touch_started[@]}"

rm out err
expect_equal "$(ls -A)" "" "files left"
