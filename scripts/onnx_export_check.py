"""Checks the ONNX models that Burn exports: onnx.checker, strict shape inference, and the outputs of onnxruntime.

usage: onnx_export_check.py FOLDER        (written by the example `export_models` of burn-onnx; needs onnx, onnxruntime, numpy)

`cargo xtask onnx --export` writes the folder and calls this. Each run of a model has its inputs and the outputs of Burn; the largest
difference of each model is printed, relative to the largest output, and one above the tolerance is an error.
"""

import pathlib
import sys

import numpy
import onnx
import onnxruntime

TOLERANCE = 2e-5


def arrays(folder, kind):
    count = len(list(folder.glob(f"{kind}_*.npy")))
    return [numpy.load(folder / f"{kind}_{place}.npy") for place in range(count)]


def difference(found, expected, place):
    if found.dtype != expected.dtype or found.shape != expected.shape:
        raise ValueError(f"output {place}: {found.dtype}{found.shape}, expected {expected.dtype}{expected.shape}")
    if expected.dtype.kind != "f":
        if not numpy.array_equal(found, expected):
            raise ValueError(f"output {place}: other elements")
        return 0.0
    same = (found == expected) | (numpy.isnan(found) & numpy.isnan(expected))
    error = numpy.where(same, 0.0, numpy.abs(found.astype(numpy.float64) - expected))
    largest = max(1e-3, float(numpy.abs(expected[numpy.isfinite(expected)]).max(initial=0.0)))
    error = float(error.max(initial=0.0)) / largest
    if not error <= TOLERANCE:
        raise ValueError(f"output {place}: off by {error:.2e} of the largest output")
    return error


def check(folder):
    path = folder / "model.onnx"
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # Otherwise products with quantized weights round the other factor to 8 bits too.
    options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_inputs()]
    worst, runs = 0.0, sorted(entry for entry in folder.iterdir() if entry.is_dir())
    for run in runs:
        outputs = session.run(None, dict(zip(names, arrays(run, "input"), strict=True)))
        expected = arrays(run, "output")
        for place, pair in enumerate(zip(outputs, expected, strict=True)):
            worst = max(worst, difference(*pair, place))
    return worst, len(runs), len(model.graph.node)


def main():
    folders = sorted(entry for entry in pathlib.Path(sys.argv[1]).iterdir() if entry.is_dir())
    failures = 0
    for folder in folders:
        try:
            worst, runs, nodes = check(folder)
            print(f"{folder.name:20} {nodes:4} nodes  {runs} runs  {worst:.1e}")
        except Exception as error:  # noqa: BLE001: whatever is wrong with a model is printed, and the others are checked
            failures += 1
            print(f"{folder.name:20} FAILED: {str(error).strip()}")
    print(f"{len(folders) - failures} of {len(folders)} models pass, onnxruntime {onnxruntime.__version__}")
    sys.exit(1 if failures or not folders else 0)


if __name__ == "__main__":
    main()
