"""Expected values of metrics, by scikit-learn and torchmetrics: crates/burn/tests/spec/training/metrics.json.

    pip install numpy torch scikit-learn torchmetrics
    python scripts/metric_fixtures.py > crates/burn/tests/spec/training/metrics.json

Inputs are drawn once and kept in the file with the values. `batch` is the number of rows of the first of two batches, so that
values of an epoch are compared with those of all rows at once.
"""

import json

import numpy as np
import sklearn.metrics as sk
import torch
import torchmetrics as tm

rng = np.random.default_rng(7)


def rounded(x, digits=3):
    return np.round(x, digits)


def averages(score):
    return {average: 100 * score(average) for average in ("micro", "macro", "weighted")}


def multiclass():
    rows, classes = 40, 4
    # Class 3 is neither a target nor predicted.
    scores = rng.normal(size=(rows, classes))
    scores[:, 3] = -9
    targets = rng.choice(3, rows, p=[0.6, 0.3, 0.1])
    scores[range(rows), targets] += 0.8
    scores[:, 1] += 0.5
    scores = rounded(scores)
    predicted = scores.argmax(1)
    probabilities = torch.softmax(torch.tensor(scores), 1).numpy()
    areas = [sk.roc_auc_score(targets == c, scores[:, c]) for c in range(3)]
    pad = 2
    loss = tm.text.Perplexity()
    padded = tm.text.Perplexity(ignore_index=pad)
    logits, wanted = torch.tensor(scores)[None], torch.tensor(targets)[None]
    top = lambda k: 100 * sk.top_k_accuracy_score(targets, probabilities, k=k, labels=range(classes))
    return {
        "scores": scores.tolist(),
        "targets": targets.tolist(),
        "batch": 23,
        "accuracy": 100 * sk.accuracy_score(targets, predicted),
        "top_2": top(2),
        "precision": averages(lambda a: sk.precision_score(targets, predicted, average=a, zero_division=0)),
        "recall": averages(lambda a: sk.recall_score(targets, predicted, average=a, zero_division=0)),
        "f1": averages(lambda a: sk.f1_score(targets, predicted, average=a, zero_division=0)),
        "f2": averages(lambda a: sk.fbeta_score(targets, predicted, beta=2, average=a, zero_division=0)),
        "auroc": 100 * float(np.mean(areas)),
        "confusion": sk.confusion_matrix(targets, predicted, labels=range(classes)).tolist(),
        "perplexity": float(loss(logits, wanted)),
        "pad": pad,
        "perplexity_padded": float(padded(logits, wanted)),
    }


def multilabel():
    rows, labels = 30, 3
    scores = rounded(rng.random((rows, labels)), 2)  # Two digits, so that there are ties.
    targets = (rng.random((rows, labels)) < 0.4).astype(int)
    predicted = (scores > 0.5).astype(int)
    return {
        "scores": scores.tolist(),
        "targets": targets.tolist(),
        "batch": 11,
        "precision": averages(lambda a: sk.precision_score(targets, predicted, average=a, zero_division=0)),
        "recall": averages(lambda a: sk.recall_score(targets, predicted, average=a, zero_division=0)),
        "f1": averages(lambda a: sk.f1_score(targets, predicted, average=a, zero_division=0)),
        "f2": averages(lambda a: sk.fbeta_score(targets, predicted, beta=2, average=a, zero_division=0)),
        "auroc": 100 * sk.roc_auc_score(targets, scores, average="macro"),
        "hamming": 100 * (1 - sk.hamming_loss(targets, predicted)),
    }


def regression():
    rows, outputs = 25, 2
    targets = rounded(rng.normal(5, 3, (rows, outputs)))
    predictions = rounded(targets + rng.normal(0, 1, (rows, outputs)))
    return {
        "predictions": predictions.tolist(),
        "targets": targets.tolist(),
        "batch": 9,
        "mean_absolute_error": sk.mean_absolute_error(targets, predictions),
        "root_mean_square_error": float(np.sqrt(sk.mean_squared_error(targets, predictions))),
        "r2": sk.r2_score(targets, predictions),
    }


def text():
    predictions = [
        "the cat is on the mat",
        "hello there general kenobi",
        "it is a guide to action which ensures that the military always obeys the commands of the party",
        "we train on two devices",
    ]
    references = [
        ["there is a cat on the mat", "a cat is on the mat"],
        ["hello there general kenobi you are bold", "hello there"],
        [
            "it is a guide to action that ensures that the military will forever heed party commands",
            "it is the guiding principle which guarantees the military forces always being under the command of the party",
        ],
        ["we trained on two devices"],
    ]
    first = [texts[0] for texts in references]
    return {
        "predictions": predictions,
        "references": references,
        "batch": 1,
        "wer": 100 * float(tm.text.WordErrorRate()(predictions, first)),
        "cer": 100 * float(tm.text.CharErrorRate()(predictions, first)),
        "bleu": 100 * float(tm.text.BLEUScore()(predictions, references)),
        "bleu_2": 100 * float(tm.text.BLEUScore(n_gram=2)(predictions, references)),
        "bleu_smooth": 100 * float(tm.text.BLEUScore(smooth=True)(predictions, references)),
    }


def segmentation():
    batch, classes, height, width = 3, 3, 4, 5
    scores = rounded(rng.normal(size=(batch, classes, height, width)), 2)
    targets = rng.integers(0, classes, (batch, height, width))
    predicted, flat = scores.argmax(1).ravel(), targets.ravel()
    dice = lambda **options: 100 * sk.f1_score(flat, predicted, zero_division=0, **options)
    # The same by another library, over all pixels.
    f1 = tm.functional.classification.multiclass_f1_score(
        torch.tensor(predicted), torch.tensor(flat), num_classes=classes, average="macro"
    )
    assert abs(100 * float(f1) - dice(average="macro")) < 1e-4
    return {
        "scores": scores.tolist(),
        "targets": targets.tolist(),
        "batch": 1,
        "dice": dice(average="macro"),
        "dice_micro": dice(average="micro"),
        "dice_without_background": dice(average="macro", labels=[1, 2]),
    }


def images():
    shape = (2, 2, 14, 13)
    targets = rounded(rng.random(shape))
    predictions = rounded(np.clip(targets + rng.normal(0, 0.1, shape), 0, 1))
    x, y = torch.tensor(predictions), torch.tensor(targets)
    psnr = tm.image.PeakSignalNoiseRatio(data_range=1.0)
    ssim = tm.image.StructuralSimilarityIndexMeasure(data_range=1.0)
    return {
        "predictions": predictions.tolist(),
        "targets": targets.tolist(),
        "batch": 1,
        "psnr": float(psnr(x, y)),
        "ssim": float(ssim(x, y)),
    }


torch.set_default_dtype(torch.float64)
print(
    json.dumps(
        {
            "multiclass": multiclass(),
            "multilabel": multilabel(),
            "regression": regression(),
            "text": text(),
            "segmentation": segmentation(),
            "images": images(),
        }
    )
)
