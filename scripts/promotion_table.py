#!/usr/bin/env python3
"""Writes crates/burn-ir/tests/inference/promotion.txt: torch.promote_types of every two element types, "-" where it raises.

Run it with PyTorch 2.11 from the root of the repository: python scripts/promotion_table.py
"""

import pathlib

import torch

DTYPES = {
    "f64": torch.float64,
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i64": torch.int64,
    "i32": torch.int32,
    "i16": torch.int16,
    "i8": torch.int8,
    "u64": torch.uint64,
    "u32": torch.uint32,
    "u16": torch.uint16,
    "u8": torch.uint8,
    "bool": torch.bool,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


def promoted(lhs, rhs):
    try:
        return NAMES[torch.promote_types(lhs, rhs)]
    except RuntimeError:
        return "-"


rows = [" ".join([name, *(promoted(lhs, rhs) for rhs in DTYPES.values())]) for name, lhs in DTYPES.items()]
path = pathlib.Path("crates/burn-ir/tests/inference/promotion.txt")
path.write_text(" ".join(["", *DTYPES]).strip() + "\n" + "\n".join(rows) + "\n")
