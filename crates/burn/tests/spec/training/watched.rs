//! Reports of a training run: JSON lines, event files, a text report; and the profile by module.

use super::learner::{Line, builder, loader, names};
use burn::backend::NdArray;
use burn::backend::profile::{Profile, Span};
use burn::optim::SgdConfig;
use burn::tensor::Tensor;
use burn::train::callback::JsonLines;
use burn::train::metric::LossMetric;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

fn fit(folder: &Path) {
    builder(folder)
        .metric_train_numeric(LossMetric::new())
        .metric_valid_numeric(LossMetric::new())
        .json_lines()
        .tensorboard()
        .html_report()
        .num_epochs(2)
        .build(Line::new(), SgdConfig::new().init(), 0.1)
        .fit(loader(), loader());
}

/// The losses of the batches of an epoch, as the metric log has them.
fn logged(folder: &Path, epoch: usize) -> Vec<f64> {
    let text = fs::read_to_string(folder.join(format!("train/epoch-{epoch}/Loss.log"))).unwrap();
    text.lines().map(|line| line.split(',').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn x_304_json_lines_have_every_batch() {
    let folder = tempfile::tempdir().unwrap();
    fit(folder.path());
    let text = fs::read_to_string(folder.path().join("metrics.jsonl")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let train = lines.iter().filter(|line| line["event"] == "batch" && line["split"] == "train");
    let losses: Vec<f64> = train.map(|line| line["metrics"]["Loss"].as_f64().unwrap()).collect();
    assert_eq!(losses, [logged(folder.path(), 1), logged(folder.path(), 2)].concat());
}

#[test]
fn x_304_json_lines_may_go_to_any_writer() {
    #[derive(Clone, Default)]
    struct Output(Arc<Mutex<Vec<u8>>>);
    impl Write for Output {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (folder, output) = (tempfile::tempdir().unwrap(), Output::default());
    builder(folder.path())
        .callback(JsonLines::to(output.clone()))
        .build(Line::new(), SgdConfig::new().init(), 0.1)
        .fit(loader(), loader());
    let text = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
    assert_eq!(text.lines().filter(|line| line.contains("\"event\":\"batch\"")).count(), 8);
}

/// The numbers of an event file, read without our own code: the tag, the step and the value of each scalar.
///
/// Fields of the messages are looked for by their keys in the order in which TensorFlow writes them.
fn scalars(bytes: &[u8]) -> Vec<(String, u64, f32)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut number = 0;
        for shift in 0.. {
            let (first, rest) = bytes.split_first().unwrap();
            *bytes = rest;
            number |= u64::from(first & 0x7f) << (7 * shift);
            if first & 0x80 == 0 {
                break;
            }
        }
        number
    }
    fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
        let (taken, rest) = bytes.split_at(count);
        *bytes = rest;
        taken
    }
    let (mut left, mut found) = (bytes, Vec::new());
    while !left.is_empty() {
        let length = u64::from_le_bytes(take(&mut left, 8).try_into().unwrap()) as usize;
        take(&mut left, 4);
        let mut event = take(&mut left, length);
        take(&mut left, 4);
        let mut step = 0;
        while !event.is_empty() {
            match varint(&mut event) {
                0x09 => drop(take(&mut event, 8)), // The time.
                0x10 => step = varint(&mut event),
                0x1a => {
                    let length = varint(&mut event) as usize;
                    assert_eq!(take(&mut event, length), b"brain.Event:2");
                }
                0x2a => {
                    let length = varint(&mut event) as usize;
                    let mut summary = take(&mut event, length);
                    while !summary.is_empty() {
                        assert_eq!(varint(&mut summary), 0x0a);
                        let length = varint(&mut summary) as usize;
                        let mut value = take(&mut summary, length);
                        assert_eq!(varint(&mut value), 0x0a);
                        let length = varint(&mut value) as usize;
                        let tag = String::from_utf8(take(&mut value, length).to_vec()).unwrap();
                        assert_eq!(varint(&mut value), 0x15);
                        found.push((tag, step, f32::from_le_bytes(value.try_into().unwrap())));
                    }
                }
                key => panic!("key {key}"),
            }
        }
    }
    found
}

#[test]
fn x_304_event_files_have_every_training_batch_and_every_validation() {
    let folder = tempfile::tempdir().unwrap();
    fit(folder.path());
    let read = |split: &str| {
        let folder = folder.path().join("tensorboard").join(split);
        let [file] = names(&folder).try_into().unwrap();
        scalars(&fs::read(folder.join(file)).unwrap())
    };
    let train = read("train");
    let losses: Vec<(u64, f32)> =
        train.iter().filter(|scalar| scalar.0 == "Loss").map(|scalar| (scalar.1, scalar.2)).collect();
    let expected = [logged(folder.path(), 1), logged(folder.path(), 2)].concat();
    let expected: Vec<(u64, f32)> = (1..).zip(expected.iter().map(|loss| *loss as f32)).collect();
    assert_eq!(losses, expected);
    assert!(train.contains(&("Learning Rate".to_string(), 8, 0.1)));
    let valid: Vec<u64> = read("valid").iter().map(|scalar| scalar.1).collect();
    assert_eq!(valid, [4, 8]);
}

#[test]
fn x_305_the_report_is_one_page_with_the_curves() {
    let folder = tempfile::tempdir().unwrap();
    fit(folder.path());
    let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("<polyline") && page.contains("Loss, by batch"));
    assert!(page.contains("<td>2 of 2</td>") && !page.contains("src="), "{page}");
}

#[test]
fn x_307_a_profile_has_time_and_bytes_by_operation_and_module() {
    /// A backend of this test alone, whose ledger nothing else writes into.
    type P = Profile<Profile<NdArray<f64>>>;
    P::start_trace(100);
    let x = Tensor::<P, 2>::ones([2, 2], &Default::default());
    {
        let _encoder = Span::enter("encoder");
        let x = x.clone().exp();
        let _layer = Span::enter("layers.0");
        let _product = x.clone().matmul(x);
    }
    let report = P::report();
    let bytes = |path: &str| report.by_module().into_iter().find(|row| row.module == path).unwrap().bytes;
    // Matrices of four numbers of eight bytes: an operand and a result, and two operands and a result.
    assert_eq!((bytes("encoder"), bytes("encoder.layers.0")), (64, 96));
    assert!(report.by_name().iter().any(|row| row.name == "matmul" && row.total.as_nanos() > 0));
    let table = report.module_table();
    assert!(table.contains("encoder.layers.0") && report.to_string().contains("matmul"), "{table}");

    let trace: Value = serde_json::from_str(&P::finish_trace().to_chrome_json()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let event = |name: &str| events.iter().find(|event| event["name"] == name).unwrap();
    assert_eq!(event("matmul")["args"]["module"], "encoder.layers.0");
    // The slice of a span is around those of its operations. In whole nanoseconds: a sum of two rounded
    // fractions of a microsecond can miss its last bit.
    let nanoseconds = |value: &Value| (value.as_f64().unwrap() * 1000.0).round() as u64;
    let times = |event: &Value| {
        let begin = nanoseconds(&event["ts"]);
        (begin, begin + nanoseconds(&event["dur"]))
    };
    let (span, product) = (times(event("encoder.layers.0")), times(event("matmul")));
    assert!(span.0 <= product.0 && span.1 >= product.1);
}
