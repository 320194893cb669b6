"""Optimizers, averages, gradient scaling and learning-rate schedules.

The file is `crates/burn-optim/tests/optimizers/parity/fixtures.jsonl`, one case a line. Its first line has the problem: three
parameters and twenty gradients of each. A case of an optimizer has the config as Burn writes it and the parameters after
some of the steps; the learning rate changes from step to step. Lion, Lamb and Adan, which PyTorch lacks, are computed from
the formulas of their papers in NumPy.
"""

import json
import math
import pathlib

import numpy as np
import torch

PATH = pathlib.Path("crates/burn-optim/tests/optimizers/parity/fixtures.jsonl")
SHAPES = {"wide": (3, 4), "tall": (4, 2), "vector": (3,)}
STEPS = 20
RECORDED = (1, 2, 3, 7, 20)
# The learning rate of step t is this times that of the case.
LR_FACTORS = [1.0, 0.8, 1.25, 0.5]


def values(x):
    return np.asarray(x).flatten().tolist()


class Problem:
    def __init__(self):
        generator = torch.Generator().manual_seed(29)
        draw = lambda shape: torch.randn(shape, generator=generator)
        self.start = {key: draw(shape) for key, shape in SHAPES.items()}
        self.grads = [{key: draw(shape) for key, shape in SHAPES.items()} for _ in range(STEPS)]
        for step in (4, 5, 11):
            # A gradient of zero, and one that keeps its sign.
            self.grads[step]["vector"][0] = 0.0
            self.grads[step]["wide"][0] = self.grads[step - 1]["wide"][0] * 0.5

    def lr(self, lr, step):
        return lr * LR_FACTORS[step % len(LR_FACTORS)]

    def json(self):
        return {
            "kind": "problem",
            "shapes": {key: list(shape) for key, shape in SHAPES.items()},
            "lr_factors": LR_FACTORS,
            "start": {key: values(x) for key, x in self.start.items()},
            "grads": [{key: values(x) for key, x in grads.items()} for grads in self.grads],
        }


class Cases:
    def __init__(self):
        self.problem = Problem()
        self.lines = [self.problem.json()]
        self.names = set()

    def add(self, name, kind, **fields):
        assert name not in self.names, name
        self.names.add(name)
        self.lines.append({"kind": kind, "name": name} | fields)

    def torch(self, name, rule, optimizer, config=None, lr=0.03, only=tuple(SHAPES), clip=None, **options):
        """Steps an optimizer of PyTorch."""
        xs = {key: torch.nn.Parameter(self.problem.start[key].clone()) for key in only}
        optimizer = optimizer(list(xs.values()), lr=lr, **options)
        after = {}
        for step in range(STEPS):
            for key, x in xs.items():
                x.grad = self.problem.grads[step][key].clone()
            if clip:
                clip(list(xs.values()))
            optimizer.param_groups[0]["lr"] = self.problem.lr(lr, step)
            optimizer.step()
            if step + 1 in RECORDED:
                after[step + 1] = {key: values(x.detach()) for key, x in xs.items()}
        self.add(name, "optimizer", rule=rule, config=config or {}, lr=lr, after=after)
        return {key: optimizer.state[x] for key, x in xs.items()}

    def numpy(self, name, rule, update, config=None, lr=0.03):
        """Steps a rule `update(x, g, lr, t, state)` that returns the parameter."""
        xs = {key: x.numpy().copy() for key, x in self.problem.start.items()}
        states, after = {key: {} for key in xs}, {}
        for step in range(STEPS):
            for key in xs:
                grad = self.problem.grads[step][key].numpy()
                xs[key] = update(xs[key], grad, self.problem.lr(lr, step), step + 1, states[key])
            if step + 1 in RECORDED:
                after[step + 1] = {key: values(x) for key, x in xs.items()}
        self.add(name, "optimizer", rule=rule, config=config or {}, lr=lr, after=after)


def l2(penalty):
    return {"weight_decay": {"penalty": penalty}}


