# Asks for more memory than a GPU has, and goes on. Prints what PyTorch says that it holds then.
import torch

kept = [torch.ones(1 << 20, device="cuda") for _ in range(3)]
try:
    torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
except torch.OutOfMemoryError:
    print("allocated", torch.cuda.memory_allocated(), "reserved", torch.cuda.memory_reserved())
print("sum", sum(kept).sum().item())
