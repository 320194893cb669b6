"""Prepares the models of a folder for `cargo xtask bench --onnx`: inputs of their declared shapes, and what onnxruntime makes of them.

usage: folder.py FOLDER OUT [--size NAME=N] [--shape INPUT=1x576] [--shape MODEL:INPUT=1x3x48x320] [--value INPUT=16000] [--threads N]

OUT/bench/MODEL gets model.onnx and test_data_set_0, as the official test data of ONNX has them; `baseline.py` measures them. An open size
is what `--size` or `--shape` says, else 1 in the first dimension, 224 in the spatial dimensions of an image (rank 4), and 16 elsewhere.
Numbers are drawn from the standard normal distribution, integers are 1 and 0 in turn, booleans are true; `--value` fills an input.
"""

import argparse
import pathlib
import shutil
import sys
import zlib

import numpy
import onnx
import onnxruntime
from onnx import helper, numpy_helper


def pairs(entries):
    split = (entry.rsplit("=", 1) for entry in entries)
    return {name: value for name, value in split}


class Choice:
    """Sizes and values that were asked for."""

    def __init__(self, options):
        self.sizes = {name: int(size) for name, size in pairs(options.size).items()}
        self.shapes = {
            name: [int(size) for size in shape.split("x") if size] for name, shape in pairs(options.shape).items()
        }
        self.values = pairs(options.value)

    def of(self, table, model, name):
        return table.get(f"{model}:{name}", table.get(name))

    def shape(self, model, info):
        asked = self.of(self.shapes, model, info.name)
        if asked is not None:
            return asked
        dims = info.type.tensor_type.shape.dim
        return [self.size(dim, place, len(dims)) for place, dim in enumerate(dims)]

    def size(self, dim, place, rank):
        if dim.dim_value > 0:
            return dim.dim_value
        default = 1 if place == 0 else 224 if rank == 4 and place >= 2 else 16
        return self.sizes.get(dim.dim_param, default)

    def tensor(self, model, info, numbers):
        dtype = helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
        shape, value = self.shape(model, info), self.of(self.values, model, info.name)
        if value is not None:
            return numpy.full(shape, float(value) if numpy.issubdtype(dtype, numpy.floating) else int(value), dtype)
        if numpy.issubdtype(dtype, numpy.floating):
            return numbers.standard_normal(shape).astype(dtype)
        if dtype == numpy.bool_:
            return numpy.ones(shape, dtype)
        return (1 - numpy.arange(int(numpy.prod(shape))) % 2).reshape(shape).astype(dtype)


def names(folder):
    """Models by a name: that of the file, or of its folder where the file is `model.onnx`."""
    found = {}
    for path in sorted(folder.rglob("*.onnx")):
        name = path.parent.name if path.stem == "model" else path.stem
        while name in found:
            name += "_"
        found[name] = path
    return found


def write(folder, kind, values):
    for place, value in enumerate(values):
        (folder / f"{kind}_{place}.pb").write_bytes(numpy_helper.from_array(numpy.asarray(value)).SerializeToString())


def prepare(name, path, out, choice, threads):
    model = onnx.load(path)
    given = {constant.name for constant in model.graph.initializer}
    inputs = [info for info in model.graph.input if info.name not in given]
    numbers = numpy.random.default_rng(zlib.crc32(name.encode()))
    feeds = {info.name: choice.tensor(name, info, numbers) for info in inputs}
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    outputs = session.run(None, feeds)
    data = out / name / "test_data_set_0"
    data.mkdir(parents=True)
    # External data becomes part of the file.
    onnx.save(model, str(out / name / "model.onnx"))
    write(data, "input", feeds.values())
    write(data, "output", outputs)
    shapes = ", ".join(f"{name} {'x'.join(map(str, value.shape)) or 'scalar'}" for name, value in feeds.items())
    print(f"{name}: {shapes}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=2)
    for name in ["--size", "--shape", "--value"]:
        parser.add_argument(name, action="append", default=[])
    options = parser.parse_args()
    out = options.out / "bench"
    shutil.rmtree(out, ignore_errors=True)
    models = names(options.folder)
    if not models:
        sys.exit(f"{options.folder}: there is no file *.onnx; expected a folder of models")
    for name, path in models.items():
        try:
            prepare(name, path, out, Choice(options), options.threads)
        except Exception as cause:
            sys.exit(f"{path}: {cause}. Fix open sizes with --size, --shape or --value")


main()
