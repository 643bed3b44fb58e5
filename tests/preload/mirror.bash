# Sourced behind common.bash: the cases of the job `mirror`.

# expect_mirror LIST LEAST: each case that `mirror LIST` names, at least LEAST, on one stream and on
# three, every replay and some, with the host ahead: each sampled replay shows its values. Each run
# is handed to `also` before it goes.
expect_mirror() {
  with_cuda "$build/jobs/mirror" "$1" >cases
  (($(wc -l <cases) >= $2)) || fail "only $(wc -l <cases) cases"
  local name loss streams replays job run may_lose least
  while read -r name loss; do
    for streams in 1 3; do
      replays=every:1
      ((streams == 1)) || replays=2-9,every:4
      job=(mirror --case "$name" --streams "$streams" --truth truth)
      run=run-$name-$streams
      plain "${job[@]}"
      probed "$run" 'all=hash+copy:16' "$replays" "${job[@]}"
      may_lose=($loss)
      ((streams == 1)) || may_lose+=(stream_changed) # the first that follows an unobserved one
      least=$(grep -c words truth)
      ((streams == 1)) || least=$((least / 4))
      [[ $loss != mirror_stale ]] || least=10
      expect_values "$run" truth --least "$least" --may-lose "${may_lose[@]}"
      also "$run"
      rm -r "$run"
    done
  done <cases
}
