# Prints the milliseconds that the capture of a training step takes. --busy: beside a Python thread that never waits.
# --eager: those of the step itself, without a graph, in a range "step".
import statistics
import sys
import threading
import time
import torch

CAPTURES = 11
torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0, batch_first=True)
model = torch.nn.TransformerEncoder(layer, 12, enable_nested_tensor=False).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, capturable=True)
tokens = torch.randn(8, 128, 256, device="cuda")


def step():
    optimizer.zero_grad(set_to_none=False)
    loss = model(tokens).pow(2).mean()
    loss.backward()
    optimizer.step()


def spin(stopped):
    while not stopped.is_set():
        pass


side = torch.cuda.Stream()
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.synchronize()
stopped = threading.Event()
if "--busy" in sys.argv:
    threading.Thread(target=spin, args=(stopped,), daemon=True).start()
times = []
for _ in range(CAPTURES):
    graph = torch.cuda.CUDAGraph()
    start = time.perf_counter()
    if "--eager" in sys.argv:
        with torch.cuda.nvtx.range("step"):
            step()
            torch.cuda.synchronize()
    else:
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            step()
    times.append((time.perf_counter() - start) * 1e3)
    del graph
stopped.set()
print("capture", statistics.median(times))
