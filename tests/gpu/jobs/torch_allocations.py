# Allocations as many as are asked for: several streams, record_stream, captures, and what is freed late.
# torch_allocations.py [events [--history]]: --history switches PyTorch's own memory history on.
import sys
import torch

events = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
history = "--history" in sys.argv
if history:
    torch.cuda.memory._record_memory_history(max_entries=1000)
streams = [torch.cuda.current_stream(), torch.cuda.Stream(), torch.cuda.Stream()]
generator = torch.Generator().manual_seed(0)
draws = torch.randint(0, 1 << 30, (events // 3, 3), generator=generator).tolist()
kept = []
for number, (size, where, chosen) in enumerate(draws):
    with torch.cuda.stream(streams[where % 3]):
        kept.append(torch.empty(1 + size % (1 << (4 + size % 18)), dtype=torch.uint8, device="cuda"))
    if chosen % 7 == 0:
        kept[-1].record_stream(streams[chosen % 3])
    if len(kept) > 200:
        kept.pop(chosen % len(kept))
    if number % (len(draws) // 8) == len(draws) // 16:
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = (torch.ones(1000, device="cuda") * 2).sum()
        graph.replay()
        torch.cuda.empty_cache()
torch.cuda.synchronize()
snapshot = torch.cuda.memory._snapshot()
traces = [entry for trace in snapshot["device_traces"] for entry in trace if entry["action"] != "snapshot"]
print("sum", out.item(), "allocated", torch.cuda.memory_allocated(), "history", len(traces))
