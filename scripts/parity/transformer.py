"""Transformers and their feed-forward networks."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from attention import attention_params, linear, linear_params, normal, rotate, torch_attention
from torch.func import functional_call


def norm_params(prefix, d_model, bias=True):
    return {f"{prefix}.gamma": 1 + normal(d_model)} | ({f"{prefix}.beta": normal(d_model)} if bias else {})


ACTIVATIONS = {
    "Relu": F.relu,
    "Gelu": F.gelu,
    "GeluTanh": lambda x: F.gelu(x, approximate="tanh"),
    "Silu": F.silu,
    "Sigmoid": torch.sigmoid,
}


def feed_forward(case):
    for name, act in ACTIVATIONS.items():
        for gated in (False, True):
            bias = not gated or name == "Relu"

            def forward(x, p):
                hidden = act(linear(x["x"], p, "linear_inner"))
                hidden = hidden * linear(x["x"], p, "linear_gate") if gated else hidden
                return linear(hidden, p, "linear_outer")

            params = linear_params("linear_inner", 3, 5, bias) | linear_params("linear_outer", 5, 3, bias)
            params |= linear_params("linear_gate", 3, 5, bias) if gated else {}
            config = {"d_model": 3, "d_ff": 5, "dropout": 0.0, "activation": name, "gated": gated, "bias": bias}
            suffix = f"_{name.lower()}" + ("_gated" if gated else "")
            case("feed_forward" + suffix, "PositionWiseFeedForward", forward, {"x": normal(2, 2, 3)}, params, config)


def layer_state(p, prefix, attentions):
    """A transformer layer's parameters as PyTorch names them."""
    state = {}
    for burn, name in attentions.items():
        state |= {f"{name}.{key}": value for key, value in torch_attention(p, f"{prefix}.{burn}").items()}
    for burn, name in (("linear_inner", "linear1"), ("linear_outer", "linear2")):
        state[f"{name}.weight"] = p[f"{prefix}.pwff.{burn}.weight"].T
        if f"{prefix}.pwff.{burn}.bias" in p:
            state[f"{name}.bias"] = p[f"{prefix}.pwff.{burn}.bias"]
    for index in range(1, len(attentions) + 2):
        state[f"norm{index}.weight"] = p[f"{prefix}.norm_{index}.gamma"]
        if f"{prefix}.norm_{index}.beta" in p:
            state[f"norm{index}.bias"] = p[f"{prefix}.norm_{index}.beta"]
    return state


def stack_state(p, layers, attentions):
    state = {}
    for index in range(layers):
        state |= {f"layers.{index}.{key}": x for key, x in layer_state(p, f"layers.{index}", attentions).items()}
    if "norm.gamma" in p:
        state["norm.weight"] = p["norm.gamma"]
        if "norm.beta" in p:
            state["norm.bias"] = p["norm.beta"]
    return state


def stack_params(d_model, d_ff, n_heads, layers, attentions, final_norm, bias):
    params = {}
    for index in range(layers):
        prefix = f"layers.{index}"
        for name in attentions:
            params |= attention_params(f"{prefix}.{name}", d_model, n_heads, bias=bias)
        params |= linear_params(f"{prefix}.pwff.linear_inner", d_model, d_ff, bias)
        params |= linear_params(f"{prefix}.pwff.linear_outer", d_ff, d_model, bias)
        for norm in range(1, len(attentions) + 2):
            params |= norm_params(f"{prefix}.norm_{norm}", d_model, bias)
    return params | (norm_params("norm", d_model, bias) if final_norm else {})


