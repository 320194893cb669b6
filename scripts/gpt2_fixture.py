"""Writes the fixture of `examples/gpt2`: weights of a small GPT-2, sequences, and the losses of 30 steps.

    python3 -m venv E && E/bin/pip install torch numpy safetensors
    E/bin/python scripts/gpt2_fixture.py

The model is written with tensor functions of PyTorch alone, under the names of Hugging Face's `gpt2`.
"""

import json
import math
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

LAYERS, WIDTH, HEADS, VOCABULARY, CONTEXT = 2, 24, 3, 40, 16
STEPS, BATCH, ACCUMULATION = 30, 4, 2
RATE, FINAL_RATE, WARMUP = 1e-2, 1e-3, 5
WEIGHT_DECAY, BETAS, MAX_NORM = 0.1, (0.9, 0.95), 1.0
FOLDER = Path(__file__).parent.parent / "examples/gpt2/tests/fixtures/gpt2"


def initial_weights() -> dict[str, torch.Tensor]:
    """Weights by GPT-2's rule, and small random biases so that each is seen."""
    random = torch.Generator().manual_seed(3)
    normal = lambda *shape, std=0.02: torch.randn(*shape, generator=random) * std
    residual = 0.02 / math.sqrt(2 * LAYERS)
    weights = {
        "transformer.wte.weight": normal(VOCABULARY, WIDTH),
        "transformer.wpe.weight": normal(CONTEXT, WIDTH),
    }
    for layer in range(LAYERS):
        name = f"transformer.h.{layer}."
        for norm in ("ln_1", "ln_2"):
            weights[name + norm + ".weight"] = 1 + normal(WIDTH)
            weights[name + norm + ".bias"] = normal(WIDTH)
        for part, rows, columns, std in (
            ("attn.c_attn", WIDTH, 3 * WIDTH, 0.02),
            ("attn.c_proj", WIDTH, WIDTH, residual),
            ("mlp.c_fc", WIDTH, 4 * WIDTH, 0.02),
            ("mlp.c_proj", 4 * WIDTH, WIDTH, residual),
        ):
            weights[name + part + ".weight"] = normal(rows, columns, std=std)
            weights[name + part + ".bias"] = normal(columns)
    weights["transformer.ln_f.weight"] = 1 + normal(WIDTH)
    weights["transformer.ln_f.bias"] = normal(WIDTH)
    return weights


def loss_of(weights: dict[str, torch.Tensor], rows: torch.Tensor) -> torch.Tensor:
    tokens, following = rows[:, :-1], rows[:, 1:]
    batch, length = tokens.shape
    get = lambda name: weights["transformer." + name]
    norm = lambda x, name: F.layer_norm(x, (WIDTH,), get(name + ".weight"), get(name + ".bias"), 1e-5)
    linear = lambda x, name: x @ get(name + ".weight") + get(name + ".bias")
    x = get("wte.weight")[tokens] + get("wpe.weight")[:length]
    for layer in range(LAYERS):
        name = f"h.{layer}."
        heads = linear(norm(x, name + "ln_1"), name + "attn.c_attn").split(WIDTH, dim=2)
        query, key, value = (h.view(batch, length, HEADS, -1).transpose(1, 2) for h in heads)
        context = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + linear(context.transpose(1, 2).reshape(batch, length, WIDTH), name + "attn.c_proj")
        hidden = F.gelu(linear(norm(x, name + "ln_2"), name + "mlp.c_fc"), approximate="tanh")
        x = x + linear(hidden, name + "mlp.c_proj")
    logits = norm(x, "ln_f") @ get("wte.weight").T
    return F.cross_entropy(logits.flatten(0, 1), following.flatten())


def rate_at(step: int) -> float:
    if step < WARMUP:
        return RATE * (step + 1) / WARMUP
    progress = (step - WARMUP) / (STEPS - WARMUP)
    return FINAL_RATE + 0.5 * (1 + math.cos(math.pi * progress)) * (RATE - FINAL_RATE)


def sequences() -> torch.Tensor:
    """Arithmetic progressions of random step, which a model can learn."""
    random = torch.Generator().manual_seed(4)
    count = STEPS * ACCUMULATION * BATCH
    start = torch.randint(VOCABULARY, (count, 1), generator=random)
    step = torch.randint(1, 4, (count, 1), generator=random)
    return (start + step * torch.arange(CONTEXT + 1)) % VOCABULARY


def main() -> None:
    weights = initial_weights()
    FOLDER.mkdir(parents=True, exist_ok=True)
    save_file(weights, FOLDER / "model.safetensors")
    rows = sequences()
    for weight in weights.values():
        weight.requires_grad_()
    matrices = [weight for weight in weights.values() if weight.dim() == 2]
    vectors = [weight for weight in weights.values() if weight.dim() == 1]
    groups = [{"params": matrices, "weight_decay": WEIGHT_DECAY}, {"params": vectors, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=RATE, betas=BETAS, eps=1e-8)
    losses = []
    for step, batches in enumerate(rows.view(STEPS, ACCUMULATION, BATCH, CONTEXT + 1)):
        optimizer.zero_grad()
        total = 0.0
        for batch in batches:
            loss = loss_of(weights, batch) / ACCUMULATION
            loss.backward()
            total += loss.item()
        losses.append(total)
        torch.nn.utils.clip_grad_norm_(weights.values(), MAX_NORM)
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step)
        optimizer.step()
    run = {
        "steps": STEPS, "batch_size": BATCH, "accumulation": ACCUMULATION, "length": CONTEXT,
        "learning_rate": RATE, "final_learning_rate": FINAL_RATE, "warmup_steps": WARMUP,
        "losses": losses, "tokens": rows.flatten().tolist(),
    }
    (FOLDER / "run.json").write_text(json.dumps(run) + "\n")
    config = {
        "architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "activation_function": "gelu_new",
        "n_embd": WIDTH, "n_head": HEADS, "n_inner": None, "n_layer": LAYERS, "n_positions": CONTEXT,
        "layer_norm_epsilon": 1e-5, "scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False,
        "reorder_and_upcast_attn": False, "tie_word_embeddings": True, "vocab_size": VOCABULARY,
    }
    (FOLDER / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    print(f"losses {losses[0]:.4f} to {losses[-1]:.4f}")


if __name__ == "__main__":
    main()
