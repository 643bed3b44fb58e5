# Replays a graph whose kernel runs for many seconds. Prints its process once that is on its way, and the sum then.
import os

import torch

CYCLES = 15 * 2_000_000_000  # of at most 2 GHz
x = torch.ones(4, device="cuda")
torch.cuda._sleep(1)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda._sleep(CYCLES)
    x += 1
graph.replay()
print("process", os.getpid(), flush=True)
torch.cuda.synchronize()
print("sum", x.sum().item())