def transformers(case):
    d_model, d_ff, n_heads = 4, 3, 2
    encoder_names, decoder_names = {"mha": "self_attn"}, {"self_attn": "self_attn", "cross_attn": "multihead_attn"}
    base = {"d_model": d_model, "d_ff": d_ff, "n_heads": n_heads, "dropout": 0.0}
    pad = torch.tensor([[False, False, False], [False, False, True]])
    attn = torch.tensor([[False, True, False], [False, False, True], [True, False, False]])
    upper = torch.ones(3, 3, dtype=torch.bool).triu(1)

    def modules(kind, layers, norm_first, final_norm, activation, eps, bias):
        layer = {"encoder": nn.TransformerEncoderLayer, "decoder": nn.TransformerDecoderLayer}[kind](
            d_model, n_heads, d_ff, 0.0, ACTIVATIONS[activation], eps, True, norm_first, bias
        )
        norm = nn.LayerNorm(d_model, eps, bias=bias) if final_norm else None
        if kind == "encoder":
            return nn.TransformerEncoder(layer, layers, norm, enable_nested_tensor=False)
        return nn.TransformerDecoder(layer, layers, norm)

    def options(layers=1, norm_first=False, final_norm=False, activation="Relu", eps=1e-5, bias=True):
        return {
            "layers": layers,
            "norm_first": norm_first,
            "final_norm": final_norm,
            "activation": activation,
            "eps": eps,
            "bias": bias,
        }

    def config(o):
        return base | {
            "n_layers": o["layers"],
            "norm_first": o["norm_first"],
            "final_norm": o["final_norm"],
            "activation": o["activation"],
            "layer_norm_eps": o["eps"],
            "bias": o["bias"],
        }

    def params(names, o):
        return stack_params(d_model, d_ff, n_heads, o["layers"], names, o["final_norm"], o["bias"])

    def encoder(name, masks=None, causal=False, **chosen):
        o, masks = options(**chosen), masks or {}
        module = modules("encoder", **o)

        def forward(x, p):
            arguments = {"src_key_padding_mask": x.get("pad"), "mask": None}
            if "attn" in x:
                arguments["mask"] = x["attn"].expand(2, 3, 3).repeat_interleave(n_heads, 0)
            if "add" in x:
                arguments["mask"] = x["add"].expand(2, n_heads, 3, 3).reshape(-1, 3, 3)
            if causal:
                arguments["mask"] = upper
            return functional_call(module, stack_state(p, o["layers"], encoder_names), (x["x"],), arguments)

        layer = "TransformerEncoder" + ("Causal" if causal else "")
        inputs = {"x": normal(2, 3, d_model)} | masks
        case(name, layer, forward, inputs, params(encoder_names, o), config(o), constants=("pad", "attn"))

    encoder("encoder")
    encoder("encoder_norm_first", norm_first=True)
    encoder("encoder_layers", layers=2, activation="Gelu")
    encoder("encoder_layers_norm_first", layers=2, norm_first=True, final_norm=True, activation="Gelu")
    encoder("encoder_final_norm", final_norm=True)
    encoder("encoder_eps", eps=0.1)
    encoder("encoder_without_bias", bias=False, final_norm=True)
    encoder("encoder_padding", masks={"pad": pad})
    encoder("encoder_mask", masks={"attn": attn[None]})
    encoder("encoder_mask_and_padding", layers=2, masks={"attn": attn[None], "pad": pad})
    encoder("encoder_added", masks={"add": normal(1, n_heads, 3, 3)})
    encoder("encoder_causal", causal=True, norm_first=True)

    def decoder(name, masks=None, causal=False, **chosen):
        o, masks = options(**chosen), masks or {}
        module = modules("decoder", **o)

        def forward(x, p):
            each = lambda mask: mask.expand(2, 3, mask.shape[-1]).repeat_interleave(n_heads, 0)
            arguments = {
                "tgt_key_padding_mask": x.get("target_pad"),
                "memory_key_padding_mask": x.get("memory_pad"),
                "tgt_mask": each(x["target_attn"]) if "target_attn" in x else None,
                "memory_mask": each(x["memory_attn"]) if "memory_attn" in x else None,
            }
            if causal:
                arguments["tgt_mask"] = upper
            for key, name in (("target_add", "tgt_mask"), ("memory_add", "memory_mask")):
                if key in x:
                    arguments[name] = x[key].expand(2, n_heads, 3, x[key].shape[-1]).flatten(0, 1)
            state = stack_state(p, o["layers"], decoder_names)
            return functional_call(module, state, (x["target"], x["memory"]), arguments)

        layer = "TransformerDecoder" + ("Causal" if causal else "")
        inputs = {"target": normal(2, 3, d_model), "memory": normal(2, 2, d_model)} | masks
        constants = ("target_pad", "memory_pad", "target_attn", "memory_attn")
        case(name, layer, forward, inputs, params(decoder_names, o), config(o), constants=constants)

    memory_pad = torch.tensor([[False, True], [False, False]])
    memory_attn = torch.tensor([[[False, True], [True, False], [False, False]]])
    other_attn = torch.tensor([[[False, True], [False, False], [False, True]]])
    decoder("decoder")
    decoder("decoder_norm_first", norm_first=True, activation="Gelu")
    decoder("decoder_layers_norm_first", layers=2, norm_first=True, final_norm=True)
    decoder("decoder_without_bias", bias=False, final_norm=True)
    decoder("decoder_eps", eps=0.1)
    decoder("decoder_causal", causal=True, norm_first=True)
    decoder("decoder_padding", masks={"target_pad": pad, "memory_pad": memory_pad})
    decoder("decoder_masks", masks={"target_attn": attn[None], "memory_attn": memory_attn})
    decoder("decoder_added", masks={"target_add": normal(1, 1, 3, 3), "memory_add": normal(1, n_heads, 3, 2)})
    decoder("decoder_memory_masks", masks={"memory_attn": other_attn, "memory_pad": memory_pad})


