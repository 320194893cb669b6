"""What PyTorch takes for the workloads of `benches`, eager, on two threads.

Reads one name of a workload a line, measures one batch of it, and prints one line of JSON with the
nanoseconds per call. With names as arguments it measures each fifteen times and prints the medians.
"""

import json
import statistics
import sys
import time

import torch
from torch import nn

BATCH_SECONDS = 0.02


def add_16():
    x, y = torch.randn(16), torch.randn(16)
    return lambda: x + y


def matmul(size):
    x, y = torch.randn(size, size), torch.randn(size, size)
    return lambda: x @ y


def chain_in_place():
    x, y = torch.randn(1024, 1024), torch.randn(1024, 1024)

    def run():
        for _ in range(4):
            x.mul_(0.5).add_(y).relu_()

    return run


class Guide(nn.Module):
    """The network of the book's guide."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3)
        self.conv2 = nn.Conv2d(8, 16, 3)
        self.pool = nn.AdaptiveAvgPool2d(8)
        self.dropout = nn.Dropout(0.5)
        self.linear1 = nn.Linear(1024, 512)
        self.linear2 = nn.Linear(512, 10)

    def forward(self, images):
        x = self.dropout(self.conv1(images[:, None]))
        x = self.dropout(self.conv2(x)).relu()
        x = self.pool(x).flatten(1)
        return self.linear2(self.dropout(self.linear1(x)).relu())


def guide_step():
    model = Guide()
    # A tiny rate: a model that has learnt its data makes denormal numbers, which are slow everywhere.
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-6)

    def run():
        images, targets = torch.randn(64, 28, 28), torch.randint(0, 10, (64,))
        loss = nn.functional.cross_entropy(model(images), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return run


@torch.no_grad()
def guide_inference():
    model = Guide().eval()
    images = torch.randn(64, 28, 28)

    @torch.no_grad()
    def run():
        return model(images)

    return run


def tape_chain():
    leaves = x, w, b = [torch.randn(16, requires_grad=True) for _ in range(3)]

    def run():
        y = x
        for _ in range(250):
            y = (y * w + b).tanh().sin()
        return torch.autograd.grad(y.sum(), leaves)

    return run


def tape_wide():
    x = torch.randn(64, requires_grad=True)
    leaves = [[torch.randn(64, requires_grad=True) for _ in range(2)] for _ in range(250)]
    every = [x] + [leaf for pair in leaves for leaf in pair]

    def run():
        total = None
        for w, b in leaves:
            branch = (x * w + b).sin()
            total = branch if total is None else total + branch
        return torch.autograd.grad(total.sum(), every)

    return run


WORKLOADS = {
    "add 16": add_16,
    "matmul 256": lambda: matmul(256),
    "matmul 1024": lambda: matmul(1024),
    "chain in place": chain_in_place,
    "guide step": guide_step,
    "guide inference": guide_inference,
    "tape chain 1000": tape_chain,
    "tape wide 1000": tape_wide,
}


class Batch:
    """Calls so many that one batch is long against the clock."""

    def __init__(self, call):
        self.call, self.calls = call, 1
        while self.seconds() < BATCH_SECONDS / 2:
            self.calls *= 2

    def seconds(self):
        start = time.perf_counter()
        for _ in range(self.calls):
            self.call()
        return time.perf_counter() - start

    def nanoseconds(self):
        return self.seconds() / self.calls * 1e9


def main():
    torch.set_num_threads(2)
    names = sys.argv[1:]
    if names:
        for name in names:
            batch = Batch(WORKLOADS[name]())
            times = [batch.nanoseconds() for _ in range(15)]
            print(json.dumps({"workload": name, "ns": statistics.median(times)}))
        return
    batches = {}
    for line in sys.stdin:
        name = line.strip()
        if name not in WORKLOADS:
            print(json.dumps({"workload": name, "error": "unknown workload"}), flush=True)
            continue
        if name not in batches:
            batches = {name: Batch(WORKLOADS[name]())}
        print(json.dumps({"workload": name, "ns": batches[name].nanoseconds()}), flush=True)


if __name__ == "__main__":
    main()
