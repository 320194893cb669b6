"""Exports a trained network of handwritten digits as ONNX.

    python examples/onnx-inference/python/export.py DIGITS

The network is the one that `examples/pytorch-import/python/train.py` trained; its checkpoint is in that example. DIGITS is
`digits.csv.gz` of the scikit-learn package (`sklearn/datasets/data`): 1,797 images of 8 x 8 pixels, a copy of the test set of
Alpaydin and Kaynak (1998), UCI Machine Learning Repository. Needs torch 2.11, onnx, onnxruntime and numpy. Writes to
`examples/onnx-inference`:

- `src/model/digits.onnx`: the network, from pixels of 0 to 16 to logits,
- `data/digits.bin`: 100 images that it was not trained on, each with its label: 64 bytes of 0 to 16, and one of 0 to 9,
- `data/logits.bin`: what onnxruntime computes for them, `f32` in little endian.
"""

import importlib.util
import sys
from pathlib import Path

import numpy
import onnxruntime
import torch
from torch import nn

ROOT = Path(__file__).parent.parent
TRAINED = ROOT.parent / "pytorch-import"


class Network(nn.Module):
    """The trained network with the factor for pixels in front."""

    def __init__(self, digits, pixel_scale):
        super().__init__()
        self.digits, self.pixel_scale = digits, pixel_scale

    def forward(self, image):
        return self.digits(image * self.pixel_scale)


def main():
    spec = importlib.util.spec_from_file_location("train", TRAINED / "python" / "train.py")
    train = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(train)
    checkpoint = torch.load(TRAINED / "data" / "digits.pt")
    digits = train.Digits(checkpoint["config"])
    digits.load_state_dict(checkpoint["model_state_dict"])
    network = Network(digits, checkpoint["config"]["pixel_scale"]).eval()

    file = ROOT / "src" / "model" / "digits.onnx"
    file.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        network, (torch.zeros(1, 1, 8, 8),), file, input_names=["image"], output_names=["logits"], opset_version=17, dynamo=False,
        dynamic_axes={"image": {0: "batch"}, "logits": {0: "batch"}}, training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False,
    )

    table = numpy.loadtxt(sys.argv[1], delimiter=",", dtype="u1")[1600:1700]
    (ROOT / "data" / "digits.bin").write_bytes(table.tobytes())
    images = table[:, :64].reshape(-1, 1, 8, 8).astype("f4")
    [logits] = onnxruntime.InferenceSession(file).run(None, {"image": images})
    (ROOT / "data" / "logits.bin").write_bytes(logits.astype("<f4").tobytes())
    print("right:", (logits.argmax(1) == table[:, 64]).sum(), "of", len(table))


if __name__ == "__main__":
    main()