def adam_family(case):
    optim = torch.optim
    betas = dict(betas=(0.8, 0.95))
    own_betas = {"beta_1": 0.8, "beta_2": 0.95}
    for rule, optimizer, decay in (
        ("Adam", optim.Adam, l2(0.1)),
        ("AdamW", optim.AdamW, {"weight_decay": 0.1}),
        ("Adamax", optim.Adamax, l2(0.1)),
        ("NAdam", optim.NAdam, l2(0.1)),
        ("RAdam", optim.RAdam, l2(0.1)),
    ):
        plain = {"weight_decay": 0.01} if rule == "AdamW" else {}
        case.torch(f"{rule}", rule, optimizer)
        case.torch(f"{rule}_betas", rule, optimizer, own_betas | plain, **betas)
        case.torch(f"{rule}_epsilon", rule, optimizer, {"epsilon": 0.1}, eps=0.1)
        case.torch(f"{rule}_weight_decay", rule, optimizer, decay, weight_decay=0.1)
        case.torch(f"{rule}_maximize", rule, optimizer, decay | {"maximize": True}, weight_decay=0.1, maximize=True)
    for rule, optimizer in (("Adam", optim.Adam), ("AdamW", optim.AdamW)):
        case.torch(f"{rule}_amsgrad", rule, optimizer, own_betas | {"amsgrad": True}, amsgrad=True, **betas)
    for rule, optimizer in (("NAdam", optim.NAdam), ("RAdam", optim.RAdam)):
        config = l2(0.1) | {"decoupled_weight_decay": True}
        case.torch(f"{rule}_decoupled", rule, optimizer, config, weight_decay=0.1, decoupled_weight_decay=True)
    case.torch("NAdam_momentum_decay", "NAdam", optim.NAdam, {"momentum_decay": 0.3}, momentum_decay=0.3)


def others(case):
    optim = torch.optim

    def momentum(momentum, dampening=0.0, nesterov=False):
        return {"momentum": {"momentum": momentum, "dampening": dampening, "nesterov": nesterov}}

    case.torch("Sgd", "Sgd", optim.SGD)
    case.torch("Sgd_weight_decay", "Sgd", optim.SGD, l2(0.1), weight_decay=0.1)
    case.torch("Sgd_maximize", "Sgd", optim.SGD, l2(0.1) | {"maximize": True}, weight_decay=0.1, maximize=True)
    case.torch("Sgd_momentum", "Sgd", optim.SGD, momentum(0.9), momentum=0.9)
    case.torch("Sgd_dampening", "Sgd", optim.SGD, momentum(0.9, 0.3), momentum=0.9, dampening=0.3)
    config = momentum(0.9, nesterov=True) | l2(0.05)
    case.torch("Sgd_nesterov", "Sgd", optim.SGD, config, momentum=0.9, nesterov=True, weight_decay=0.05)

    case.torch("RmsProp", "RmsProp", optim.RMSprop)
    case.torch("RmsProp_alpha", "RmsProp", optim.RMSprop, {"alpha": 0.9, "epsilon": 0.1}, alpha=0.9, eps=0.1)
    case.torch("RmsProp_momentum", "RmsProp", optim.RMSprop, {"momentum": 0.8}, momentum=0.8)
    case.torch("RmsProp_centered", "RmsProp", optim.RMSprop, {"alpha": 0.9, "centered": True}, alpha=0.9, centered=True)
    config = l2(0.1) | {"maximize": True, "momentum": 0.5, "centered": True, "alpha": 0.9}
    options = dict(weight_decay=0.1, maximize=True, momentum=0.5, centered=True, alpha=0.9)
    case.torch("RmsProp_all", "RmsProp", optim.RMSprop, config, **options)

    case.torch("Adagrad", "Adagrad", optim.Adagrad)
    config, options = {"lr_decay": 0.2, "epsilon": 0.1}, dict(lr_decay=0.2, eps=0.1)
    case.torch("Adagrad_lr_decay", "Adagrad", optim.Adagrad, config, **options)
    config, options = {"initial_accumulator_value": 0.5}, dict(initial_accumulator_value=0.5)
    case.torch("Adagrad_initial", "Adagrad", optim.Adagrad, config, **options)
    config = l2(0.1) | {"maximize": True}
    case.torch("Adagrad_maximize", "Adagrad", optim.Adagrad, config, weight_decay=0.1, maximize=True)

    case.torch("Adadelta", "Adadelta", optim.Adadelta, lr=1.0)
    case.torch("Adadelta_rho", "Adadelta", optim.Adadelta, {"rho": 0.7, "epsilon": 1e-3}, lr=1.0, rho=0.7, eps=1e-3)
    config = l2(0.1) | {"maximize": True}
    case.torch("Adadelta_maximize", "Adadelta", optim.Adadelta, config, lr=1.0, weight_decay=0.1, maximize=True)

    case.torch("Rprop", "Rprop", optim.Rprop)
    config = {"eta_minus": 0.4, "eta_plus": 1.5, "min_step_size": 0.01, "max_step_size": 0.05}
    case.torch("Rprop_etas", "Rprop", optim.Rprop, config, etas=(0.4, 1.5), step_sizes=(0.01, 0.05))
    case.torch("Rprop_maximize", "Rprop", optim.Rprop, {"maximize": True}, maximize=True)

    case.torch("Asgd", "Asgd", optim.ASGD)
    config, options = {"lambda": 0.3, "alpha": 0.5}, dict(lambd=0.3, alpha=0.5)
    case.torch("Asgd_lambda", "Asgd", optim.ASGD, config, **options)
    config = l2(0.1) | {"maximize": True, "t0": 4.0}
    states = case.torch("Asgd_t0", "Asgd", optim.ASGD, config, weight_decay=0.1, maximize=True, t0=4)
    case.lines[-1]["averaged"] = {key: values(state["ax"]) for key, state in states.items()}


