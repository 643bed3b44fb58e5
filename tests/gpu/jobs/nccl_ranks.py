# Two ranks, one GPU each, with collectives in a captured training step.
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, ranks):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29512", RANK=str(rank), WORLD_SIZE=str(ranks))
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=ranks)
    torch.manual_seed(0)
    w = torch.randn(256, 64, device="cuda") / 16
    torch.manual_seed(1 + rank)
    x = torch.randn(32, 256, device="cuda")
    gradient, gathered = torch.zeros_like(w), torch.zeros(ranks, 64, device="cuda")

    def step():
        y = torch.tanh(x @ w)
        gradient.copy_(x.t() @ (y * (1 - y * y)))
        dist.all_reduce(gradient)
        w.sub_(gradient, alpha=1e-3)
        dist.all_gather_into_tensor(gathered, y.mean(0))

    for _ in range(2):
        step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        step()
    for _ in range(20):
        graph.replay()
    torch.cuda.synchronize()
    sums = [None] * ranks
    dist.all_gather_object(sums, (w.double().sum().item(), gathered.double().sum().item()))
    if rank == 0:
        print("sums", sums)
    del graph
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(work, args=(2,), nprocs=2)
