"""What PyTorch takes on a GPU for the workloads of crates/burn-cuda/benches/bars.rs and models.rs, and CUDA for those of
crates/burn-wgpu/benches/vulkan.rs.

Reads lines of a name and our microseconds, tab between, measures the same in PyTorch, and prints a table: ratios are our
time divided by PyTorch's, `at most` the target for it. Where there are lines of crates/burn-tch/benches/times.rs, the backend over
LibTorch has a column.
"""

import math
import statistics
import sys
import time

import torch
from models import Guide, training
from torch import nn
from torch.nn import functional

DTYPES = {"tf32": torch.float32, "f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16, "f16": torch.float16}

VULKAN, VULKAN_BAR = "vulkan ", 1.3

# Before the name of a workload that is a layer of `burn-nn` and not written by hand, and the target for its time divided by the other.
LAYER, LAYER_BAR = "nn ", 1.05

# Before the name of a workload that the backend over LibTorch runs.
LIBTORCH = "libtorch "

# Behind the name of a workload that is measured as `torch.compile` makes it.
COMPILED = ", compiled"


def random(dtype, *shape):
    return torch.randn(shape, device="cuda", dtype=DTYPES[dtype])


def matmul(dtype, size):
    x, y = random(dtype, size, size), random(dtype, size, size)
    return lambda: x @ y


def of_one(function, dtype, *shape):
    x = random(dtype, *shape)
    return lambda: function(x)


def gelu(x):
    return x * ((x / math.sqrt(2)).erf() + 1) / 2


def convolution(dtype, with_gradients, order=torch.contiguous_format):
    x, weight = (x.to(memory_format=order) for x in (random(dtype, 64, 64, 56, 56), random(dtype, 64, 64, 3, 3)))
    if not with_gradients:
        return lambda: functional.conv2d(x, weight, padding=1)
    x.requires_grad_(), weight.requires_grad_()

    def run():
        y = functional.conv2d(x, weight, padding=1)
        torch.autograd.grad(y, [x, weight], y.detach())

    return run


def attention(dtype, with_gradients):
    query, key, value = (random(dtype, 8, 16, 2048, 64) for _ in range(3))
    if not with_gradients:
        return lambda: functional.scaled_dot_product_attention(query, key, value)
    for x in (query, key, value):
        x.requires_grad_()

    def run():
        y = functional.scaled_dot_product_attention(query, key, value)
        torch.autograd.grad(y, [query, key, value], y.detach())

    return run


def transform(function, dtype, lines, n):
    x = torch.randn(lines, n, device="cuda", dtype=dtype)
    return lambda: function(x)


def eager(model):
    return model


def guide():
    def loss_of(model):
        images = torch.randn(64, 28, 28, device="cuda")
        return functional.cross_entropy(model(images), torch.randint(0, 10, (64,), device="cuda"))

    return training(Guide().cuda(), eager, loss_of)


def encoder(dtype):
    layer = nn.TransformerEncoderLayer(1024, 16, 4096, dropout=0.0, batch_first=True)
    model = nn.TransformerEncoder(layer, 12, enable_nested_tensor=False).to("cuda", DTYPES[dtype])
    x, targets = random(dtype, 32, 512, 1024), random(dtype, 32, 512, 1024)
    return training(model, eager, lambda model: functional.mse_loss(model(x), targets))


class Lstm(nn.Module):
    """The outputs of a layer alone."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(512, 512, batch_first=True)

    def forward(self, x):
        return self.lstm(x)[0]


def lstm():
    x, targets = random("f32", 64, 128, 512), random("f32", 64, 128, 512)
    return training(Lstm().cuda(), eager, lambda model: functional.mse_loss(model(x), targets))


def matrices(along, *shape):
    return random("f32", *shape) + along * torch.eye(shape[-1], device="cuda")


def linear_algebra():
    def solve():
        a, b = matrices(1, 1024, 1024), random("f32", 1024, 1)
        return lambda: torch.linalg.solve_ex(a, b)

    def of(function, along, *shape):
        def make():
            x = matrices(along, *shape)
            x = x if function is torch.linalg.qr or function is torch.linalg.svd else (x + x.mT) / 2
            return lambda: function(x)

        return (1.5, make)

    return {
        "solve 1024": (1.5, solve),
        "cholesky 1024": of(torch.linalg.cholesky_ex, 200, 1024, 1024),
        "qr 1024": of(torch.linalg.qr, 1, 1024, 1024),
        "qr 64 x 32": of(torch.linalg.qr, 1, 64, 32, 32),
        "eigh 256": of(torch.linalg.eigh, 1, 256, 256),
        "svd 256": of(torch.linalg.svd, 1, 256, 256),
        "cholesky 64 x 32": of(torch.linalg.cholesky_ex, 20, 64, 32, 32),
        "eigh 64 x 32": of(torch.linalg.eigh, 1, 64, 32, 32),
        "svd 64 x 32": of(torch.linalg.svd, 1, 64, 32, 32),
    }


def workloads():
    """By name: the bar, and what makes the call."""
    found = {}
    for dtype in ["tf32", "bf16", "f16"]:
        for size in [4096, 8192]:
            found[f"matmul {dtype} {size}"] = (1.05, lambda d=dtype, s=size: matmul(d, s))
    found["matmul f64 4096"] = (1.05, lambda: matmul("f64", 4096))
    for dtype in ["f32", "bf16"]:
        chain = torch.compile(gelu)
        found[f"gelu chain {dtype}{COMPILED}"] = (1.05, lambda d=dtype, f=chain: of_one(f, d, 32, 512, 2048))
        for name, function, shape in [
            ("softmax", lambda x: x.softmax(1), (8192, 4096)),
            ("layer norm", lambda x: functional.layer_norm(x, [1024]), (16384, 1024)),
        ]:
            compiled = torch.compile(function)
            found[f"{name} {dtype}"] = (1.0, lambda f=function, d=dtype, s=shape: of_one(f, d, *s))
            found[f"{name} {dtype}{COMPILED}"] = (1.2, lambda f=compiled, d=dtype, s=shape: of_one(f, d, *s))
        for dim, place in [(1, "last"), (0, "first")]:
            found[f"sum {place} {dtype}"] = (1.0, lambda d=dtype, n=dim: of_one(lambda x: x.sum(n), d, 8192, 8192))
    for dtype in ["f32", "tf32", "bf16"]:
        found[f"conv {dtype}"] = (1.1, lambda d=dtype: convolution(d, False))
        found[f"conv step {dtype}"] = (1.2, lambda d=dtype: convolution(d, True))
    for dtype in ["tf32", "bf16"]:
        for name, bar, with_gradients in [("conv", 1.1, False), ("conv step", 1.2, True)]:
            make = lambda d=dtype, g=with_gradients: convolution(d, g, torch.channels_last)
            found[f"{name} channels last {dtype}"] = (bar, make)
        found[f"attention {dtype}"] = (1.2, lambda d=dtype: attention(d, False))
        found[f"attention step {dtype}"] = (1.2, lambda d=dtype: attention(d, True))
    for function, dtype, sizes in [
        (torch.fft.rfft, torch.float32, [(256, 4096), (4096, 1000)]),
        (torch.fft.fft, torch.complex64, [(64, 65536), (4096, 1000), (1024, 4099)]),
        (torch.fft.fft, torch.complex128, [(4096, 1000)]),
    ]:
        name = "f64" if dtype == torch.complex128 else "f32"
        for lines, n in sizes:
            make = lambda f=function, d=dtype, m=lines, k=n: transform(f, d, m, k)
            found[f"{function.__name__.removeprefix('fft_')} {lines} x {n} {name}"] = (1.5, make)
    found.update(linear_algebra())
    found["guide step"] = (0.5, guide)
    for dtype in ["tf32", "bf16"]:
        found[f"encoder step {dtype}"] = (1.0, lambda d=dtype: encoder(d))
        found[f"{LAYER}encoder step {dtype}"] = (1.0, lambda d=dtype: encoder(d))
    for dtype in ["f32", "tf32"]:
        found[f"lstm step {dtype}"] = (1.1, lstm)
    return found


def median(call):
    def run(rounds):
        start = time.perf_counter()
        for _ in range(rounds):
            call()
        torch.cuda.synchronize()
        return (time.perf_counter() - start) / rounds

    # A device that rested is slower at first.
    start = time.perf_counter()
    while time.perf_counter() - start < 0.2:
        run(2)
    rounds = int(min(max(0.05 / run(2), 1), 200))
    return statistics.median(run(rounds) for _ in range(7)) * 1e6


def compare(ours, prefix, bar, columns):
    """A table of workloads with a prefix beside those of the same name without it."""
    names = [name for name in ours if name.startswith(prefix)]
    if names:
        print(f"\n| workload | {columns[0]}, us | {columns[1]}, us | ratio | at most | met |\n|---|---|---|---|---|---|")
    for name in names:
        other = name.removeprefix(prefix)
        ratio = float(ours[name]) / float(ours[other])
        met = "yes" if ratio <= bar else "no"
        print(f"| {other} | {float(ours[name]):.1f} | {float(ours[other]):.1f} | {ratio:.2f} | {bar} | {met} |")


def main():
    ours = dict(line.rstrip("\n").split("\t") for line in sys.stdin if line.count("\t") == 1)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}\n")
    has_libtorch = any(name.startswith(LIBTORCH) for name in ours)
    print(f"| workload | ours, us | {'LibTorch, us | ' * has_libtorch}PyTorch, us | ratio | at most | met |")
    print("|---|---|---|---|---|---|" + "---|" * has_libtorch)
    for named, (bar, make) in workloads().items():
        name = named.removesuffix(COMPILED)
        if name not in ours:
            continue
        allows_tf32 = not name.endswith(" f32")
        torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = allows_tf32
        theirs, own = median(make()), float(ours[name])
        ratio = own / theirs
        form = COMPILED if named.endswith(COMPILED) else ""
        met = "yes" if ratio <= bar else "no"
        leaf = f"{ours.get(LIBTORCH + name, '')} | " * has_libtorch
        print(f"| {name} | {own:.1f} | {leaf}{theirs:.1f}{form} | {ratio:.2f} | {bar} | {met} |", flush=True)
        torch.cuda.empty_cache()
    compare(ours, LAYER, LAYER_BAR, ["burn-nn", "by hand"])
    compare(ours, VULKAN, VULKAN_BAR, ["Vulkan", "CUDA"])


if __name__ == "__main__":
    main()