def adafactor(case):
    optimizer = torch.optim.Adafactor
    case.torch("Adafactor", "Adafactor", optimizer)
    case.torch("Adafactor_large_lr", "Adafactor", optimizer, lr=0.9)
    case.torch("Adafactor_decay", "Adafactor", optimizer, {"beta_2_decay": -0.5}, lr=0.3, beta2_decay=-0.5)
    config, options = {"epsilon_1": 0.7, "epsilon_2": 1.5}, dict(eps=(0.7, 1.5))
    case.torch("Adafactor_epsilons", "Adafactor", optimizer, config, lr=0.3, **options)
    case.torch("Adafactor_threshold", "Adafactor", optimizer, {"clipping_threshold": 1.1}, lr=0.3, d=1.1)
    config = {"weight_decay": 0.1, "maximize": True}
    case.torch("Adafactor_maximize", "Adafactor", optimizer, config, lr=0.3, weight_decay=0.1, maximize=True)


def muon(case):
    # PyTorch orthogonalizes in bfloat16, which no other order of sums agrees with; here in float64.
    bfloat16 = torch.Tensor.bfloat16
    torch.Tensor.bfloat16 = lambda x: x.clone()
    matrices = ("wide", "tall")
    try:
        muon = lambda name, config=None, **options: case.torch(
            name, "Muon", torch.optim.Muon, config, only=matrices, **options
        )
        muon("Muon")
        muon("Muon_momentum", {"momentum": 0.7, "nesterov": False}, momentum=0.7, nesterov=False)
        muon("Muon_weight_decay", {"weight_decay": 0.4}, weight_decay=0.4)
        coefficients = (2.0, -1.5, 0.5)
        muon("Muon_iteration", {"ns_coefficients": coefficients, "ns_steps": 3}, ns_coefficients=coefficients, ns_steps=3)
        muon("Muon_epsilon", {"epsilon": 2.0}, eps=2.0)
        muon("Muon_adjustment", {"lr_adjustment": "MatchRmsAdamW"}, adjust_lr_fn="match_rms_adamw")
    finally:
        torch.Tensor.bfloat16 = bfloat16


def lion(beta_1=0.9, beta_2=0.99, weight_decay=0.0, sign=1.0):
    """Chen et al. 2023, algorithm 2."""

    def update(x, g, lr, t, state):
        g = sign * g
        m = state.get("m", np.zeros_like(x))
        u = np.sign(beta_1 * m + (1 - beta_1) * g)
        state["m"] = beta_2 * m + (1 - beta_2) * g
        return x - lr * (u + weight_decay * x)

    return update


