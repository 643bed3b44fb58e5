# torch.cuda.make_graphed_callables: forward and backward of two layers as graphs, between them eager work.
import torch
import torch.nn as nn

torch.manual_seed(0)
first, second = nn.Linear(128, 256).cuda(), nn.Sequential(nn.GELU(), nn.Linear(256, 32)).cuda()
samples = ((torch.randn(16, 128, device="cuda"),), (torch.randn(16, 256, device="cuda", requires_grad=True),))
graphed = torch.cuda.make_graphed_callables((first, second), samples)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.01)
for _ in range(6):
    optimizer.zero_grad(set_to_none=True)
    hidden = graphed[0](torch.randn(16, 128, device="cuda"))
    loss = graphed[1](hidden * 0.5).square().mean()
    loss.backward()
    optimizer.step()
    print("loss", loss.item())
