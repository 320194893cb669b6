"""What onnxruntime takes for exported models, with as many threads as are asked for.

Reads a question a line, `{"workload": "onnx NAME"}`, measures one batch of the model of that name, and answers with a line of JSON:
nanoseconds of the clock and of the processors per call. `--threads N` says how many threads onnxruntime may use. The models are those
that `scripts/onnx_exports.py --bench` writes into the folder that BURN_ONNX_EXPORTS names.
"""

import argparse
import json
import os
import pathlib
import sys
import time

import onnx
import onnxruntime
from onnx import numpy_helper

BATCH_SECONDS = 0.1
FOLDER = pathlib.Path(__file__).parents[2] / "target/onnx-exports"


class Batch:
    """Calls so many that one batch is long against the clock."""

    def __init__(self, name, threads):
        path = pathlib.Path(os.environ.get("BURN_ONNX_EXPORTS", FOLDER)) / "bench" / name
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(path / "model.onnx"), options, providers=["CPUExecutionProvider"])
        tensors = []
        for file in sorted((path / "test_data_set_0").glob("input_*.pb")):
            tensors.append(numpy_helper.to_array(onnx.load_tensor(str(file))))
        self.feeds = {value.name: tensor for value, tensor in zip(self.session.get_inputs(), tensors)}
        self.calls = 1
        self.times()
        while self.times()[0] * self.calls < BATCH_SECONDS / 2:
            self.calls *= 2

    def times(self):
        """Seconds of the clock and of the processors per call, behind one that is not counted."""
        self.session.run(None, self.feeds)
        start, processor = time.perf_counter(), time.process_time()
        for _ in range(self.calls):
            self.session.run(None, self.feeds)
        return (time.perf_counter() - start) / self.calls, (time.process_time() - processor) / self.calls


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    current, batch = None, None
    for line in sys.stdin:
        workload = json.loads(line)["workload"]
        if workload != current:
            current, batch = workload, Batch(workload.removeprefix("onnx "), options.threads)
        clock, processor = batch.times()
        print(json.dumps({"ns": clock * 1e9, "processor_ns": processor * 1e9}), flush=True)


main()
