# cuBLAS, cuDNN and NCCL (one rank) inside one capture.
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F

os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")
torch.backends.cudnn.deterministic = True
torch.cuda.set_device(0)
dist.init_process_group("nccl", rank=0, world_size=1)
torch.manual_seed(0)
image, kernel = torch.randn(8, 16, 32, 32, device="cuda"), torch.randn(32, 16, 3, 3, device="cuda")
weight = torch.randn(32, 64, device="cuda", dtype=torch.bfloat16)


def step():
    y = F.relu(F.conv2d(image, kernel, padding=1)).mean((2, 3))
    z = y.bfloat16() @ weight
    dist.all_reduce(z)
    return z


for _ in range(2):
    step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    out = step()
for i in range(5):
    image.mul_(0.9)
    graph.replay()
    print(i, out.double().sum().item())
torch.cuda.synchronize()
del graph
dist.destroy_process_group()
