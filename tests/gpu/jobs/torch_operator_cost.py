# Prints the nanoseconds of an operator that allocates nothing, and of one that allocates and frees.
import statistics
import time
import torch

COUNT, ROUNDS = 20_000, 15
x = torch.empty(1024, device="cuda")
out = torch.empty(0, device="cuda")


def nanoseconds(body):
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        for _ in range(COUNT):
            body()
        times.append((time.perf_counter_ns() - start) / COUNT)
    return statistics.median(times)


torch.empty(1024, device="cuda")
print("view", nanoseconds(lambda: x.view(1024)), "empty", nanoseconds(lambda: torch.empty(1024, device="cuda")))
