"""Activation functions."""

import torch
import torch.nn.functional as F


def cases(case):
    x = torch.randn(3, 4) * 2.5

    def pointwise(name, layer, function, config=None, x=x):
        case(name, layer, lambda x, p: function(x["x"]), {"x": x}, config=config or {})

    # PyTorch rounds 1 / alpha to float32.
    pointwise("celu", "Celu", lambda x: F.celu(x, 0.5), {"alpha": 0.5})
    pointwise("elu", "Elu", lambda x: F.elu(x, 0.7), {"alpha": 0.7})
    pointwise("elu_of_large_inputs", "Elu", lambda x: F.elu(x), {"alpha": 1.0}, torch.tensor([[800.0, -800.0, 1.5]]))
    pointwise("gelu", "Gelu", F.gelu, {"approximation": "None"})
    pointwise("gelu_tanh", "Gelu", lambda x: F.gelu(x, approximate="tanh"), {"approximation": "Tanh"})
    pointwise("glu", "Glu", F.glu, {"dim": -1})
    pointwise("glu_of_a_dimension", "Glu", lambda x: F.glu(x, 0), {"dim": 0}, torch.randn(4, 3))
    pointwise("hard_shrink", "HardShrink", lambda x: F.hardshrink(x, 0.8), {"lambda": 0.8})
    # The gradient of PyTorch's `hardsigmoid` is 1 / 6 rounded to float32.
    pointwise("hard_sigmoid", "HardSigmoid", lambda x: torch.clamp(x / 6 + 0.5, 0, 1))
    pointwise("hard_sigmoid_of_another_line", "HardSigmoid", lambda x: torch.clamp(0.3 * x + 0.4, 0, 1),
              {"alpha": 0.3, "beta": 0.4})
    pointwise("hard_swish", "HardSwish", F.hardswish)
    pointwise("hardtanh", "Hardtanh", F.hardtanh)
    pointwise("hardtanh_of_other_limits", "Hardtanh", lambda x: F.hardtanh(x, -2.0, 0.5), {"min": -2.0, "max": 0.5})
    pointwise("identity", "Identity", lambda x: x.clone())
    pointwise("leaky_relu", "LeakyRelu", lambda x: F.leaky_relu(x, 0.2), {"negative_slope": 0.2})
    pointwise("log_sigmoid", "LogSigmoid", F.logsigmoid)
    pointwise("log_softmax", "LogSoftmax", lambda x: F.log_softmax(x, 0), {"dim": 0})
    pointwise("mish", "Mish", F.mish)
    pointwise("relu", "Relu", F.relu)
    pointwise("relu6", "Relu6", F.relu6, x=x * 3)
    pointwise("selu", "Selu", F.selu)
    pointwise("sigmoid", "Sigmoid", torch.sigmoid)
    pointwise("silu", "Silu", F.silu)
    pointwise("soft_shrink", "SoftShrink", lambda x: F.softshrink(x, 0.8), {"lambda": 0.8})
    pointwise("softmax", "Softmax", lambda x: F.softmax(x, 1), {"dim": -1})
    pointwise("softmin", "Softmin", lambda x: F.softmin(x, 0), {"dim": 0})
    # PyTorch's threshold of 20 is out of reach, and then within reach.
    pointwise("softplus", "Softplus", lambda x: F.softplus(x, 0.5), {"beta": 0.5})
    pointwise("softplus_with_a_threshold", "Softplus", lambda x: F.softplus(x, 2.0, 1.0), {"beta": 2.0, "threshold": 1.0})
    pointwise("softsign", "Softsign", F.softsign)
    pointwise("tanh", "Tanh", torch.tanh)
    pointwise("tanh_shrink", "TanhShrink", F.tanhshrink)
    pointwise("threshold", "Threshold", lambda x: F.threshold(x, 0.3, -2.0), {"threshold": 0.3, "value": -2.0})

    prelu = lambda x, p: F.prelu(x["x"], p["alpha"])
    case("prelu", "PRelu", prelu, {"x": torch.randn(2, 3, 4)}, {"alpha": torch.randn(3)}, {"num_parameters": 3})
    case("prelu_of_one_slope", "PRelu", prelu, {"x": torch.randn(2, 3, 4)}, {"alpha": torch.randn(1)}, {})

    def swiglu(x, p):
        gate = F.linear(x["x"], p["linear_inner.weight"].T, p.get("linear_inner.bias"))
        return F.silu(gate) * F.linear(x["x"], p["linear_outer.weight"].T, p.get("linear_outer.bias"))

    weights = {f"linear_{side}.weight": torch.randn(4, 3) for side in ("inner", "outer")}
    biases = {f"linear_{side}.bias": torch.randn(3) for side in ("inner", "outer")}
    config = {"d_input": 4, "d_output": 3}
    case("swiglu", "SwiGlu", swiglu, {"x": torch.randn(2, 2, 4)}, weights, config)
    case("swiglu_with_bias", "SwiGlu", swiglu, {"x": torch.randn(2, 2, 4)}, weights | biases, config | {"bias": True})

    # The choice at run time: one activation of each kind.
    pointwise("activation_relu", "Activation", F.relu, "Relu")
    pointwise("activation_elu", "Activation", lambda x: F.elu(x, 0.5), {"Elu": {"alpha": 0.5}})
    pointwise("activation_softmax", "Activation", lambda x: F.softmax(x, 0), {"Softmax": {"dim": 0}})
    case("activation_prelu", "Activation", lambda x, p: F.prelu(x["x"], p["PRelu.alpha"]), {"x": torch.randn(2, 3)},
         {"PRelu.alpha": torch.randn(3)}, {"PRelu": {"num_parameters": 3}})