def lamb(beta_1=0.9, beta_2=0.999, epsilon=1e-6, weight_decay=0.01, most=None, sign=1.0):
    """You et al. 2019, algorithm 2; the trust ratio is 1 where a norm is 0."""

    def update(x, g, lr, t, state):
        g = sign * g
        state["m"] = beta_1 * state.get("m", 0.0) + (1 - beta_1) * g
        state["v"] = beta_2 * state.get("v", 0.0) + (1 - beta_2) * g * g
        m, v = state["m"] / (1 - beta_1**t), state["v"] / (1 - beta_2**t)
        u = m / (np.sqrt(v) + epsilon) + weight_decay * x
        norms = np.linalg.norm(x), np.linalg.norm(u)
        ratio = norms[0] / norms[1] if all(norms) else 1.0
        ratio = ratio if most is None else min(ratio, most)
        return x - lr * ratio * u

    return update


def adan(betas=(0.98, 0.92, 0.99), epsilon=1e-8, weight_decay=0.0, decoupled=False, sign=1.0):
    """Xie et al. 2022, algorithm 1, with averages that are corrected for their bias as Adam's are."""

    def update(x, g, lr, t, state):
        g = sign * g
        d = g - state.get("g", g)
        state["m"] = betas[0] * state.get("m", 0.0) + (1 - betas[0]) * g
        state["v"] = betas[1] * state.get("v", 0.0) + (1 - betas[1]) * d
        state["n"] = betas[2] * state.get("n", 0.0) + (1 - betas[2]) * (g + betas[1] * d) ** 2
        state["g"] = g
        m, v, n = (state[key] / (1 - beta**t) for key, beta in zip("mvn", betas))
        u = (m + betas[1] * v) / (np.sqrt(n) + epsilon)
        if decoupled:
            return x * (1 - lr * weight_decay) - lr * u
        return (x - lr * u) / (1 + lr * weight_decay)

    return update


def papers(case):
    case.numpy("Lion", "Lion", lion())
    config = {"beta_1": 0.7, "beta_2": 0.6, "weight_decay": 0.3, "maximize": True}
    case.numpy("Lion_all", "Lion", lion(0.7, 0.6, 0.3, -1.0), config)
    case.numpy("Lamb", "Lamb", lamb())
    config = {"beta_1": 0.8, "beta_2": 0.95, "epsilon": 0.1, "weight_decay": 0.3, "maximize": True}
    case.numpy("Lamb_all", "Lamb", lamb(0.8, 0.95, 0.1, 0.3, None, -1.0), config)
    case.numpy("Lamb_bound", "Lamb", lamb(most=0.9), {"max_trust_ratio": 0.9})
    case.numpy("Adan", "Adan", adan())
    config = {"beta_1": 0.8, "beta_2": 0.7, "beta_3": 0.6, "epsilon": 0.1, "weight_decay": 0.3}
    case.numpy("Adan_betas", "Adan", adan((0.8, 0.7, 0.6), 0.1, 0.3), config)
    config = {"weight_decay": 0.3, "decoupled_weight_decay": True, "maximize": True}
    case.numpy("Adan_decoupled", "Adan", adan(weight_decay=0.3, decoupled=True, sign=-1.0), config)


def clipping(case):
    clip = torch.nn.utils
    sgd = lambda name, clipping, function: case.torch(
        name, "Sgd", torch.optim.SGD, {"grad_clipping": clipping}, clip=function
    )
    sgd("clip_value", {"Value": 0.5}, lambda xs: clip.clip_grad_value_(xs, 0.5))
    sgd("clip_global_norm", {"GlobalNorm": 3.0}, lambda xs: clip.clip_grad_norm_(xs, 3.0))
    sgd("clip_norm", {"Norm": 2.0}, lambda xs: [clip.clip_grad_norm_([x], 2.0) for x in xs])
    norms = []
    for grads in case.problem.grads[:5]:
        xs = [torch.nn.Parameter(torch.zeros_like(grad)) for grad in grads.values()]
        for x, grad in zip(xs, grads.values()):
            x.grad = grad.clone()
        norms.append(clip.clip_grad_norm_(xs, 3.0).item())
    case.add("global_norms", "norms", norms=norms)


