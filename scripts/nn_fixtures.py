#!/usr/bin/env python3
"""Writes crates/burn-nn/tests/layers/torch.json: what PyTorch computes, in float64, for layers and losses.

Each case has an input, parameters, the output `y`, and gradients of `sum(y * cos(0, 1, 2, ..))`.
Run it with PyTorch 2.11.0 from the root of the repository: python scripts/nn_fixtures.py
"""

import json
import pathlib

import torch
import torch.nn.functional as F
from torch import nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(7)

CASES = {}


def tensor(x):
    return {"shape": list(x.shape), "values": x.detach().flatten().tolist()}


def case(name, forward, x, **params):
    """Runs `forward(x, **params)` and keeps everything."""
    x = x.clone().requires_grad_(x.is_floating_point())
    params = {key: value.detach().clone().requires_grad_() for key, value in params.items()}
    y = forward(x, **params)
    (y * torch.cos(torch.arange(y.numel(), dtype=y.dtype)).reshape(y.shape)).sum().backward()
    values = {"x": x, "y": y} | params
    if x.grad is not None:
        values["grad_x"] = x.grad
    values |= {f"grad_{key}": value.grad for key, value in params.items()}
    CASES[name] = {key: tensor(value) for key, value in values.items()}


def random(*shape):
    return torch.randn(*shape)


def layers():
    case("linear", lambda x, weight, bias: F.linear(x, weight.T, bias), random(2, 3, 4), weight=random(4, 5),
         bias=random(5))
    case("embedding", lambda x, weight: F.embedding(x, weight), torch.tensor([[1, 3, 1], [0, 4, 4]]), weight=random(5, 3))
    case("prelu", lambda x, alpha: F.prelu(x, alpha), random(2, 3, 4), alpha=random(3))
    case("leaky_relu", lambda x: F.leaky_relu(x, 0.2), random(2, 3))


def norms():
    module = nn.BatchNorm2d(3, eps=1e-3, momentum=0.2)
    running = {}

    def batch_norm(x, gamma, beta):
        mean, var = running["mean"], running["var"]
        return F.batch_norm(x, mean, var, gamma, beta, training=module.training, momentum=0.2, eps=1e-3)

    running |= {"mean": module.running_mean.clone(), "var": module.running_var.clone()}
    case("batch_norm_train", batch_norm, random(4, 3, 2, 5) * 2 + 1, gamma=random(3), beta=random(3))
    CASES["batch_norm_train"] |= {f"running_{key}": tensor(value) for key, value in running.items()}
    module.eval()
    running |= {"mean": random(3), "var": torch.rand(3) + 0.5}
    case("batch_norm_eval", batch_norm, random(4, 3, 5), gamma=random(3), beta=random(3))
    CASES["batch_norm_eval"] |= {f"running_{key}": tensor(value) for key, value in running.items()}
    case("layer_norm", lambda x, gamma, beta: F.layer_norm(x, (6,), gamma, beta, eps=1e-5), random(2, 3, 6),
         gamma=random(6), beta=random(6))
    case("group_norm", lambda x, gamma, beta: F.group_norm(x, 2, gamma, beta, eps=1e-5), random(2, 4, 3, 2),
         gamma=random(4), beta=random(4))
    case("instance_norm", lambda x, gamma, beta: F.instance_norm(x, weight=gamma, bias=beta, eps=1e-5),
         random(2, 4, 3, 2), gamma=random(4), beta=random(4))
    case("rms_norm", lambda x, gamma: F.rms_norm(x, (6,), gamma, eps=1e-5), random(2, 3, 6), gamma=random(6))


def losses():
    x, target = random(6, 4), torch.tensor([2, 0, 3, 1, 1, 0])
    weights = torch.tensor([1.0, 0.5, 2.0, 1.5])

    def cross_entropy(name, **options):
        case(name, lambda x: F.cross_entropy(x, target, **options).reshape(1), x)

    cross_entropy("cross_entropy")
    cross_entropy("cross_entropy_weights", weight=weights)
    cross_entropy("cross_entropy_smoothing", label_smoothing=0.1)
    cross_entropy("cross_entropy_pad", ignore_index=1)
    cross_entropy("cross_entropy_all", weight=weights, label_smoothing=0.2, ignore_index=0)
    other = random(3, 4)
    case("mse_mean", lambda x: F.mse_loss(x, other).reshape(1), random(3, 4))
    case("mse_sum", lambda x: F.mse_loss(x, other, reduction="sum").reshape(1), random(3, 4))
    case("huber", lambda x: F.huber_loss(x, other, delta=0.7).reshape(1), random(3, 4))
    for name in ["mse_mean", "mse_sum", "huber"]:
        CASES[name]["target"] = tensor(other)
    truth = torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    case("bce_logits", lambda x: F.binary_cross_entropy_with_logits(x, truth).reshape(1), random(2, 3))
    case("bce", lambda x: F.binary_cross_entropy(x, truth, weight=weights[:3]).reshape(1), torch.rand(2, 3))


def main():
    layers()
    norms()
    losses()
    lines = ",\n".join(f'"{name}": {json.dumps(values)}' for name, values in CASES.items())
    path = pathlib.Path("crates/burn-nn/tests/layers/torch.json")
    path.write_text(f'{{"torch": "{torch.__version__.split("+")[0]}",\n{lines}\n}}\n')
    print(f"{path}: {len(CASES)} cases")


if __name__ == "__main__":
    main()
