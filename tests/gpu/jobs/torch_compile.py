# torch.compile with CUDA graphs of its own (CUDAGraph Trees), forward and backward, run several times.
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 64)).cuda()
step = torch.compile(model, mode="reduce-overhead")
x = torch.randn(32, 256, device="cuda")
for _ in range(6):
    torch.compiler.cudagraph_mark_step_begin()
    model.zero_grad(set_to_none=True)
    loss = step(x).square().mean()
    loss.backward()
torch.cuda.synchronize()
print("loss", loss.item(), "gradient", sum(p.grad.double().sum().item() for p in model.parameters()))