def lbfgs(case, name, config, lr=1.0, steps=6, **options):
    """The Rosenbrock function of five numbers in two parameters."""
    first = torch.nn.Parameter(torch.tensor([[-1.2], [1.0]]))
    second = torch.nn.Parameter(torch.tensor([-0.5, 0.8, 0.1]))
    optimizer = torch.optim.LBFGS([first, second], lr=lr, **options)

    def closure():
        optimizer.zero_grad()
        x = torch.cat([first.flatten(), second])
        loss = ((1 - x[:-1]) ** 2).sum() + 10 * ((x[1:] - x[:-1] ** 2) ** 2).sum()
        loss.backward()
        return loss

    after = []
    for _ in range(steps):
        loss = optimizer.step(closure).item()
        state = optimizer.state[first]
        x = torch.cat([first.detach().flatten(), second.detach()])
        counts = state["n_iter"], state["func_evals"]
        after.append({"loss": loss, "x": values(x), "iterations": counts[0], "evaluations": counts[1]})
    case.add(name, "lbfgs", config=config, lr=lr, after=after)


def averages(case):
    swa = torch.optim.swa_utils
    for name, config, function in (
        ("Ema", {"decay": 0.8}, swa.get_ema_multi_avg_fn(0.8)),
        ("Swa", {}, swa.get_swa_multi_avg_fn()),
    ):
        model = torch.nn.ParameterDict({key: torch.nn.Parameter(x.clone()) for key, x in case.problem.start.items()})
        averaged = swa.AveragedModel(model, multi_avg_fn=function)
        for grads in case.problem.grads[:6]:
            for key, grad in grads.items():
                model[key].data = grad.clone()
            averaged.update_parameters(model)
        after = {key: values(averaged.module[key].detach()) for key in model}
        case.add(name, "average", average=name, config=config, after=after)


def scaler(case):
    options = dict(init_scale=8.0, growth_factor=3.0, backoff_factor=0.25, growth_interval=3)
    config = {"initial_scale": 8.0, "growth_factor": 3.0, "backoff_factor": 0.25, "growth_interval": 3}
    scaler = torch.amp.GradScaler("cpu", **options)
    x = torch.nn.Parameter(torch.tensor([2.0], dtype=torch.float32))
    optimizer = torch.optim.SGD([x], lr=0.5)
    factors = [1.0, 0.5, 2.0, 1.0, math.inf, 1.0, math.nan, 1.0, 1.0, 0.25, 1.0, -math.inf, 1.0]
    after = []
    for factor in factors:
        optimizer.zero_grad()
        scaler.scale((x * torch.tensor(factor, dtype=torch.float32)).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        after.append([x.item(), scaler.get_scale()])
    texts = [factor if math.isfinite(factor) else str(factor) for factor in factors]
    case.add("scaler", "scaler", config=config, lr=0.5, factors=texts, after=after)


def rates(scheduler, lr, count, **options):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=lr)
    scheduler = scheduler(optimizer, **options)
    found = []
    for _ in range(count):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return found