def others(case):
    """What PyTorch's transformers do not have: grouped heads, gates, a quiet softmax, rotary encodings."""
    d_model, d_ff, n_heads, key_heads = 4, 3, 2, 1

    def attend(x, memory, p, prefix, causal, rotary=False):
        heads = lambda x, name, count: linear(x, p, f"{prefix}.{name}").unflatten(-1, (count, 2)).transpose(1, 2)
        query, key, value = heads(x, "query", n_heads), heads(memory, "key", key_heads), heads(memory, "value", key_heads)
        if rotary:
            query, key = rotate(query), rotate(key)
        scores = query @ key.mT / 2**0.5
        if causal:
            scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -torch.inf)
        # A quiet softmax is one with a score of zero more.
        weights = F.pad(scores, (1, 0)).softmax(-1)[..., 1:]
        return linear((weights @ value).transpose(1, 2).flatten(2), p, f"{prefix}.output")

    def norm(x, p, prefix):
        return F.layer_norm(x, (d_model,), p[f"{prefix}.gamma"], p[f"{prefix}.beta"])

    def gated(x, p, prefix):
        hidden = F.silu(linear(x, p, f"{prefix}.linear_inner")) * linear(x, p, f"{prefix}.linear_gate")
        return linear(hidden, p, f"{prefix}.linear_outer")

    def params(attentions):
        result = {}
        for name in attentions:
            result |= attention_params(f"layers.0.{name}", d_model, n_heads, key_heads)
        for name, sizes in (("inner", (d_model, d_ff)), ("gate", (d_model, d_ff)), ("outer", (d_ff, d_model))):
            result |= linear_params(f"layers.0.pwff.linear_{name}", *sizes)
        for index in range(1, len(attentions) + 2):
            result |= norm_params(f"layers.0.norm_{index}", d_model)
        return result

    config = {"d_model": d_model, "d_ff": d_ff, "n_heads": n_heads, "n_layers": 1, "dropout": 0.0, "norm_first": True}
    config |= {"n_key_value_heads": key_heads, "activation": "Silu", "gated_feed_forward": True, "quiet_softmax": True}

    def encode(rotary):
        def forward(x, p):
            y = norm(x["x"], p, "layers.0.norm_1")
            y = x["x"] + attend(y, y, p, "layers.0.mha", True, rotary)
            return y + gated(norm(y, p, "layers.0.norm_2"), p, "layers.0.pwff")

        return forward

    inputs = {"x": normal(2, 3, d_model)}
    case("encoder_of_options", "TransformerEncoderCausal", encode(False), inputs, params(["mha"]), config)
    case("encoder_rotary", "TransformerEncoderCausalRotary", encode(True), inputs, params(["mha"]), config)

    def decode(rotary):
        def forward(x, p):
            y = norm(x["target"], p, "layers.0.norm_1")
            y = x["target"] + attend(y, y, p, "layers.0.self_attn", True, rotary)
            y = y + attend(norm(y, p, "layers.0.norm_2"), x["memory"], p, "layers.0.cross_attn", False)
            return y + gated(norm(y, p, "layers.0.norm_3"), p, "layers.0.pwff")

        return forward

    inputs, names = {"target": normal(2, 3, d_model), "memory": normal(2, 2, d_model)}, ["self_attn", "cross_attn"]
    case("decoder_of_options", "TransformerDecoderCausal", decode(False), inputs, params(names), config)
    case("decoder_rotary", "TransformerDecoderCausalRotary", decode(True), inputs, params(names), config)


def cases(case):
    feed_forward(case)
    transformers(case)
    others(case)
