"""Writes what onnxruntime computes for the samples with the network of Magika.

    python examples/file-type/python/reference.py MAGIKA

MAGIKA is the folder `magika/models/standard_v3_3` of the unpacked package `magika` (1.0.3). Needs onnxruntime and numpy. Writes
`examples/file-type/data/reference.csv`: file, label, probability.
"""

import json
import sys
from pathlib import Path

import numpy
import onnxruntime

DATA = Path(__file__).parent.parent / "data"


def features(content):
    block = min(4096, len(content))
    start, end = content[:block].lstrip()[:1024], content[len(content) - block:].rstrip()[-1024:]
    return [*start, *[256] * (1024 - len(start)), *[256] * (1024 - len(end)), *end]


def main():
    folder = Path(sys.argv[1])
    labels = json.loads((folder / "config.min.json").read_text())["target_labels_space"]
    session = onnxruntime.InferenceSession(folder / "model.onnx")
    files = sorted((DATA / "samples").iterdir())
    inputs = numpy.array([features(file.read_bytes()) for file in files], "i4")
    [probabilities] = session.run(None, {"bytes": inputs})
    with open(DATA / "reference.csv", "w", encoding="utf-8") as out:
        out.write("file,label,probability\n")
        for file, row in zip(files, probabilities):
            out.write(f"{file.name},{labels[row.argmax()]},{row.max():.6f}\n")


if __name__ == "__main__":
    main()
