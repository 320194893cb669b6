"""Trains a small convolutional network on handwritten digits, and saves it as PyTorch programs do.

    python examples/pytorch-import/python/train.py DIGITS

DIGITS is `digits.csv.gz` of the scikit-learn package (`sklearn/datasets/data`): 1,797 images of 8 x 8 pixels, a copy of the
test set of Alpaydin and Kaynak (1998), UCI Machine Learning Repository. Needs torch, numpy and safetensors. Writes to
`examples/pytorch-import/data`:

- `digits.pt`: a checkpoint with settings, weights and the accuracy on images that were not trained on,
- `digits.safetensors`: the weights alone,
- `images.npy`, `labels.npy`: 200 of those images, as bytes of 0 to 16,
- `logits.npy`: what the network computes for them.
"""

import sys
from pathlib import Path

import numpy
import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F

DATA = Path(__file__).parent.parent / "data"
CONFIG = {"channels": [8, 16], "kernel_size": 3, "classes": 10, "dropout": 0.1, "pixel_scale": 0.0625}


class Digits(nn.Module):
    def __init__(self, config):
        super().__init__()
        first, second = config["channels"]
        # Layers without parameters leave gaps in the numbers of the others.
        self.features = nn.Sequential(
            nn.Conv2d(1, first, config["kernel_size"], padding=1), nn.BatchNorm2d(first), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(first, second, config["kernel_size"], padding=1), nn.BatchNorm2d(second), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.dropout = nn.Dropout(config["dropout"])
        self.classifier = nn.Linear(4 * second, config["classes"])

    def forward(self, x):
        return self.classifier(self.dropout(self.features(x).flatten(1)))


def main():
    torch.manual_seed(1)
    table = numpy.loadtxt(sys.argv[1], delimiter=",", dtype="u1")
    images, labels = table[:, :64].reshape(-1, 1, 8, 8), table[:, 64]
    x, y = torch.tensor(images).float() * CONFIG["pixel_scale"], torch.tensor(labels).long()
    train, test = slice(0, 1500), slice(1500, None)
    model = Digits(CONFIG)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(40):
        for batch in torch.randperm(1500).split(64):
            optimizer.zero_grad()
            F.cross_entropy(model(x[train][batch]), y[train][batch]).backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        logits = model(x[test])
    accuracy = (logits.argmax(1) == y[test]).float().mean().item()
    print(f"accuracy {accuracy:.4f}")
    DATA.mkdir(exist_ok=True)
    torch.save({"config": CONFIG, "accuracy": accuracy, "model_state_dict": model.state_dict()}, DATA / "digits.pt")
    save_file(model.state_dict(), DATA / "digits.safetensors", metadata={"format": "pt"})
    numpy.save(DATA / "images.npy", images[test][:200])
    numpy.save(DATA / "labels.npy", labels[test][:200])
    numpy.save(DATA / "logits.npy", logits[:200].numpy())


if __name__ == "__main__":
    main()
