#!/usr/bin/env python3
"""Writes crates/burn-dataset/tests/datasets/huggingface: a dataset in the layout of the Hugging Face hub, in Parquet by pyarrow.

The same rows, as Python has them, are written as JSON lines, which the tests compare with.

    pip install pyarrow; python scripts/parquet_fixtures.py
"""

import datetime
import decimal
import json
import pathlib

import pyarrow
import pyarrow.parquet

OUT = pathlib.Path("crates/burn-dataset/tests/datasets/huggingface")
SCHEMA = pyarrow.schema(
    {
        "text": pyarrow.string(),
        "label": pyarrow.int64(),
        "score": pyarrow.float32(),
        "weight": pyarrow.float64(),
        "good": pyarrow.bool_(),
        "small": pyarrow.uint8(),
        "large": pyarrow.uint64(),
        "tags": pyarrow.list_(pyarrow.string()),
        "grid": pyarrow.list_(pyarrow.list_(pyarrow.float32())),
        "image": pyarrow.struct({"bytes": pyarrow.binary(), "path": pyarrow.string()}),
        "raw": pyarrow.binary(),
        "day": pyarrow.date32(),
        "time": pyarrow.timestamp("us"),
        "price": pyarrow.decimal128(9, 2),
    }
)


def row(number):
    return {
        "text": f"text {number}, “quoted”" if number % 3 else "",
        "label": number - 5,
        "score": number / 8,
        "weight": number / 7,
        "good": number % 2 == 0 if number % 5 else None,
        "small": 255 - number,
        "large": 2**64 - 1 - number,
        "tags": [f"tag {tag}" for tag in range(number % 4)] if number % 7 else None,
        "grid": [[number / 2, -1.5], [], [float(number)]],
        "image": {"bytes": bytes([0x89, 0xFF, number]), "path": f"{number}.png" if number % 2 else None},
        "raw": bytes(range(number % 5)),
        "day": datetime.date(1970, 1, 1) + datetime.timedelta(days=number * 1000),
        "time": datetime.datetime(2001, 9, 9, 1, 46, 40, number),
        "price": decimal.Decimal(number * 125 - 300).scaleb(-2),
    }


def plain(value):
    """The value as JSON: bytes as lists, a day as days and a time as microseconds since 1970, a decimal as its digits."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, datetime.datetime):
        return (value - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)
    if isinstance(value, datetime.date):
        return (value - datetime.date(1970, 1, 1)).days
    if isinstance(value, decimal.Decimal):
        return str(value)
    return value


def save(path, rows, **options):
    path = OUT / path
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pyarrow.Table.from_pylist(rows, schema=SCHEMA)
    pyarrow.parquet.write_table(table, path, **options)
    print(f"{path}: {len(rows)} rows, {path.stat().st_size} bytes")


def main():
    train = [row(number) for number in range(25)]
    test = [row(number) for number in range(25, 30)]
    save("parquet/data/train-00000-of-00002.parquet", train[:15], compression="snappy", row_group_size=6)
    save("parquet/data/train-00001-of-00002.parquet", train[15:], compression="gzip", data_page_version="2.0")
    save("parquet/data/test-00000-of-00001.parquet", test, compression="none", use_dictionary=False)
    save("zstd/train.parquet", test, compression="zstd")
    for name, rows in [("train", train), ("test", test)]:
        lines = [json.dumps(plain(row), ensure_ascii=False) + "\n" for row in rows]
        path = OUT / f"json/{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(lines))


if __name__ == "__main__":
    main()
