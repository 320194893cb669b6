"""Writes the fixture of `examples/lora`: an adapter that PEFT saved for a small Llama, and the logits with it.

    python3 -m venv E && E/bin/pip install torch peft transformers
    E/bin/python scripts/peft_fixture.py

With `--check ADAPTER [BASE]`, PEFT loads an adapter that Burn saved, and its logits are printed.
"""

import json
import sys
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM

ROOT = Path(__file__).parent.parent
BASE = ROOT / "crates/burn-lm/tests/fixtures/llama"
FOLDER = ROOT / "examples/lora/tests/fixtures/peft"
TOKENS = torch.tensor([[5, 9, 33, 7, 8, 21, 40, 2, 3, 11]])


def check(adapter: Path, base: Path) -> None:
    model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(base), adapter)
    print(json.dumps(model(TOKENS).logits[0, -1].tolist()))


def write() -> None:
    torch.set_num_threads(1)
    config = LoraConfig(r=3, lora_alpha=6, target_modules=["q_proj", "v_proj", "gate_proj"], task_type="CAUSAL_LM")
    model = get_peft_model(AutoModelForCausalLM.from_pretrained(BASE), config)
    random = torch.Generator().manual_seed(5)
    for name, parameter in model.named_parameters():
        if "lora_" in name:
            parameter.data = torch.randn(parameter.shape, generator=random) * 0.3
    model.eval()
    model.save_pretrained(FOLDER)
    (FOLDER / "README.md").unlink(missing_ok=True)
    config = json.loads((FOLDER / "adapter_config.json").read_text())
    config["base_model_name_or_path"] = "llama"
    (FOLDER / "adapter_config.json").write_text(json.dumps(config, indent=1) + "\n")
    with torch.no_grad():
        logits = model(TOKENS).logits
    (FOLDER / "logits.json").write_text(json.dumps({"shape": list(logits.shape), "values": logits.flatten().tolist()}) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--check"]:
        check(Path(sys.argv[2]), Path(sys.argv[3]) if sys.argv[3:] else BASE)
    else:
        write()
