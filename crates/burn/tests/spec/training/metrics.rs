//! Metrics, compared with scikit-learn and torchmetrics by `scripts/metric_fixtures.py`.

use burn::backend::NdArray;
use burn::tensor::{Int, Tensor, TensorData, TensorKind};
use burn::train::metric::*;
use serde_json::Value;

type B = NdArray<f64>;

fn fixture(name: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("metrics.json")).unwrap();
    all[name].clone()
}

/// Compares with a value of the fixture to 1e-6 of it.
#[track_caller]
fn close(found: f64, expected: &Value) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{found}, expected {expected}");
}

/// Reads nested lists.
fn tensor<const D: usize, K: TensorKind>(value: &Value) -> Tensor<B, D, K> {
    fn flatten(value: &Value, depth: usize, shape: &mut Vec<usize>, numbers: &mut Vec<f64>) {
        match value {
            Value::Array(items) => {
                if shape.len() == depth {
                    shape.push(items.len());
                }
                items.iter().for_each(|item| flatten(item, depth + 1, shape, numbers));
            }
            number => numbers.push(number.as_f64().unwrap()),
        }
    }
    let (mut shape, mut numbers) = (Vec::new(), Vec::new());
    flatten(value, 0, &mut shape, &mut numbers);
    Tensor::from_data(TensorData::new(numbers, shape), &Default::default())
}

/// The value of an epoch of two batches, after another epoch that was forgotten.
fn two_batches<M: Metric + Numeric>(mut metric: M, batches: [M::Input; 2]) -> f64 {
    metric.update(&batches[1], &MetricMetadata::default());
    metric.clear();
    for batch in &batches {
        metric.update(batch, &MetricMetadata::default());
    }
    metric.value()
}

fn halves<T>(data: &Value, of: impl Fn(std::ops::Range<usize>) -> T) -> [T; 2] {
    let rows = data["targets"].as_array().or(data["predictions"].as_array()).unwrap().len();
    let batch = data["batch"].as_u64().unwrap() as usize;
    [of(0..batch), of(batch..rows)]
}

fn classes(data: &Value) -> [AccuracyInput<B>; 2] {
    let (scores, targets) = (tensor::<2, _>(&data["scores"]), tensor::<1, Int>(&data["targets"]));
    halves(data, |rows| {
        AccuracyInput::new(scores.clone().slice([rows.clone()]), targets.clone().slice([rows]))
    })
}

fn multiclass(data: &Value) -> [ClassificationInput<B>; 2] {
    classes(data).map(|input| ClassificationInput::multiclass(input.outputs, input.targets))
}

fn multilabel(data: &Value) -> [ClassificationInput<B>; 2] {
    let (scores, labels) = (tensor::<2, _>(&data["scores"]), tensor::<2, Int>(&data["targets"]));
    let cut =
        |rows: std::ops::Range<usize>| (scores.clone().slice([rows.clone()]), labels.clone().slice([rows]));
    halves(data, |rows| {
        let (scores, labels) = cut(rows);
        ClassificationInput::multilabel(scores, labels)
    })
}

fn regression(data: &Value) -> [RegressionInput<B>; 2] {
    let (predictions, targets) = (tensor::<2, _>(&data["predictions"]), tensor::<2, _>(&data["targets"]));
    halves(data, |rows| {
        RegressionInput::new(predictions.clone().slice([rows.clone()]), targets.clone().slice([rows]))
    })
}

fn images(data: &Value) -> [ImageInput<B>; 2] {
    let (predictions, targets) = (tensor::<4, _>(&data["predictions"]), tensor::<4, _>(&data["targets"]));
    halves(data, |rows| {
        ImageInput::new(predictions.clone().slice([rows.clone()]), targets.clone().slice([rows]))
    })
}

const AVERAGES: [(Average, &str); 3] =
    [(Average::Micro, "micro"), (Average::Macro, "macro"), (Average::Weighted, "weighted")];

#[test]
fn x_301_precision_recall_and_f_beta_equal_scikit_learn() {
    type Inputs = fn(&Value) -> [ClassificationInput<B>; 2];
    let kinds: [(&str, Inputs); 2] = [("multiclass", multiclass), ("multilabel", multilabel)];
    for (kind, inputs) in kinds {
        let data = fixture(kind);
        for (average, name) in AVERAGES {
            let precision = PrecisionMetric::new().with_average(average);
            close(two_batches(precision, inputs(&data)), &data["precision"][name]);
            let recall = RecallMetric::new().with_average(average);
            close(two_batches(recall, inputs(&data)), &data["recall"][name]);
            for (beta, score) in [(1.0, "f1"), (2.0, "f2")] {
                let f_beta = FBetaMetric::new(beta).with_average(average);
                close(two_batches(f_beta, inputs(&data)), &data[score][name]);
            }
        }
    }
}

#[test]
fn x_301_auroc_equals_scikit_learn() {
    let data = fixture("multiclass");
    close(two_batches(AurocMetric::new(), multiclass(&data)), &data["auroc"]);
    let data = fixture("multilabel");
    close(two_batches(AurocMetric::new(), multilabel(&data)), &data["auroc"]);
}

