#!/usr/bin/env python3
"""Writes crates/burn-optim/tests/optimizers/torch.json: five steps of PyTorch's optimizers and schedulers, in float64.

Run it with PyTorch 2.11.0 from the root of the repository: python scripts/optim_fixtures.py
"""

import json
import pathlib

import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(7)

START = torch.randn(2, 3)
GRADS = [torch.randn(2, 3) for _ in range(5)]
LR = 0.03


def values(x):
    return x.detach().flatten().tolist()


def steps(optimizer, clip=None, **options):
    """The parameter after each of the steps."""
    x = torch.nn.Parameter(START.clone())
    optimizer = optimizer([x], lr=LR, **options)
    after = []
    for grad in GRADS:
        x.grad = grad.clone()
        if clip:
            clip([x])
        optimizer.step()
        after.append(values(x))
    return after


def rates(scheduler, lr, count, **options):
    """The learning rate of each of the steps."""
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=lr)
    scheduler = scheduler(optimizer, **options)
    found = []
    for _ in range(count):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return found


def main():
    optim, schedule, clip = torch.optim, torch.optim.lr_scheduler, torch.nn.utils
    optimizers = {
        "adam": steps(optim.Adam, eps=1e-5),
        "adam_decay": steps(optim.Adam, betas=(0.8, 0.95), weight_decay=0.1),
        "adamw": steps(optim.AdamW, weight_decay=0.2),
        "sgd": steps(optim.SGD),
        "sgd_decay": steps(optim.SGD, weight_decay=0.1),
        "sgd_momentum": steps(optim.SGD, momentum=0.9, dampening=0.2),
        "sgd_nesterov": steps(optim.SGD, momentum=0.9, nesterov=True, weight_decay=0.05),
        "rms_prop": steps(optim.RMSprop, alpha=0.9),
        "rms_prop_centered": steps(optim.RMSprop, alpha=0.9, centered=True, momentum=0.8, weight_decay=0.05),
        "clip_value": steps(optim.SGD, lambda xs: clip.clip_grad_value_(xs, 0.5)),
        "clip_norm": steps(optim.SGD, lambda xs: clip.clip_grad_norm_(xs, 1.0)),
    }
    schedulers = {
        "linear": rates(schedule.LinearLR, 0.5, 7, start_factor=0.2, end_factor=1.0, total_iters=5),
        "cosine": rates(schedule.CosineAnnealingLR, 0.5, 6, T_max=6, eta_min=0.1),
        "cosine_restarts": rates(schedule.CosineAnnealingWarmRestarts, 0.5, 12, T_0=3, T_mult=2, eta_min=0.1),
        "exponential": rates(schedule.ExponentialLR, 0.5, 6, gamma=0.9),
        "step": rates(schedule.StepLR, 0.5, 7, step_size=3, gamma=0.3),
        "multi_step": rates(schedule.MultiStepLR, 0.5, 7, milestones=[2, 5], gamma=0.3),
        "one_cycle": rates(schedule.OneCycleLR, 0.5, 12, max_lr=0.5, total_steps=13, cycle_momentum=False),
    }
    fixture = {"torch": torch.__version__.split("+")[0], "lr": LR, "start": values(START),
               "grads": [values(grad) for grad in GRADS], "optimizers": optimizers, "schedulers": schedulers}
    path = pathlib.Path("crates/burn-optim/tests/optimizers/torch.json")
    path.write_text(json.dumps(fixture, indent=1) + "\n")
    print(f"{path}: {len(optimizers)} optimizers, {len(schedulers)} schedulers")


if __name__ == "__main__":
    main()
