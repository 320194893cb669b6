"""Normalization layers."""

import torch
import torch.nn.functional as F


def cases(case):
    batch_norm(case)
    affine = lambda size: {"gamma": torch.randn(size), "beta": torch.randn(size)}

    layer = lambda eps: lambda x, p: F.layer_norm(x["x"], (6,), p["gamma"], p.get("beta"), eps)
    case("layer_norm", "LayerNorm", layer(1e-5), {"x": torch.randn(2, 3, 6)}, affine(6), {"d_model": 6})
    case("layer_norm_without_bias", "LayerNorm", layer(1e-2), {"x": torch.randn(2, 3, 6)}, {"gamma": torch.randn(6)},
         {"d_model": 6, "epsilon": 1e-2, "bias": False})

    rms = lambda eps: lambda x, p: F.rms_norm(x["x"], (6,), p["gamma"], eps)
    case("rms_norm", "RmsNorm", rms(1e-5), {"x": torch.randn(2, 3, 6)}, {"gamma": torch.randn(6)}, {"d_model": 6})
    case("rms_norm_of_another_epsilon", "RmsNorm", rms(1e-1), {"x": torch.randn(2, 3, 6)}, {"gamma": torch.randn(6)},
         {"d_model": 6, "epsilon": 1e-1})

    group = lambda groups, eps: lambda x, p: F.group_norm(x["x"], groups, p.get("gamma"), p.get("beta"), eps)
    config = {"num_groups": 2, "num_channels": 4}
    case("group_norm", "GroupNorm", group(2, 1e-5), {"x": torch.randn(2, 4, 3, 2)}, affine(4), config)
    case("group_norm_without_affine", "GroupNorm", group(4, 1e-2), {"x": torch.randn(2, 4, 3, 2)}, {},
         {"num_groups": 4, "num_channels": 4, "epsilon": 1e-2, "affine": False})

    instance = lambda eps: lambda x, p: F.instance_norm(x["x"], weight=p.get("gamma"), bias=p.get("beta"), eps=eps)
    config = {"num_channels": 4}
    case("instance_norm", "InstanceNorm", instance(1e-5), {"x": torch.randn(2, 4, 3, 2)}, affine(4), config)
    case("instance_norm_without_affine", "InstanceNorm", instance(1e-2), {"x": torch.randn(2, 4, 3, 2)}, {},
         config | {"epsilon": 1e-2, "affine": False})

    local = lambda x, p: F.local_response_norm(x["x"], 3, 0.5, 0.6, 1.5)
    config = {"size": 3, "alpha": 0.5, "beta": 0.6, "k": 1.5}
    case("local_response_norm", "LocalResponseNorm", local, {"x": torch.randn(2, 5, 3, 2)}, {}, config)

    # The choice at run time.
    params = {f"Group.{name}": value for name, value in affine(4).items()}
    chosen = lambda x, p: F.group_norm(x["x"], 2, p["Group.gamma"], p["Group.beta"])
    config = {"Group": {"num_groups": 2, "num_channels": 4}}
    case("normalization_group", "Normalization", chosen, {"x": torch.randn(2, 4, 3, 2)}, params, config)


def batch_norm(case):
    def params(channels=3):
        return {
            "gamma": torch.randn(channels),
            "beta": torch.randn(channels),
            "running_mean": torch.randn(channels),
            "running_var": torch.rand(channels) + 0.5,
        }

    def forward(training, momentum, eps, statistics=False):
        def run(x, p):
            mean, var = p["running_mean"].detach().clone(), p["running_var"].detach().clone()
            y = F.batch_norm(x["x"], mean, var, p["gamma"], p["beta"], training, momentum, eps)
            return (y, mean, var) if statistics else y

        return run

    config = {"num_features": 3, "epsilon": 1e-3, "momentum": 0.2}
    shapes = {1: (4, 3), 2: (4, 3, 5), 3: (4, 3, 2, 5), 4: (2, 3, 2, 1, 3)}
    for dims, shape in shapes.items():
        x = {"x": torch.randn(*shape) * 2 + 1}
        case(f"batch_norm_of_rank_{dims + 1}", f"BatchNorm{dims + 1}", forward(True, 0.2, 1e-3), x, params(), config)
    # A running statistic has no gradient, but a central difference would see it move.
    for dims, momentum in [(2, 0.2), (3, 1.0)]:
        x = {"x": torch.randn(*shapes[dims]) * 2 + 1}
        case(f"batch_norm_statistics_with_momentum_{momentum}", f"BatchNormStatistics{dims + 1}",
             forward(True, momentum, 1e-3, True), x, params(), config | {"momentum": momentum}, constants=("x",))
    x = {"x": torch.randn(4, 3, 5)}
    case("batch_norm_in_evaluation", "BatchNormEvaluation", forward(False, 0.2, 1e-3), x, params(), config)
