# Four steps of a model, in ranges "step" (--eager), or three of them and the fourth as a graph. --plant: in that
# one layer calculates something else. Prints a sum that is equal in both.
#   torch_twin.py resnet18|transformer [--eager] [--plant]
import os
import sys

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
import torch

STEPS = 4
torch.manual_seed(0)
torch.use_deterministic_algorithms(True, warn_only=True)
torch.backends.cudnn.benchmark = False
for switch in (torch.backends.cuda.enable_flash_sdp, torch.backends.cuda.enable_mem_efficient_sdp,
               torch.backends.cuda.enable_cudnn_sdp):
    switch(False)  # their backward passes are not deterministic
name, plant = sys.argv[1], "--plant" in sys.argv


def resnet18():
    import torchvision

    model = torchvision.models.resnet18(weights=None).cuda().eval()
    images = torch.randn(8, 3, 64, 64, device="cuda")

    def step():
        with torch.no_grad():
            return model(images)

    return step, model.layer2[0].bn1


def transformer():
    import transformers

    config = transformers.ViTConfig(hidden_size=192, num_hidden_layers=4, num_attention_heads=3, intermediate_size=384,
                                    image_size=64, patch_size=16, num_labels=10, attn_implementation="sdpa",
                                    problem_type="single_label_classification")
    model = transformers.ViTForImageClassification(config).cuda().train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, foreach=False)
    images = torch.randn(4, 3, 64, 64, device="cuda")
    labels = torch.tensor([1, 2, 3, 4], device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = model(pixel_values=images, labels=labels).loss
        loss.backward()
        optimizer.step()
        return loss

    return step, [module for module in model.modules() if isinstance(module, torch.nn.LayerNorm)][3]


step, norm = {"resnet18": resnet18, "transformer": transformer}[name]()
if "--eager" in sys.argv:
    for _ in range(STEPS):
        with torch.cuda.nvtx.range("step"):
            result = step()
else:
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(STEPS - 1):
            step()
    torch.cuda.current_stream().wait_stream(side)
    norm.eps = 1e-2 if plant else norm.eps
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = step()
    graph.replay()
torch.cuda.synchronize()
print(name, result.double().sum().item())
