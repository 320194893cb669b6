"""Layers whose weight is computed from other parameters."""

import torch
import torch.nn.functional as F
from torch.nn.utils import parametrizations


def cases(case):
    weight_norm(case)
    spectral_norm(case)


def weight_norm(case):
    def norm(v, dim):
        if dim is None:
            return torch.linalg.vector_norm(v)
        return torch.linalg.vector_norm(v, dim=[d for d in range(v.dim()) if d != dim], keepdim=True)

    linear = lambda dim: lambda x, p: F.linear(x["x"], (p["layer.weight"] * p["magnitude"] / norm(p["layer.weight"], dim)).T,
                                               p["layer.bias"])
    for name, dim, shape in [("Output", 1, (1, 3)), ({"Dim": 0}, 0, (4, 1)), ("Whole", None, (1, 1))]:
        params = {"layer.weight": torch.randn(4, 3), "layer.bias": torch.randn(3), "magnitude": torch.randn(*shape)}
        case(f"weight_norm_of_linear_{dim}", "WeightNormLinear", linear(dim), {"x": torch.randn(2, 4)}, params,
             {"dim": name, "d_input": 4, "d_output": 3})

    # The initial magnitude, which is not among the parameters: PyTorch's own parametrization of the same weight.
    module = torch.nn.Conv2d(2, 3, 2)
    weight, bias = module.weight.detach().clone(), module.bias.detach().clone()
    parametrizations.weight_norm(module)
    params = {"layer.weight": weight, "layer.bias": bias, "magnitude": module.parametrizations.weight.original0}
    forward = lambda x, p: F.conv2d(x["x"], p["layer.weight"] * p["magnitude"] / norm(p["layer.weight"], 0), p["layer.bias"])
    case("weight_norm_of_conv2d", "WeightNormConv2d", forward, {"x": torch.randn(1, 2, 3, 3)}, params,
         {"dim": "Output", "channels": [2, 3], "kernel_size": [2, 2]})


def spectral_norm(case):
    def estimate(weight, dim, left, right, iterations, eps):
        """The weight over its largest singular value, and the vectors of the power iteration."""
        matrix = weight.movedim(dim, 0).flatten(1)
        for _ in range(iterations):
            left = F.normalize(matrix.detach() @ right, dim=0, eps=eps)
            right = F.normalize(matrix.detach().T @ left, dim=0, eps=eps)
        return weight / (left @ (matrix @ right)), left, right

    def singular_vectors(weight, dim):
        u, _, v = torch.linalg.svd(weight.movedim(dim, 0).flatten(1), full_matrices=False)
        return {"left": u[:, 0], "right": v[0]}

    def linear(iterations):
        def run(x, p):
            weight, _, _ = estimate(p["layer.weight"], 1, p["left"].detach(), p["right"].detach(), iterations, 1e-12)
            return F.linear(x["x"], weight.T, p["layer.bias"])

        return run

    def statistics(x, p):
        p = {name: value.detach() for name, value in p.items()}
        weight, left, right = estimate(p["layer.weight"], 1, p["left"], p["right"], 2, 1e-12)
        return F.linear(x["x"], weight.T, p["layer.bias"]), left, right

    unit = lambda size: F.normalize(torch.randn(size), dim=0)
    weight = {"layer.weight": torch.randn(4, 3), "layer.bias": torch.randn(3)}
    vectors = {"left": unit(3), "right": unit(4)}
    config = {"d_input": 4, "d_output": 3, "power_iterations": 2}
    x = {"x": torch.randn(2, 4)}
    # Power iterations see the weight, which has no gradient through them: central differences agree with the gradient where
    # the vectors have converged.
    case("spectral_norm_of_linear", "SpectralNormLinear", linear(2), x,
         weight | singular_vectors(weight["layer.weight"], 1), config)
    case("spectral_norm_statistics_of_linear", "SpectralNormLinearStatistics", statistics, x, weight | vectors, config,
         constants=("x",))
    case("spectral_norm_of_linear_in_evaluation", "SpectralNormLinearEvaluation", linear(0), x, weight | vectors, config)

    # Another row dimension, against PyTorch's module in training.
    module = torch.nn.Conv2d(2, 3, 2)
    params = {"layer.weight": module.weight.detach().clone(), "layer.bias": module.bias.detach().clone()}
    params |= singular_vectors(params["layer.weight"], 1)
    parametrizations.spectral_norm(module, dim=1, n_power_iterations=1)
    norm = module.parametrizations.weight[0]
    norm._u.copy_(params["left"])
    norm._v.copy_(params["right"])
    inputs = {"x": torch.randn(1, 2, 3, 3)}
    expected = module(inputs["x"])

    def conv(x, p):
        weight, _, _ = estimate(p["layer.weight"], 1, p["left"].detach(), p["right"].detach(), 1, 1e-12)
        y = F.conv2d(x["x"], weight, p["layer.bias"])
        torch.testing.assert_close(y, expected)
        return y

    config = {"channels": [2, 3], "kernel_size": [2, 2], "dim": 1}
    case("spectral_norm_of_conv2d", "SpectralNormConv2d", conv, inputs, params, config)
