"""Event files and TensorBoard's own reader.

    pip install tensorboard
    python scripts/tensorboard_fixture.py write crates/burn-train/src/callback/tensorboard/fixture.tfevents
    python scripts/tensorboard_fixture.py read ARTIFACTS/tensorboard

`write` makes the file that the unit tests compare with, of TensorBoard's messages and framing. `read` prints the scalars that
TensorBoard sees in the folder of a run, one a line: run, tag, step, value.
"""

import sys

from tensorboard.backend.event_processing.event_multiplexer import EventMultiplexer
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter


def write(path):
    loss = Summary.Value(tag="Loss", simple_value=0.25)
    rate = Summary.Value(tag="Learning Rate", simple_value=0.0)
    events = [
        Event(wall_time=1.0, step=0, file_version="brain.Event:2"),
        Event(wall_time=1.0, step=5, session_log=SessionLog(status=SessionLog.START)),
        Event(wall_time=1.0, step=300, summary=Summary(value=[loss, rate])),
        Event(wall_time=1.0, step=70_000, summary=Summary(value=[loss])),
    ]
    with open(path, "wb") as file:
        writer = RecordWriter(file)
        for event in events:
            writer.write(event.SerializeToString())
        writer.flush()


def read(folder):
    runs = EventMultiplexer().AddRunsFromDirectory(folder)
    runs.Reload()
    for run in sorted(runs.Runs()):
        accumulator = runs.GetAccumulator(run)
        for tag in sorted(accumulator.Tags()["scalars"]):
            for scalar in accumulator.Scalars(tag):
                print(run, tag, scalar.step, scalar.value, sep="\t")


command, path = sys.argv[1:]
{"write": write, "read": read}[command](path)
