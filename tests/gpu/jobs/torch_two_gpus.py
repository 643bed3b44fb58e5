# One process, two GPUs: a graph on each, replayed in turn and from two threads.
import threading

import torch

graphs, states = [], []
for device in range(2):
    with torch.cuda.device(device):
        torch.manual_seed(device)
        w, x = torch.randn(256, 256, device="cuda") / 16, torch.randn(64, 256, device="cuda")
        torch.tanh(x @ w)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            x.copy_(torch.tanh(x @ w) + x * 0.5)
        graphs.append(graph)
        states.append(x)


def replay(device, times):
    with torch.cuda.device(device):
        for _ in range(times):
            graphs[device].replay()
        torch.cuda.synchronize()


for i in range(10):
    replay(i % 2, 1)
threads = [threading.Thread(target=replay, args=(device, 50)) for device in range(2)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print("sums", [x.double().sum().item() for x in states])
