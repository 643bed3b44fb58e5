# A training step in one graph: a layer that is not in C order, a composite operator, an optimizer that writes in place.
import torch
import torch.nn.functional as F

torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 16, 10)
).cuda().to(memory_format=torch.channels_last)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
images = torch.randn(4, 3, 4, 4, device="cuda").to(memory_format=torch.channels_last)
labels = torch.tensor([1, 2, 3, 4], device="cuda")


def step():
    optimizer.zero_grad(set_to_none=True)
    loss = F.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = step()
for _ in range(5):
    graph.replay()
torch.cuda.synchronize()
print("loss", loss.item(), "weights", sum(p.double().sum().item() for p in model.parameters()))
