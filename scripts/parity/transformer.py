"""Transformers and their feed-forward networks."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from attention import attention_params, linear, linear_params, normal, torch_attention
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
    encoder("encoder_silu", activation="Silu")
    encoder("encoder_padding", masks={"pad": pad})
    encoder("encoder_mask", masks={"attn": attn[None]})
    encoder("encoder_mask_and_padding", layers=2, masks={"attn": attn[None], "pad": pad})
    encoder("encoder_added", layers=2, masks={"add": normal(1, n_heads, 3, 3)})
    encoder("encoder_causal", causal=True, norm_first=True)
    encoder("encoder_causal_padding", causal=True, masks={"pad": pad})

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
    decoder("decoder_layers", layers=2, activation="Gelu")
    decoder("decoder_layers_norm_first", layers=2, norm_first=True, final_norm=True)
    decoder("decoder_without_bias", bias=False, final_norm=True)
    decoder("decoder_eps", eps=0.1)
    decoder("decoder_causal", causal=True, norm_first=True)
    decoder("decoder_padding", masks={"target_pad": pad, "memory_pad": memory_pad})
    decoder("decoder_masks", masks={"target_attn": attn[None], "memory_attn": memory_attn})
    decoder("decoder_memory_masks", masks={"memory_attn": other_attn, "memory_pad": memory_pad})


def cases(case):
    feed_forward(case)
    transformers(case)
