"""Writes to `examples/onnx-models/data` what onnxruntime computes: `scores.npy`, magika's scores of the samples in the order of their
names, `speech.npy`, Silero's probabilities of a wave, and `state.npy`, its state afterwards.

    pip install magika silero-vad onnxruntime numpy        (or unpack the wheels and name their folder)
    python examples/onnx-models/python/reference.py [FOLDER]
"""

import sys
import sysconfig
from pathlib import Path

import numpy
import onnxruntime

DATA = Path(__file__).parent.parent / "data"
MODELS = Path(sys.argv[1] if len(sys.argv) > 1 else sysconfig.get_paths()["purelib"])
SEEN, BLOCK, PADDING = 1024, 4096, 256
CHUNK, CONTEXT, CHUNKS = 512, 64, 24


def features(file):
    start, end = file[:BLOCK].lstrip()[:SEEN], file[-BLOCK:].rstrip()[-SEEN:]
    return list(start) + [PADDING] * (SEEN - len(start)) + [PADDING] * (SEEN - len(end)) + list(end)


def wave():
    """Pulses of 120 Hz through two resonances, loud and silent in turns: near enough to a vowel for the model to waver."""
    k = numpy.arange(CHUNK * CHUNKS, dtype=numpy.float64)
    t = k / 16000
    tones = sum(numpy.sin(2 * numpy.pi * 120 * h * t) * numpy.exp(-(((120 * h - 700) / 300) ** 2)) for h in range(1, 24))
    return (0.2 * tones * (1 + numpy.sin(2 * numpy.pi * 3 * t)) / 2).astype(numpy.float32)


def session(path):
    return onnxruntime.InferenceSession(str(MODELS / path), providers=["CPUExecutionProvider"])


def main():
    magika = session("magika/models/standard_v3_3/model.onnx")
    files = [path.read_bytes() for path in sorted((DATA / "samples").iterdir())]
    inputs = numpy.array([features(file) for file in files], numpy.int32)
    [scores] = magika.run(None, {magika.get_inputs()[0].name: inputs})
    numpy.save(DATA / "scores.npy", scores)
    silero = session("silero_vad/data/silero_vad_op18_ifless.onnx")
    samples, state = numpy.concatenate([numpy.zeros(CONTEXT, numpy.float32), wave()]), numpy.zeros((2, 1, 128), numpy.float32)
    speech = []
    for chunk in range(CHUNKS):
        feeds = {"input": samples[None, chunk * CHUNK : (chunk + 1) * CHUNK + CONTEXT], "state": state, "sr": numpy.array(16000, numpy.int64)}
        probability, state = silero.run(None, feeds)
        speech.append(probability.item())
    numpy.save(DATA / "speech.npy", numpy.array(speech, numpy.float32))
    numpy.save(DATA / "state.npy", state)
    print(scores.max(1), numpy.array(speech).round(3))


if __name__ == "__main__":
    main()
