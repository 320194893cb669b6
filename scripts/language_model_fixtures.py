"""Tiny language models with random weights, and their logits by transformers in float32.

    python scripts/language_model_fixtures.py

writes `crates/burn-lm/tests/fixtures/`; needs torch, transformers, safetensors and gguf. Each folder has `config.json`,
`model.safetensors` and `logits.safetensors`: token ids `tokens`, and `logits` at the last three positions.
"""

import json
import shutil
from pathlib import Path

import numpy
import torch
import transformers
from safetensors.torch import save_file

FOLDER = Path(__file__).parent.parent / "crates/burn-lm/tests/fixtures"
VOCABULARY = 48
LENGTH = 22

SIZES = dict(
    vocab_size=VOCABULARY,
    hidden_size=16,
    intermediate_size=24,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=64,
    bos_token_id=1,
    eos_token_id=2,
    pad_token_id=0,
)


def rope(**options):
    return dict(rope_parameters=dict(rope_theta=1000.0, **options))


def families():
    t = transformers
    yield "llama", t.LlamaConfig(**SIZES, attention_bias=True, mlp_bias=True)
    yield "llama-linear", t.LlamaConfig(**SIZES, **rope(rope_type="linear", factor=4.0))
    dynamic = {**SIZES, "max_position_embeddings": LENGTH}
    yield "llama-dynamic", t.LlamaConfig(**dynamic, **rope(rope_type="dynamic", factor=2.0))
    yarn = rope(rope_type="yarn", factor=4.0, original_max_position_embeddings=16)
    yield "llama-yarn", t.LlamaConfig(**SIZES, **yarn)
    llama3 = dict(low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=32)
    yield "llama-llama3", t.LlamaConfig(**SIZES, **rope(rope_type="llama3", factor=8.0, **llama3))
    yield "mistral", t.MistralConfig(**SIZES, sliding_window=5, tie_word_embeddings=False)
    yield "qwen2", t.Qwen2Config(**SIZES, use_sliding_window=True, sliding_window=6, max_window_layers=1)
    yield "qwen3", t.Qwen3Config(**SIZES, head_dim=8, tie_word_embeddings=True)
    yield "smollm3", t.SmolLM3Config(**{**SIZES, "num_hidden_layers": 4})
    yield "gemma", t.GemmaConfig(**SIZES, head_dim=8)
    caps = dict(attn_logit_softcapping=5.0, final_logit_softcapping=3.0)
    yield "gemma2", t.Gemma2Config(**SIZES, head_dim=8, sliding_window=5, query_pre_attn_scalar=12, **caps)
    sizes = {**SIZES, "num_hidden_layers": 3}
    layers = ["sliding_attention", "full_attention", "sliding_attention"]
    yield "gemma3", t.Gemma3TextConfig(**sizes, head_dim=8, sliding_window=5, layer_types=layers)
    yield "phi", t.PhiConfig(**SIZES, partial_rotary_factor=0.5)
    yield "phi3", t.Phi3Config(**SIZES, sliding_window=7)
    factors = dict(short_factor=[1.0, 1.5], long_factor=[2.0, 3.0], original_max_position_embeddings=32)
    long = {**SIZES, "original_max_position_embeddings": 32}
    yield "phi3-longrope", t.Phi3Config(**long, **rope(rope_type="longrope", **factors))
    yield "gpt2", t.GPT2Config(
        vocab_size=VOCABULARY, n_embd=16, n_layer=2, n_head=4, n_positions=64, bos_token_id=1, eos_token_id=2
    )


def write(name, config):
    torch.manual_seed(len(name))
    config._attn_implementation = "eager"
    model = transformers.AutoModelForCausalLM.from_config(config).float().eval()
    with torch.no_grad():
        # Larger than the initial weights, so that every part changes the logits.
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.3)
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    tokens = torch.randint(3, VOCABULARY, (1, LENGTH), generator=torch.Generator().manual_seed(7))
    with torch.no_grad():
        logits = model(tokens).logits[0, -3:]
    save_file({"tokens": tokens[0], "logits": logits.contiguous()}, folder / "logits.safetensors")
    config = json.loads((folder / "config.json").read_text())
    config.pop("transformers_version", None)
    (folder / "config.json").write_text(json.dumps(config, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    for name, config in families():
        write(name, config)
        print(name)
