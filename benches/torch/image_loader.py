"""A folder of JPEG images, and how fast PyTorch's DataLoader reads it.

`--make FOLDER` writes 512 images of 256 x 256 in four classes. Otherwise each line of standard input asks for
an epoch: images are decoded, cropped to 224 x 224 at random, flipped and scaled to floats by `--workers`
processes, in batches of 32; the answer is the seconds that it took.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy
import torch
from PIL import Image

IMAGES, SIZE, CROP, BATCH = 512, 256, 224, 32


def make(folder):
    """Images with as much detail as photographs have at this size: about 20 kB each."""
    random = numpy.random.default_rng(1)
    for index in range(IMAGES):
        colors = Image.fromarray(random.integers(0, 256, (24, 24, 3), dtype=numpy.uint8))
        pixels = numpy.asarray(colors.resize((SIZE, SIZE), Image.BICUBIC), dtype=numpy.float32)
        pixels = (pixels + random.normal(0, 6, pixels.shape)).clip(0, 255).astype(numpy.uint8)
        target = folder / str(index % 4) / f"{index}.jpg"
        target.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(target, quality=85)


class Images(torch.utils.data.Dataset):
    def __init__(self, folder):
        self.paths = sorted(folder.glob("*/*.jpg"))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        image = torch.from_numpy(numpy.array(Image.open(self.paths[index]).convert("RGB")))
        top, left = torch.randint(0, SIZE - CROP + 1, (2,)).tolist()
        image = image[top : top + CROP, left : left + CROP].permute(2, 0, 1)
        if torch.rand(()) < 0.5:
            image = image.flip(2)
        return image.float() / 255, int(self.paths[index].parent.name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    if options.make:
        return make(options.folder)
    torch.set_num_threads(1)
    loader = torch.utils.data.DataLoader(
        Images(options.folder), BATCH, shuffle=True, num_workers=options.workers, persistent_workers=True
    )
    for _ in sys.stdin:
        start = time.perf_counter()
        count = sum(len(labels) for _, labels in loader)
        assert count == IMAGES
        print(time.perf_counter() - start, flush=True)


if __name__ == "__main__":
    main()