def schedules(case):
    schedule = torch.optim.lr_scheduler

    def add(name, variant, config, scheduler, lr, count, **options):
        case.add(name, "schedule", schedule={variant: config}, rates=rates(scheduler, lr, count, **options))

    linear = {"initial_lr": 0.1, "final_lr": 0.5, "num_iters": 5}
    add("linear", "Linear", linear, schedule.LinearLR, 0.5, 8, start_factor=0.2, end_factor=1.0, total_iters=5)
    parts = [{"Constant": {"lr": 0.1}}, {"Constant": {"lr": 0.5}}]
    constant = {"schedules": parts, "milestones": [4]}
    add("constant", "Sequential", constant, schedule.ConstantLR, 0.5, 8, factor=0.2, total_iters=4)
    cosine = {"initial_lr": 0.5, "num_iters": 6, "min_lr": 0.1}
    add("cosine", "CosineAnnealing", cosine, schedule.CosineAnnealingLR, 0.5, 7, T_max=6, eta_min=0.1)
    restarts = cosine | {"num_iters": 3, "restarts": True}
    options = dict(T_0=3, eta_min=0.1)
    add("restarts", "CosineAnnealing", restarts, schedule.CosineAnnealingWarmRestarts, 0.5, 10, **options)
    restarts = restarts | {"period_factor": 2}
    options = options | dict(T_mult=2)
    add("restarts_twice", "CosineAnnealing", restarts, schedule.CosineAnnealingWarmRestarts, 0.5, 30, **options)
    add("exponential", "Exponential", {"initial_lr": 0.5, "gamma": 0.9}, schedule.ExponentialLR, 0.5, 12, gamma=0.9)
    step = {"initial_lr": 0.5, "step_size": 3, "gamma": 0.3}
    add("step", "Step", step, schedule.StepLR, 0.5, 12, step_size=3, gamma=0.3)
    multi = {"initial_lr": 0.5, "milestones": [2, 5, 5, 9], "gamma": 0.3}
    add("multi_step", "MultiStep", multi, schedule.MultiStepLR, 0.5, 12, milestones=[2, 5, 5, 9], gamma=0.3)
    one = {"max_lr": 0.5, "num_iters": 23}
    options = dict(max_lr=0.5, total_steps=23, cycle_momentum=False)
    add("one_cycle", "OneCycle", one, schedule.OneCycleLR, 0.5, 22, **options)
    shape = {"pct_start": 0.4, "div_factor": 5.0, "final_div_factor": 20.0}
    add("one_cycle_shape", "OneCycle", one | shape, schedule.OneCycleLR, 0.5, 22, **options, **shape)
    config = one | shape | {"anneal_strategy": "Linear"}
    add("one_cycle_linear", "OneCycle", config, schedule.OneCycleLR, 0.5, 22, **options, **shape, anneal_strategy="linear")
    config = one | shape | {"three_phase": True}
    add("one_cycle_three", "OneCycle", config, schedule.OneCycleLR, 0.5, 22, **options, **shape, three_phase=True)
    polynomial = {"initial_lr": 0.5, "num_iters": 7, "power": 2.5}
    add("polynomial", "Polynomial", polynomial, schedule.PolynomialLR, 0.5, 10, total_iters=7, power=2.5)
    for mode, name in (("triangular", "Triangular"), ("triangular2", "Triangular2"), ("exp_range", "ExpRange")):
        cyclic = {"base_lr": 0.1, "max_lr": 0.5, "step_size_up": 3, "step_size_down": 4, "mode": name, "gamma": 0.9}
        options = dict(base_lr=0.1, max_lr=0.5, step_size_up=3, step_size_down=4, mode=mode, gamma=0.9)
        add(f"cyclic_{mode}", "Cyclic", cyclic, schedule.CyclicLR, 0.1, 25, cycle_momentum=False, **options)
    cyclic = {"base_lr": 0.1, "max_lr": 0.5, "step_size_up": 3}
    options = dict(base_lr=0.1, max_lr=0.5, step_size_up=3, cycle_momentum=False)
    add("cyclic", "Cyclic", cyclic, schedule.CyclicLR, 0.1, 14, **options)
    swa_lr = torch.optim.swa_utils.SWALR
    swa = {"initial_lr": 0.5, "swa_lr": 0.05, "num_iters": 6}
    add("swa", "Swa", swa, swa_lr, 0.5, 10, swa_lr=0.05, anneal_epochs=6)
    config = swa | {"anneal_strategy": "Linear"}
    add("swa_linear", "Swa", config, swa_lr, 0.5, 10, swa_lr=0.05, anneal_epochs=6, anneal_strategy="linear")

    def warm_up(optimizer):
        parts = [
            schedule.LinearLR(optimizer, start_factor=0.1, end_factor=1.0, total_iters=4),
            schedule.CosineAnnealingLR(optimizer, T_max=10, eta_min=0.05),
        ]
        return schedule.SequentialLR(optimizer, parts, milestones=[4])

    parts = [
        {"Linear": {"initial_lr": 0.05, "final_lr": 0.5, "num_iters": 4}},
        {"CosineAnnealing": {"initial_lr": 0.5, "num_iters": 10, "min_lr": 0.05}},
    ]
    add("warm_up", "Sequential", {"schedules": parts, "milestones": [4]}, warm_up, 0.5, 14)

    def chained(optimizer):
        parts = [schedule.ExponentialLR(optimizer, gamma=0.9), schedule.StepLR(optimizer, step_size=3, gamma=0.3)]
        return schedule.ChainedScheduler(parts, optimizer=optimizer)

    parts = [{"Exponential": {"initial_lr": 0.5, "gamma": 0.9}}, {"Step": {"initial_lr": 1.0, "step_size": 3, "gamma": 0.3}}]
    add("chained", "Composed", {"schedules": parts, "reduction": "Prod"}, chained, 0.5, 12)

    t = np.arange(1, 26, dtype=np.float64)
    noam = 2.0 * 64**-0.5 * np.minimum(t**-0.5, t * 8**-1.5)
    config = {"factor": 2.0, "warmup_steps": 8, "model_size": 64}
    case.add("noam", "schedule", schedule={"Noam": config}, rates=values(noam))


