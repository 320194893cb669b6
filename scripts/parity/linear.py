"""Linear layers."""

import torch
import torch.nn.functional as F


def cases(case):
    forward = lambda x, p: F.linear(x["x"], p["weight"].T, p.get("bias"))
    config = {"d_input": 4, "d_output": 5, "bias": True}
    inputs = {"x": torch.randn(2, 3, 4)}
    case("linear", "Linear", forward, inputs, {"weight": torch.randn(4, 5), "bias": torch.randn(5)}, config)
    case("linear_without_bias", "Linear", forward, inputs, {"weight": torch.randn(4, 5)}, config | {"bias": False})
