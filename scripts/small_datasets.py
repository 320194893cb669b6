#!/usr/bin/env python3
"""Writes crates/burn-dataset/src/tabular/data: small data sets of scikit-learn as rows `feature,..,target`, without a header.

Also writes the file of examples/custom-csv-dataset.

Needs Python alone: pip download --no-deps scikit-learn; python scripts/small_datasets.py scikit_learn-*.whl
"""

import gzip
import io
import pathlib
import sys
import zipfile

OUT = pathlib.Path("crates/burn-dataset/src/tabular/data")
FOLDER = "sklearn/datasets/data/"


def save(name, rows):
    """Writes the same bytes at every run: no name and no time in the file."""
    content = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=content, mode="wb", compresslevel=9, mtime=0) as file:
        file.write("".join(",".join(row) + "\n" for row in rows).encode())
    (OUT / f"{name}.csv.gz").write_bytes(content.getvalue())
    print(f"{name}: {len(rows)} rows of {len(rows[0])} columns, {len(content.getvalue())} bytes")


def csv_rows(wheel, file):
    lines = wheel.read(FOLDER + file).decode().split("\n")[1:]
    return [line.strip().split(",") for line in lines if line.strip()]


def diabetes_rows(wheel):
    def lines(file):
        return gzip.decompress(wheel.read(FOLDER + file)).decode().split("\n")

    features = [line.split() for line in lines("diabetes_data_raw.csv.gz") if line.strip()]
    targets = [f"{float(line):g}" for line in lines("diabetes_target.csv.gz") if line.strip()]
    assert len(features) == len(targets)
    return [row + [target] for row, target in zip(features, targets)]


def save_example(rows):
    """Writes the form in which the authors of the diabetes data publish them."""
    header = "AGE SEX BMI BP S1 S2 S3 S4 S5 S6 Y".split()
    lines = ["\t".join(row) + "\n" for row in [header] + rows]
    pathlib.Path("examples/custom-csv-dataset/data/diabetes.tsv").write_text("".join(lines))


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        save("iris", csv_rows(wheel, "iris.csv"))
        save("wine", csv_rows(wheel, "wine_data.csv"))
        save("breast_cancer", csv_rows(wheel, "breast_cancer.csv"))
        save("diabetes", diabetes_rows(wheel))
        save_example(diabetes_rows(wheel))


if __name__ == "__main__":
    main()
