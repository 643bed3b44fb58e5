# As inference servers do: one graph a batch size, largest first, all in one pool, then requests of any size, padded
# to the next graph, with the caches updated in place.
import torch
import torch.nn.functional as F

torch.manual_seed(0)
WIDTH, LAYERS, SIZES = 256, 8, [1, 2, 4, *range(8, 129, 8)]
weights = [torch.randn(WIDTH, WIDTH, device="cuda") / 16 for _ in range(LAYERS)]
cache = torch.zeros(LAYERS, max(SIZES), WIDTH, device="cuda")
x = torch.zeros(max(SIZES), WIDTH, device="cuda")


def forward(size):
    h = x[:size]
    for layer, weight in enumerate(weights):
        cache[layer, :size].mul_(0.5).add_(h)
        h = F.silu(cache[layer, :size] @ weight) + h
    return h


with torch.inference_mode():
    forward(max(SIZES))
    torch.cuda.synchronize()
    pool, graphs = torch.cuda.graph_pool_handle(), {}
    for size in sorted(SIZES, reverse=True):
        graphs[size] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graphs[size], pool=pool):
            output = forward(size)
        graphs[size].output = output
    generator, total = torch.Generator().manual_seed(1), 0.0
    for _ in range(60):
        asked = int(torch.randint(1, max(SIZES) + 1, (1,), generator=generator))
        size = next(s for s in SIZES if s >= asked)
        x[:asked] = torch.randn(asked, WIDTH, generator=generator).cuda()
        graphs[size].replay()
        total += graphs[size].output[:asked].double().sum().item()
print("total", total, "cache", cache.double().sum().item())