#[test]
fn x_301_confusion_matrix_equals_scikit_learn() {
    let data = fixture("multiclass");
    let mut metric = ConfusionMatrixMetric::new();
    for batch in classes(&data) {
        metric.update(&batch, &MetricMetadata::default());
    }
    let expected: Vec<Vec<u64>> = serde_json::from_value(data["confusion"].clone()).unwrap();
    assert_eq!(metric.matrix().rows().collect::<Vec<_>>(), expected);
}

#[test]
fn x_301_hamming_score_equals_scikit_learn() {
    let data = fixture("multilabel");
    close(two_batches(HammingMetric::new(), multilabel(&data)), &data["hamming"]);
    let data = fixture("multiclass");
    close(two_batches(HammingMetric::new(), multiclass(&data)), &data["accuracy"]);
}

#[test]
fn x_301_perplexity_equals_torchmetrics() {
    let data = fixture("multiclass");
    close(two_batches(PerplexityMetric::new(), classes(&data)), &data["perplexity"]);
    let pad = data["pad"].as_u64().unwrap() as usize;
    let padded = PerplexityMetric::new().with_pad_token(pad);
    close(two_batches(padded, classes(&data)), &data["perplexity_padded"]);
}

#[test]
fn x_301_iteration_speed_counts_batches_by_second() {
    let mut metric = IterationSpeedMetric::new();
    std::thread::sleep(std::time::Duration::from_millis(20));
    metric.update(&(), &MetricMetadata::default());
    // One batch took 20 ms at least.
    assert!(metric.value() > 0.0 && metric.value() <= 50.0, "{}", metric.value());
}

#[test]
fn x_301_errors_of_regression_equal_scikit_learn() {
    let data = fixture("regression");
    close(two_batches(MeanAbsoluteErrorMetric::new(), regression(&data)), &data["mean_absolute_error"]);
    close(two_batches(RootMeanSquareErrorMetric::new(), regression(&data)), &data["root_mean_square_error"]);
    close(two_batches(R2Metric::new(), regression(&data)), &data["r2"]);
}

#[test]
fn x_301_accuracy_and_top_k_equal_scikit_learn() {
    let data = fixture("multiclass");
    close(two_batches(AccuracyMetric::new(), classes(&data)), &data["accuracy"]);
    close(two_batches(TopKAccuracyMetric::new(2), classes(&data)), &data["top_2"]);
}

#[test]
fn x_301_word_and_character_error_rates_equal_torchmetrics() {
    let data = fixture("text");
    let predictions: Vec<String> = serde_json::from_value(data["predictions"].clone()).unwrap();
    let references: Vec<Vec<String>> = serde_json::from_value(data["references"].clone()).unwrap();
    let first: Vec<String> = references.iter().map(|texts| texts[0].clone()).collect();
    let batches =
        || halves(&data, |rows| TextInput::new(predictions[rows.clone()].to_vec(), first[rows].to_vec()));
    close(two_batches(WerMetric::new(), batches()), &data["wer"]);
    close(two_batches(CerMetric::new(), batches()), &data["cer"]);

    let batches = || {
        halves(&data, |rows| BleuInput::new(predictions[rows.clone()].to_vec(), references[rows].to_vec()))
    };
    close(two_batches(BleuMetric::new(), batches()), &data["bleu"]);
    close(two_batches(BleuMetric::with_longest(2), batches()), &data["bleu_2"]);
    close(two_batches(BleuMetric::new().smooth(), batches()), &data["bleu_smooth"]);
}

#[test]
fn x_301_dice_equals_the_f1_score_of_pixels() {
    let data = fixture("segmentation");
    let (scores, targets) = (tensor::<4, _>(&data["scores"]), tensor::<3, Int>(&data["targets"]));
    let batches = || {
        halves(&data, |rows| {
            SegmentationInput::new(scores.clone().slice([rows.clone()]), targets.clone().slice([rows]))
        })
    };
    close(two_batches(DiceMetric::new(), batches()), &data["dice"]);
    close(two_batches(DiceMetric::new().with_average(Average::Micro), batches()), &data["dice_micro"]);
    let without = DiceMetric::new().without_background(0);
    close(two_batches(without, batches()), &data["dice_without_background"]);
}

#[test]
fn x_301_psnr_and_ssim_equal_torchmetrics() {
    let data = fixture("images");
    close(two_batches(PsnrMetric::new(1.0), images(&data)), &data["psnr"]);
    close(two_batches(SsimMetric::new(1.0), images(&data)), &data["ssim"]);
}

#[test]
fn tr_025_sensors_are_read_where_there_are_any() {
    fn read(mut metric: impl Metric<Input = ()> + Numeric, name: &str, range: std::ops::RangeInclusive<f64>) {
        if !metric.is_available() {
            return;
        }
        let entry = metric.update(&(), &MetricMetadata::default());
        assert_eq!(entry.name, name);
        assert!(range.contains(&metric.value()), "{name}: {}", metric.value());
    }
    assert!(CpuMemoryMetric::new().is_available(), "every machine that runs tests has memory");
    read(CpuUsageMetric::new(), "CPU Usage", 0.0..=100.0);
    read(CpuMemoryMetric::new(), "CPU Memory", 0.0..=100.0);
    read(CpuTemperatureMetric::new(), "CPU Temperature", -50.0..=150.0);
    read(CudaMetric::new(), "CUDA", 0.0..=100.0);
    read(GpuTemperatureMetric::new(), "GPU Temperature", -50.0..=150.0);
}
