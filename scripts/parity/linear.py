"""Linear layers."""

import torch
import torch.nn.functional as F


def cases(case):
    forward = lambda x, p: F.linear(x["x"], p["weight"].T, p.get("bias"))
    config = {"d_input": 4, "d_output": 5, "bias": True}
    inputs = {"x": torch.randn(2, 3, 4)}
    case("linear", "Linear", forward, inputs, {"weight": torch.randn(4, 5), "bias": torch.randn(5)}, config)
    case("linear_without_bias", "Linear", forward, inputs, {"weight": torch.randn(4, 5)}, config | {"bias": False})

    bilinear = lambda x, p: F.bilinear(x["x1"], x["x2"], p["weight"], p.get("bias"))
    config = {"d_input1": 3, "d_input2": 2, "d_output": 4}
    inputs = {"x1": torch.randn(2, 2, 3), "x2": torch.randn(2, 2, 2)}
    weight, bias = {"weight": torch.randn(4, 3, 2)}, {"bias": torch.randn(4)}
    case("bilinear", "Bilinear", bilinear, inputs, weight | bias, config)
    case("bilinear_without_bias", "Bilinear", bilinear, inputs, weight, config | {"bias": False})

    sequential = lambda x, p: F.linear(F.relu(F.linear(x["x"], p["0.weight"].T, p["0.bias"])), p["2.weight"].T, p["2.bias"])
    params = {"0.weight": torch.randn(4, 6), "0.bias": torch.randn(6), "2.weight": torch.randn(6, 3), "2.bias": torch.randn(3)}
    config = {"sizes": [4, 6, 3]}
    case("sequential", "Sequential", sequential, {"x": torch.randn(5, 4)}, params, config)
