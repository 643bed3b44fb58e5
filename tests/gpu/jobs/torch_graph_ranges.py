# torch.cuda.graph with NVTX ranges: around the capture and inside it.
import torch
import torch.nn.functional as F

torch.manual_seed(0)
a, b = torch.randn(64, 64, device="cuda"), torch.randn(64, 64, device="cuda")
F.softmax(a @ b, -1).sum()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.nvtx.range("attention_step"):
    with torch.cuda.graph(graph):
        with torch.cuda.nvtx.range("scores"):
            c = a @ b
        with torch.cuda.nvtx.range("weights"):
            d = F.softmax(c, -1)
            with torch.cuda.nvtx.range("scale"):
                d = d * 2
for _ in range(5):
    graph.replay()
torch.cuda.synchronize()
print("sum", d.double().sum().item())
