"""Padding layers."""

import torch
import torch.nn.functional as F

MODES = {"ConstantPad": "constant", "ZeroPad": "constant", "ReflectionPad": "reflect", "ReplicationPad": "replicate",
         "CircularPad": "circular"}
SIZES = {1: (2, 2, 4), 2: (1, 2, 3, 4), 3: (1, 2, 3, 3, 4)}
SIDES = {1: [(2, 1)], 2: [(1, 0), (2, 3)], 3: [(0, 2), (1, 1), (2, 1)]}


def cases(case):
    for layer, mode in MODES.items():
        for n in (1, 2, 3):
            config = {"padding": [list(pair) for pair in SIDES[n]]}
            if layer == "ConstantPad":
                config["value"] = -1.5
            pads = [count for pair in reversed(SIDES[n]) for count in pair]
            value = {"value": config.get("value", 0.0)} if mode == "constant" else {}
            forward = lambda x, _, pads=pads, mode=mode, value=value: F.pad(x["x"], pads, mode=mode, **value)
            case(f"{layer.lower()}{n}d", f"{layer}{n}d", forward, {"x": torch.randn(*SIZES[n])}, config=config)
