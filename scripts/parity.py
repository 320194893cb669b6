#!/usr/bin/env python3
"""Writes the parity fixtures: what PyTorch computes, in float64, for layers and losses.

Each module of `scripts/parity/` has the cases of one family and gives one file,
`crates/burn-nn/tests/layers/parity/fixtures/<family>.jsonl`, with one case a line. A case has the layer's name and
its config as Burn writes it, inputs and parameters by name, the outputs, and the gradients of
`sum over outputs of sum(y * cos(0, 1, 2, ..))`. Parameters are named and laid out as in Burn's module. A module with a
function `write`, that of optimizers, writes a file of its own.

Run it with PyTorch 2.11.0 from the root of the repository: python scripts/parity.py [FAMILY...]
"""

import importlib
import json
import math
import pathlib
import sys

import torch

SCRIPTS = pathlib.Path(__file__).parent
FIXTURES = pathlib.Path("crates/burn-nn/tests/layers/parity/fixtures")


def tensor(x):
    """A tensor as JSON."""
    kind = "float" if x.is_floating_point() else "bool" if x.dtype == torch.bool else "int"
    values = x.detach().flatten().tolist()
    if kind == "float":
        # JSON has no infinities.
        values = [value if math.isfinite(value) else str(value) for value in values]
    return {"shape": list(x.shape), "kind": kind, "values": values}


def leaf(x):
    """A copy that collects a gradient, if it is of floats."""
    return x.detach().clone().requires_grad_(x.is_floating_point())


def objective(outputs):
    """The scalar whose gradients are compared."""
    floats = [y for y in outputs if y.is_floating_point()]
    return sum((y * torch.cos(torch.arange(y.numel(), dtype=y.dtype)).reshape(y.shape)).sum() for y in floats)


class Family:
    """The cases of one family."""

    def __init__(self):
        self.cases = {}

    def __call__(self, name, layer, forward, inputs, params=None, config=None, constants=(), differences=True):
        """Runs `forward(inputs, params)` and keeps what goes in and what comes out.

        `constants` names the inputs that get no gradient. A parameter that `forward` does not use has none either.
        `differences` says whether gradients agree with central differences too.
        """
        assert name not in self.cases, name
        inputs = {key: x if key in constants else leaf(x) for key, x in inputs.items()}
        params = {key: leaf(x) for key, x in (params or {}).items()}
        outputs = forward(inputs, params)
        outputs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
        loss = objective(outputs)
        if isinstance(loss, torch.Tensor) and loss.requires_grad:
            loss.backward()
        grads = lambda tensors: {key: tensor(x.grad) for key, x in tensors.items() if x.grad is not None}
        self.cases[name] = {
            "layer": layer,
            "config": config,
            "inputs": {key: tensor(x) for key, x in inputs.items()},
            "params": {key: tensor(x) for key, x in params.items()},
            "outputs": [tensor(y) for y in outputs],
            "input_grads": grads(inputs),
            "param_grads": grads(params),
            "differences": differences,
        }

    def write(self, path):
        lines = [json.dumps({"name": name} | case) + "\n" for name, case in self.cases.items()]
        path.write_text("".join(lines))
        print(f"{path}: {len(lines)} cases, {path.stat().st_size // 1024} KiB")


def main():
    assert torch.__version__.split("+")[0] == "2.11.0", f"the fixtures are of PyTorch 2.11.0, not {torch.__version__}"
    torch.set_default_dtype(torch.float64)
    sys.path.insert(0, str(SCRIPTS / "parity"))
    FIXTURES.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or sorted(path.stem for path in (SCRIPTS / "parity").glob("*.py")):
        torch.manual_seed(7)
        module = importlib.import_module(name)
        if hasattr(module, "write"):
            module.write()
            continue
        family = Family()
        module.cases(family)
        family.write(FIXTURES / f"{name}.jsonl")


if __name__ == "__main__":
    main()
