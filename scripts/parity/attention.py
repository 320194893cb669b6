"""Attention, position encodings and low-rank adapters."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call


def normal(*shape):
    """Normal numbers of two decimals, which keep the file small."""
    return (0.5 * torch.randn(*shape)).round(decimals=2)


def linear_params(prefix, inputs, outputs, bias=True):
    params = {f"{prefix}.weight": normal(inputs, outputs)}
    return params | ({f"{prefix}.bias": normal(outputs)} if bias else {})


def attention_params(prefix, d_model, n_heads, key_heads=None, d_head=None, d_key=None, d_value=None, bias=True):
    """The four projections, as Burn has them."""
    dot = f"{prefix}." if prefix else ""
    d_head = d_head or d_model // n_heads
    width, key_width = n_heads * d_head, (key_heads or n_heads) * d_head
    return (
        linear_params(dot + "query", d_model, width, bias)
        | linear_params(dot + "key", d_key or d_model, key_width, bias)
        | linear_params(dot + "value", d_value or d_model, key_width, bias)
        | linear_params(dot + "output", width, d_model, bias)
    )


def torch_attention(p, prefix=""):
    """The projections as PyTorch's module has them; those of other sizes are apart."""
    dot = f"{prefix}." if prefix else ""
    weights = [p[f"{dot}{name}.weight"].T for name in ("query", "key", "value")]
    state = {"out_proj.weight": p[dot + "output.weight"].T}
    if len({w.shape for w in weights}) == 1:
        state["in_proj_weight"] = torch.cat(weights)
    else:
        state |= {f"{name}_proj_weight": w for name, w in zip("qkv", weights)}
    if dot + "query.bias" in p:
        state["in_proj_bias"] = torch.cat([p[f"{dot}{name}.bias"] for name in ("query", "key", "value")])
        state["out_proj.bias"] = p[dot + "output.bias"]
    return state


def linear(x, p, prefix):
    return F.linear(x, p[prefix + ".weight"].T, p.get(prefix + ".bias"))


