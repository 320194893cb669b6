"""Recurrent layers: torch.nn.RNN, torch.nn.GRU and torch.nn.LSTM."""

import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

INPUT, HIDDEN, BATCH, TIME = 3, 2, 3, 4

# Burn's gates, in the order of PyTorch's rows.
GATES = {
    "Rnn": [""],
    "Gru": ["reset_gate.", "update_gate.", "new_gate."],
    "Lstm": ["input_gate.", "forget_gate.", "cell_gate.", "output_gate."],
}
MODULES = {"Rnn": torch.nn.RNN, "Gru": torch.nn.GRU, "Lstm": torch.nn.LSTM}


def short(x):
    """Values of a few digits, which keep the file small."""
    return torch.round(x, decimals=3)


def paths(network, layers, bidirectional):
    """PyTorch's suffix, Burn's path and the size of the input of each layer and direction."""
    for layer in range(layers):
        size = INPUT if layer == 0 else HIDDEN * (2 if bidirectional else 1)
        if bidirectional:
            yield f"_l{layer}", f"forward.{layer}.", size
            yield f"_l{layer}_reverse", f"reverse.{layer}.", size
        else:
            yield f"_l{layer}", f"layers.{layer}.", size


def parameters(network, layers, bidirectional, bias):
    """Random parameters as Burn has them."""
    values = {}
    for _, path, size in paths(network, layers, bidirectional):
        for gate in GATES[network]:
            for transform, rows in [("input", size), ("hidden", HIDDEN)]:
                name = f"{path}{gate}{transform}_transform."
                values[name + "weight"] = short(torch.randn(rows, HIDDEN) * 0.7)
                if bias:
                    values[name + "bias"] = short(torch.randn(HIDDEN) * 0.5)
    return values


def torch_parameters(network, layers, bidirectional, bias, p):
    """The same as PyTorch has them."""
    values = {}
    for suffix, path, _ in paths(network, layers, bidirectional):
        for transform, kind in [("input", "ih"), ("hidden", "hh")]:
            names = [f"{path}{gate}{transform}_transform." for gate in GATES[network]]
            values[f"weight_{kind}{suffix}"] = torch.cat([p[name + "weight"].T for name in names])
            if bias:
                values[f"bias_{kind}{suffix}"] = torch.cat([p[name + "bias"] for name in names])
    return values


def cases(case):
    def add(name, network, layers=1, bidirectional=False, bias=True, batch_first=True, state=False, lengths=None, **config):
        torch_options = {"nonlinearity": config["nonlinearity"].lower()} if "nonlinearity" in config else {}
        module = MODULES[network](
            INPUT, HIDDEN, layers, bias=bias, batch_first=batch_first, bidirectional=bidirectional, **torch_options
        )
        directions = 2 if bidirectional else 1

        def forward(inputs, p):
            values = torch_parameters(network, layers, bidirectional, bias, p)
            x, before = inputs["x"], None
            if state:
                before = (inputs["hidden"], inputs["cell"]) if network == "Lstm" else inputs["hidden"]
            if lengths is not None:
                x = pack_padded_sequence(x, inputs["lengths"], batch_first, enforce_sorted=False)
            y, after = torch.func.functional_call(module, values, (x, before))
            if lengths is not None:
                y, _ = pad_packed_sequence(y, batch_first, total_length=TIME)
            return (y, *after) if network == "Lstm" else (y, after)

        shape = (BATCH, TIME, INPUT) if batch_first else (TIME, BATCH, INPUT)
        inputs = {"x": short(torch.randn(shape))}
        if state:
            inputs["hidden"] = short(torch.randn(layers * directions, BATCH, HIDDEN))
            if network == "Lstm":
                inputs["cell"] = short(torch.randn(layers * directions, BATCH, HIDDEN))
        if lengths is not None:
            inputs["lengths"] = torch.tensor(lengths)
        options = {
            "d_input": INPUT,
            "d_hidden": HIDDEN,
            "bias": bias,
            "num_layers": layers,
            "batch_first": batch_first,
        } | config
        layer = f"Bi{network}" if bidirectional else network
        params = parameters(network, layers, bidirectional, bias)
        case(f"{layer.lower()}_{name}", layer, forward, inputs, params, options, constants=("lengths",))

    for network in MODULES:
        for bidirectional in (False, True):
            options = {"network": network, "bidirectional": bidirectional}
            add("plain", **options)
            add("time_first_without_bias", bias=False, batch_first=False, **options)
            add("two_layers_with_state", layers=2, state=True, **options)
            add("packed", lengths=[2, 4, 1], **options)
            add("two_layers_packed_with_state", layers=2, state=True, lengths=[4, 1, 3], **options)
    for bidirectional in (False, True):
        add("relu", "Rnn", layers=2, bidirectional=bidirectional, nonlinearity="Relu", state=True)
    reset_before(case)


def reset_before(case):
    """The gated recurrent unit of the paper, which PyTorch does not have: a loop over its formulas."""

    def forward(inputs, p):
        x, h = inputs["x"], inputs["hidden"][0]
        of = lambda gate, transform, x: (
            x @ p[f"layers.0.{gate}_gate.{transform}_transform.weight"]
            + p[f"layers.0.{gate}_gate.{transform}_transform.bias"]
        )
        states = []
        for step in range(TIME):
            now = x[:, step]
            reset = torch.sigmoid(of("reset", "input", now) + of("reset", "hidden", h))
            update = torch.sigmoid(of("update", "input", now) + of("update", "hidden", h))
            new = torch.tanh(of("new", "input", now) + of("new", "hidden", reset * h))
            h = (1 - update) * new + update * h
            states.append(h)
        return torch.stack(states, 1), h[None]

    config = {"d_input": INPUT, "d_hidden": HIDDEN, "bias": True, "reset_after": False}
    inputs = {"x": short(torch.randn(BATCH, TIME, INPUT)), "hidden": short(torch.randn(1, BATCH, HIDDEN))}
    case("gru_reset_before", "Gru", forward, inputs, parameters("Gru", 1, False, True), config)
