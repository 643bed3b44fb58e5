#!/usr/bin/env bash
# The job's own graphs have more nodes where GRAPHTAP_INPLACE=1 puts probes into them, and only
# there; what the driver refuses with probes is done without, and counted.
source "$(dirname "$0")/common.bash"
needs_stand_in

for name in choosing allocating; do
  job=(mirror --case "$name" --replays 4 --nodes)
  plain "${job[@]}"
  probed "default-$name" all=hash every:1 "${job[@]}"
  expect_counts "default-$name" 'c["sampled"]' 0
  read -r _ _ own <<<"$(grep nodes plain)"
  HOSTCUDA_TWINS=$(twins_of mirror) with_cuda expect_status 0 "$graphtap" run -o "in-place-$name" \
    --inplace --log quiet -p all=hash --replays every:1 -- "$build/jobs/mirror" "${job[@]:1}"
  read -r _ _ more <<<"$(grep nodes out)"
  ((more > own)) || fail "$name: $own nodes, $more with probes"
  expect_counts "in-place-$name" 'c["sampled"], c["losses"]' "(4, {})"
  expect_json "in-place-$name" info 'max(g["nodes"] for g in r["processes"][0]["graphs"]) <= '"$((own + 9))" True
done

# refused FAILURE REASON: of a job whose graph has conditional nodes.
refused() {
  job=(mirror --case choosing --replays 4)
  plain "${job[@]}"
  HOSTCUDA_FAIL=$1 GRAPHTAP_INPLACE=1 probed "refused-$2" all=hash every:1 "${job[@]}"
  expect_json "refused-$2" info '[s["skip"] for s in r["processes"][0]["probes"]["shadows"]]' "['$2']"
  expect_counts "refused-$2" 'c["sampled"]' 0
}
refused cuGraphInstantiateWithFlags:1:2 conditional_nodes
refused cuGraphAddKernelNode:9:2 graft_failed