def rotate(x, start=0, theta=10000.0, interleaved=True, scaling=lambda f: f):
    """Rotary encoding by complex numbers."""
    length, d = x.shape[-2:]
    frequencies = torch.tensor([scaling(theta ** (-2 * i / d)) for i in range(d // 2)])
    angles = (start + torch.arange(length)).to(frequencies.dtype)[:, None] * frequencies
    pairs = x.unflatten(-1, (d // 2, 2)) if interleaved else torch.stack(x.chunk(2, -1), -1)
    turned = torch.view_as_real(torch.view_as_complex(pairs.contiguous()) * torch.polar(torch.ones_like(angles), angles))
    return turned.flatten(-2) if interleaved else torch.cat(turned.unbind(-1), -1)


def attention(case):
    """`torch.nn.MultiheadAttention` over its options."""

    def mha(name, queries=3, keys=4, config=None, module=None, masks=None, constants=(), weights=False, bias=True):
        config, module, masks = config or {}, module or {}, masks or {}
        d_model, n_heads, batch = 4, 2, 2
        d_key, d_value = config.get("d_key", d_model), config.get("d_value", d_model)
        widths = {"kdim": d_key, "vdim": d_value}
        torch_module = nn.MultiheadAttention(d_model, n_heads, batch_first=True, bias=bias, **widths, **module)
        inputs = {"query": normal(batch, queries, d_model)}
        inputs |= {"key": normal(batch, keys, d_key), "value": normal(batch, keys, d_value)}

        def forward(x, p):
            arguments = {"attn_mask": None, "key_padding_mask": None}
            if "pad" in x:
                arguments["key_padding_mask"] = x["pad"]
            if "attn" in x:
                mask = x["attn"]
                mask = mask.expand(batch, queries, keys).repeat_interleave(n_heads, 0)
                arguments["attn_mask"] = mask
            if "add" in x:
                arguments["attn_mask"] = x["add"].expand(batch, n_heads, queries, keys).reshape(-1, queries, keys)
                if "pad" in x:
                    pad = torch.zeros(batch, keys).masked_fill(x["pad"], -math.inf)
                    arguments["key_padding_mask"] = pad
            if config.get("causal"):
                arguments["attn_mask"] = torch.ones(queries, keys, dtype=torch.bool).triu(1)
            arguments |= {"need_weights": weights, "average_attn_weights": False}
            y, w = functional_call(torch_module, torch_attention(p), (x["query"], x["key"], x["value"]), arguments)
            return (y, w) if weights else y

        sizes = {key: config[key] for key in ("d_key", "d_value") if key in config}
        params = attention_params("", d_model, n_heads, bias=bias, **sizes)
        layer_config = {"d_model": d_model, "n_heads": n_heads, "dropout": 0.0, "bias": bias} | sizes
        layer_config["quiet_softmax"] = module.get("add_zero_attn", False)
        layer = "MultiHeadAttention" + ("Causal" if config.get("causal") else "") + ("Weights" if weights else "")
        case(name, layer, forward, inputs | masks, params, layer_config, constants=("pad", "attn", *constants))

    pad = torch.tensor([[False, False, True, True], [False, False, False, True]])
    attn = torch.tensor([[False, True, False, False], [True, False, True, False], [False, False, False, True]])
    attn = torch.stack([attn, attn.flip(0)])
    quiet = {"add_zero_attn": True}
    mha("mha")
    mha("mha_weights", weights=True)
    mha("mha_without_bias", bias=False)
    mha("mha_of_other_widths", config={"d_key": 5, "d_value": 3})
    mha("mha_padding", masks={"pad": pad})
    mha("mha_padding_weights", masks={"pad": pad}, weights=True)
    mha("mha_mask", masks={"attn": attn})
    mha("mha_mask_of_all", masks={"attn": attn[:1]})
    mha("mha_mask_and_padding", masks={"attn": attn, "pad": pad})
    mha("mha_added", masks={"add": normal(1, 2, 3, 4)})
    mha("mha_added_and_padding", masks={"add": normal(2, 1, 3, 4), "pad": pad})
    mha("mha_added_and_padding_weights", masks={"add": normal(2, 2, 1, 4), "pad": pad}, weights=True)
    mha("mha_causal", queries=4, config={"causal": True})
    mha("mha_causal_weights", queries=4, config={"causal": True}, weights=True)
    mha("mha_causal_of_more_keys", queries=2, config={"causal": True})
    mha("mha_causal_of_more_queries", queries=5, keys=3, config={"causal": True})
    mha("mha_quiet", module=quiet)
    mha("mha_quiet_padding", module=quiet, masks={"pad": pad})
    mha("mha_quiet_mask", module=quiet, masks={"attn": attn})
    mha("mha_quiet_added", module=quiet, masks={"add": normal(2, 2, 3, 4)})


def quiet_causal(case):
    """What `add_zero_attn` gives for a causal mask: PyTorch's module pads the mask with zeros."""
    d_model, n_heads = 4, 2
    module = nn.MultiheadAttention(d_model, n_heads, batch_first=True, add_zero_attn=True)
    config = {"d_model": d_model, "n_heads": n_heads, "dropout": 0.0, "quiet_softmax": True}

    def forward(x, p):
        mask = torch.ones(4, 4, dtype=torch.bool).triu(1)
        arguments = {"attn_mask": mask, "need_weights": False}
        return functional_call(module, torch_attention(p), (x["query"], x["key"], x["value"]), arguments)[0]

    inputs = {key: normal(2, 4, d_model) for key in ("query", "key", "value")}
    case("mha_quiet_causal", "MultiHeadAttentionCausal", forward, inputs, attention_params("", d_model, n_heads), config)


def grouped(case):
    """Fewer heads of key and value: `scaled_dot_product_attention(enable_gqa=True)` between the projections."""

    def gqa(name, key_heads, d_head=None, causal=False, masks=None, dense=False, rotary=None):
        d_model, n_heads, batch, length = 4, 4, 2, 4
        size = d_head or d_model // n_heads
        masks = masks or {}

        def forward(x, p):
            heads = lambda name, count: linear(x["x"], p, name).unflatten(-1, (count, size)).transpose(1, 2)
            query, key, value = heads("query", n_heads), heads("key", key_heads), heads("value", key_heads)
            if rotary is not None:
                query, key = rotate(query, interleaved=rotary), rotate(key, interleaved=rotary)
            mask = None
            if "pad" in x:
                mask = ~x["pad"][:, None, None, :]
            if causal:
                lower = torch.ones(length, length, dtype=torch.bool).tril()
                mask = lower if mask is None else mask & lower
            if dense:
                key, value = [k.repeat_interleave(n_heads // key_heads, 1) for k in (key, value)]
                scores = query @ key.mT / math.sqrt(size)
                weights = (scores if mask is None else scores.masked_fill(~mask, -math.inf)).softmax(-1)
                return linear((weights @ value).transpose(1, 2).flatten(2), p, "output"), weights
            y = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, enable_gqa=True)
            return linear(y.transpose(1, 2).flatten(2), p, "output")

        config = {"d_model": d_model, "n_heads": n_heads, "n_key_value_heads": key_heads, "dropout": 0.0}
        config |= {"d_head": d_head} if d_head else {}
        params = attention_params("", d_model, n_heads, key_heads, d_head)
        layer = "SelfAttention" + ("Causal" if causal else "") + ("Weights" if dense else "")
        layer += {None: "", True: "Rotary", False: "RotaryHalves"}[rotary]
        case(name, layer, forward, {"x": normal(batch, length, d_model)} | masks, params, config, constants=("pad",))

    pad = torch.tensor([[False, False, False, True], [False, False, True, True]])
    gqa("gqa", 2)
    gqa("gqa_of_one_key_head", 1)
    gqa("gqa_head_size", 2, d_head=2)
    gqa("gqa_causal", 2, causal=True)
    gqa("gqa_padding", 2, masks={"pad": pad})
    gqa("gqa_causal_padding", 2, causal=True, masks={"pad": pad})
    gqa("gqa_weights", 2, dense=True, masks={"pad": pad})
    gqa("gqa_rotary", 2, d_head=2, rotary=True, causal=True)
    gqa("gqa_rotary_halves", 2, d_head=2, rotary=False, causal=True)


def hidden_rows(case):
    """Queries that attend to no key get zeros in place of PyTorch's NaN, with gradients of zero."""
    d_model, n_heads = 4, 2
    for weights in (False, True):

        def forward(x, p):
            heads = lambda name, key: linear(x[key], p, name).unflatten(-1, (n_heads, 2)).transpose(1, 2)
            query, key, value = heads("query", "query"), heads("key", "key"), heads("value", "value")
            blind = x["attn"].all(-1)[:, None, :, None]
            scores = (query @ key.mT / math.sqrt(2)).masked_fill(x["attn"][:, None], -math.inf)
            w = scores.masked_fill(blind, 0.0).softmax(-1).masked_fill(blind, 0.0)
            y = linear((w @ value).transpose(1, 2).flatten(2), p, "output")
            return (y, w) if weights else y

        inputs = {"query": normal(1, 3, 4), "key": normal(1, 2, 4), "value": normal(1, 2, 4)}
        inputs["attn"] = torch.tensor([[[True, True], [False, True], [False, False]]])
        config = {"d_model": d_model, "n_heads": n_heads, "dropout": 0.0}
        layer = "MultiHeadAttention" + ("Weights" if weights else "")
        params = attention_params("", d_model, n_heads)
        case("mha_hidden_row" + ("_weights" if weights else ""), layer, forward, inputs, params, config, constants=("attn",))


def cross(case):
    d_model, d_context, n_heads = 4, 3, 2
    module = nn.MultiheadAttention(d_model, n_heads, kdim=d_context, vdim=d_context, batch_first=True)
    pad = torch.tensor([[False, True], [False, False]])

    def forward(x, p):
        p = {key.removeprefix("attention."): value for key, value in p.items()}
        arguments = {"key_padding_mask": x.get("pad"), "need_weights": False}
        return functional_call(module, torch_attention(p), (x["query"], x["context"], x["context"]), arguments)[0]

    config = {"d_model": d_model, "d_context": d_context, "n_heads": n_heads, "dropout": 0.0}
    for name, masks in (("cross_attention", {}), ("cross_attention_padding", {"pad": pad})):
        inputs = {"query": normal(2, 3, d_model), "context": normal(2, 2, d_context)} | masks
        params = attention_params("attention", d_model, n_heads, d_key=d_context, d_value=d_context)
        case(name, "CrossAttention", forward, inputs, params, config, constants=("pad",))


def positions(case):
    """Sinusoidal and rotary encodings, from their formulas."""
    for name, d, length, base, start in (("sinusoids", 6, 5, 10000, 0), ("sinusoids_from", 4, 3, 50, 2)):
        position, pair = torch.arange(length)[:, None] + start, torch.arange(d // 2)
        angles = position.double() / float(base) ** (2.0 * pair.double() / d)
        table = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
        config = {"d_model": d, "max_sequence_size": 8, "max_timescale": base}
        layer = "PositionalEncoding" + ("From2" if start else "")
        case(name, layer, lambda x, p: x["x"] + table, {"x": normal(2, length, d)}, config=config)

    for interleaved in (True, False):
        suffix = "" if interleaved else "_halves"
        base = {"max_sequence_length": 8, "d_model": 6, "interleaved": interleaved}

        def rotary(name, layer, **options):
            theta = {"theta": options["theta"]} if "theta" in options else {}
            forward = lambda x, p: rotate(x["x"], interleaved=interleaved, **options)
            case(name + suffix, layer, forward, {"x": normal(2, 3, 4, 6)}, config=base | theta)

        rotary("rotary", "RotaryEncoding")
        rotary("rotary_theta", "RotaryEncoding", theta=100.0)
        rotary("rotary_from", "RotaryEncodingFrom3", start=3)
        rotary("rotary_scaled", "RotaryEncodingScaled", scaling=lambda f: f / 4 if f < 0.1 else f)


def adapters(case):
    """Low-rank adapters: `x W + b + alpha / rank (x A) B`, and in the projections of an attention."""
    config = {"rank": 2, "alpha": 3.0}

    def adapted(x, p, prefix):
        dot = f"{prefix}." if prefix else ""
        y = F.linear(x, p[dot + "weight"].T, p[dot + "bias"])
        return y + 1.5 * (x @ p[dot + "lora.a"]) @ p[dot + "lora.b"]

    # The frozen weights have no gradient.
    def frozen(p):
        return {key: x if "lora" in key else x.detach() for key, x in p.items()}

    low_rank = lambda prefix, inputs, outputs: {f"{prefix}lora.a": normal(inputs, 2), f"{prefix}lora.b": normal(2, outputs)}
    params = {"weight": normal(4, 3), "bias": normal(3)} | low_rank("", 4, 3)
    forward = lambda x, p: adapted(x["x"], frozen(p), "")
    case("lora_linear", "LoraLinear", forward, {"x": normal(2, 2, 4)}, params, config)
    # Merged adapters have no gradients.
    forward = lambda x, p: adapted(x["x"], {key: value.detach() for key, value in p.items()}, "")
    case("lora_linear_merged", "LoraLinearMerged", forward, {"x": normal(2, 2, 4)}, params, config)

    def attend(x, p):
        p = frozen(p)
        heads = lambda y: y.unflatten(-1, (2, 2)).transpose(1, 2)
        query, value = heads(adapted(x["x"], p, "query")), heads(adapted(x["x"], p, "value"))
        key = heads(linear(x["x"], p, "key"))
        y = F.scaled_dot_product_attention(query, key, value)
        return linear(y.transpose(1, 2).flatten(2), p, "output")

    params = attention_params("", 4, 2) | low_rank("query.", 4, 4) | low_rank("value.", 4, 4)
    targets = {"targets": ["query", "value"]}
    case("lora_attention", "LoraAttention", attend, {"x": normal(2, 3, 4)}, params, config | targets)


def cases(case):
    attention(case)
    quiet_causal(case)
    grouped(case)
    hidden_rows(case)
    cross(case)
    positions(case)
    adapters(case)
