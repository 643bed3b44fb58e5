# torch.compile with CUDA graphs of its own, forward and backward, made to record again: for a second shape, and because
# a parameter moved to another address.
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 64)).cuda()
step = torch.compile(model, mode="reduce-overhead", dynamic=False)
inputs = [torch.randn(rows, 256, device="cuda") for rows in (32, 48)]
total = 0.0
for i in range(16):
    if i == 8:
        model[0].weight.data = model[0].weight.data.clone()
    torch.compiler.cudagraph_mark_step_begin()
    model.zero_grad(set_to_none=True)
    loss = step(inputs[i // 2 % 2]).square().mean()
    loss.backward()
    total += loss.item() + sum(p.grad.double().sum().item() for p in model.parameters())
print("total", total)
