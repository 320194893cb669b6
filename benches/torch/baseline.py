"""What PyTorch takes for the workloads of `benches`, eager and compiled.

Reads a question a line, `{"workload": NAME, "compiled": false}`, measures one batch of that workload, and
answers with a line of JSON: the nanoseconds per call. `--threads N` says how many threads PyTorch may use.
With names as arguments it measures each fifteen times and prints the medians. `--memory NAME` makes 50 calls
and prints the most memory that the process ever had, in bytes.
"""

import argparse
import json
import statistics
import sys
import time

import torch

import kernels
import models

BATCH_SECONDS = 0.02

WORKLOADS = kernels.WORKLOADS | models.WORKLOADS


class Batch:
    """Calls so many that one batch is long against the clock."""

    def __init__(self, call):
        self.call, self.calls = call, 1
        self.seconds()
        while self.seconds() < BATCH_SECONDS / 2:
            self.calls *= 2

    def seconds(self):
        start = time.perf_counter()
        for _ in range(self.calls):
            self.call()
        return time.perf_counter() - start

    def nanoseconds(self):
        # As in the other process, a call that is not counted wakes processors and fills caches.
        self.call()
        return self.seconds() / self.calls * 1e9


def prepare(workload, compiled):
    return WORKLOADS[workload](torch.compile if compiled else lambda function: function)


def answer():
    """Keeps the batches of one workload, so that turns are short and memory is that of one workload."""
    current, batches = None, {}
    for line in sys.stdin:
        question = json.loads(line)
        workload, compiled = question["workload"], question["compiled"]
        if workload not in WORKLOADS:
            print(json.dumps({"error": f"there is no workload {workload}"}), flush=True)
            continue
        if workload != current:
            current, batches = workload, {}
        if compiled not in batches:
            batches[compiled] = Batch(prepare(workload, compiled))
        print(json.dumps({"ns": batches[compiled].nanoseconds()}), flush=True)


def memory(workload):
    call = prepare(workload, compiled=False)
    for _ in range(50):
        call()
    with open("/proc/self/status") as status:
        peak = next(line for line in status if line.startswith("VmHWM"))
    print(int(peak.split()[1]) * 1024)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.memory:
        memory(options.memory)
    elif options.names:
        for name in options.names:
            batch = Batch(prepare(name, compiled=False))
            times = [batch.nanoseconds() for _ in range(15)]
            print(json.dumps({"workload": name, "ns": statistics.median(times)}))
    else:
        answer()


if __name__ == "__main__":
    main()
