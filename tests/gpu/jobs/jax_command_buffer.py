# A jitted JAX function whose kernels XLA puts into a command buffer (a CUDA graph), run several times.
import os

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_gpu_graph_min_graph_size=1 --xla_gpu_autotune_level=0"
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import jax
import jax.numpy as jnp


@jax.jit
def step(x, w):
    for _ in range(4):
        x = jnp.tanh(x @ w) + jnp.sin(x)
        x = x / jnp.linalg.norm(x, axis=1, keepdims=True)
    return x


key = jax.random.PRNGKey(0)
x = jax.random.normal(key, (128, 256))
w = jax.random.normal(key, (256, 256))
for _ in range(8):
    x = step(x, w)
print("sum", float(jnp.sum(x)), "first", float(x[0, 0]))
