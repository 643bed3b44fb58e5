# A Triton kernel, launched by itself and captured in a CUDA graph that is replayed.
import torch
import triton
import triton.language as tl


@triton.jit
def scaled_add(x, y, out, n, scale, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) * scale + tl.load(y + at, mask=inside), mask=inside)


torch.manual_seed(0)
n = 100_000
x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
out = torch.empty_like(x)
grid = (triton.cdiv(n, 1024),)
scaled_add[grid](x, y, out, n, 2.0, BLOCK=1024)
torch.cuda.synchronize()
eager = out.clone()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    scaled_add[grid](x, y, out, n, 2.0, BLOCK=1024)
    scaled_add[grid](out, y, x, n, 0.5, BLOCK=1024)
for _ in range(10):
    graph.replay()
torch.cuda.synchronize()
print("eager", eager.double().sum().item(), "replayed", x.double().sum().item(), out.double().sum().item())