def plateau(case):
    losses = [3.0, 2.0, 1.9999, 1.9998, 1.5, 1.5, 1.5, 1.5, 1.49, 1.6, 1.7, 1.48, 1.2, 1.3, 1.3, 1.3, 1.3, 1.3, 1.3, 1.3]
    scores = [-0.5, 0.1, 0.2, 0.2, 0.21, 0.2, 0.2, 0.25, 0.24, 0.24, 0.24, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3]

    def add(name, config, metrics, lr=0.5, **options):
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=lr)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **options)
        found = []
        for metric in metrics:
            scheduler.step(metric)
            found.append(optimizer.param_groups[0]["lr"])
        case.add(name, "plateau", config={"initial_lr": lr} | config, metrics=metrics, rates=found)

    add("plateau", {"patience": 2}, losses, patience=2)
    config, options = {"factor": 0.5, "patience": 1, "cooldown": 2}, dict(factor=0.5, patience=1, cooldown=2)
    add("plateau_cooldown", config, losses, **options)
    config = {"factor": 0.5, "patience": 0, "threshold": {"Absolute": 0.3}, "min_lr": 0.1}
    options = dict(factor=0.5, patience=0, threshold=0.3, threshold_mode="abs", min_lr=0.1)
    add("plateau_absolute", config, losses, **options)
    config = {"mode": "Max", "factor": 0.5, "patience": 1, "threshold": {"Relative": 0.2}}
    add("plateau_max", config, scores, mode="max", factor=0.5, patience=1, threshold=0.2)
    config = config | {"threshold": {"Absolute": 0.04}, "epsilon": 0.1}
    options = dict(mode="max", factor=0.5, patience=1, threshold=0.04, threshold_mode="abs", eps=0.1)
    add("plateau_epsilon", config, scores, **options)


def write():
    case = Cases()
    adam_family(case)
    others(case)
    adafactor(case)
    muon(case)
    papers(case)
    clipping(case)
    wolfe = {"line_search": "StrongWolfe"}
    lbfgs(case, "Lbfgs", {}, lr=0.1)
    lbfgs(case, "Lbfgs_wolfe", wolfe, line_search_fn="strong_wolfe")
    config = {"max_iter": 4, "history_size": 2}
    lbfgs(case, "Lbfgs_history", config, lr=0.1, steps=12, max_iter=4, history_size=2)
    config = wolfe | {"max_iter": 3, "max_eval": 5}
    lbfgs(case, "Lbfgs_max_eval", config, steps=12, max_iter=3, max_eval=5, line_search_fn="strong_wolfe")
    config = wolfe | {"tolerance_grad": 1e-1, "tolerance_change": 1e-3}
    lbfgs(case, "Lbfgs_tolerance", config, tolerance_grad=1e-1, tolerance_change=1e-3, line_search_fn="strong_wolfe")
    averages(case)
    scaler(case)
    schedules(case)
    plateau(case)
    PATH.write_text("".join(json.dumps(line) + "\n" for line in case.lines))
    print(f"{PATH}: {len(case.names)} cases, {PATH.stat().st_size // 1024} KiB")
