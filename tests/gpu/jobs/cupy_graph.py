# CuPy: a capture of its own stream with elementwise kernels, a reduction and a raw kernel.
import cupy as cp

cp.random.seed(0)
scale = cp.RawKernel(
    'extern "C" __global__ void scale(const float* x, float* y, float a, int n) {'
    "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i]; }", "scale")
n = 256
x, w = cp.random.rand(n, n, dtype=cp.float32), cp.random.rand(n, n, dtype=cp.float32)
y, z, rows = cp.empty_like(x), cp.empty_like(x), cp.empty(n, dtype=cp.float32)


def step():
    cp.multiply(x, w, out=y)
    cp.tanh(y, out=z)
    cp.sum(z, axis=1, out=rows)
    scale((n * n // 256,), (256,), (z, x, cp.float32(0.5), cp.int32(n * n)))


stream = cp.cuda.Stream(non_blocking=True)
with stream:
    step()
    stream.synchronize()
    stream.begin_capture()
    step()
    graph = stream.end_capture()
    for _ in range(6):
        graph.launch(stream)
    stream.synchronize()
    print("sums", float(x.sum()), float(y.sum()), float(z.sum()), float(rows.sum()))
