# What PyTorch's profiler and its memory history say of a step, eagerly and replayed: counts of operators and kernels, and
# a sum over the entries of the history, addresses left out.
import collections
import zlib
import torch
from torch.profiler import ProfilerActivity, profile

torch.manual_seed(0)
torch.cuda.memory._record_memory_history(max_entries=100_000)
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU(), torch.nn.Linear(64, 8)).cuda()
x = torch.randn(16, 64, device="cuda")


def step():
    model.zero_grad(set_to_none=True)
    loss = model(x).pow(2).mean()
    loss.backward()
    return loss


side = torch.cuda.Stream()
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.synchronize()
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
    step()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()
counts = {"operators": collections.Counter(), "kernels": collections.Counter()}
for event in profiler.events():
    on_device = event.device_type == torch.autograd.DeviceType.CUDA
    if on_device or not event.name.startswith("cu"):
        counts["kernels" if on_device else "operators"][event.name] += 1
entries = [(entry["action"], entry["size"]) for trace in torch.cuda.memory._snapshot()["device_traces"] for entry in trace
           if entry["action"] != "snapshot"]
for kind, counter in counts.items():
    print(kind, sum(counter.values()), zlib.crc32(repr(sorted(counter.items())).encode()))
print("history", len(entries), zlib.crc32(repr(entries).encode()), "loss", loss.item())
