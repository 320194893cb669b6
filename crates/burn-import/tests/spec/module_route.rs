//! reports of what was loaded.

use super::files::{B, CPU, fixture, wave};
use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig, Relu, Sequential};
use burn::record::{FullPrecisionSettings, IntoNode, NamedMpkFileRecorder, Node, Recorder};
use burn::tensor::{Backend, Int, Tensor, TensorData};
use burn::weights::{LoadReport, RecordSource, Strictness, Weights};
use burn_import::{LoadArgs, npz, safetensors};

#[derive(Module, Debug)]
struct Net<B: Backend> {
    first: Linear<B>,
    second: Linear<B>,
    steps: Param<Tensor<B, 1, Int>>,
}

fn net() -> Net<B> {
    Net {
        first: LinearConfig::new(2, 3).init(CPU),
        second: LinearConfig::new(3, 1).init(CPU),
        steps: Param::from_tensor(Tensor::zeros([1], CPU)),
    }
}

/// Tensors of which some fit the net: one is missing, one is unexpected, one has another shape, one another
/// type.
fn tensors() -> Vec<(String, TensorData)> {
    vec![
        ("first.weight".into(), TensorData::from([[1.0_f32, 2.0], [3.0, 4.0], [5.0, 6.0]])),
        ("first.bias".into(), TensorData::from([1.0_f32, 2.0])),
        ("second.weight".into(), TensorData::from([[1.0_f32, 2.0, 3.0]])),
        ("steps".into(), TensorData::from([1.0_f32])),
        ("third.weight".into(), TensorData::from([1.0_f32])),
    ]
}

#[track_caller]
fn check_report(net: &Net<B>, report: &LoadReport) {
    assert_eq!(report.loaded, ["first.weight", "second.weight"]);
    assert_eq!(report.mismatch.missing, ["second.bias"]);
    assert_eq!(report.mismatch.unexpected, ["third.weight"]);
    let [shape] = &report.mismatch.shapes[..] else { panic!("{report}") };
    assert_eq!(
        (shape.key.as_str(), &shape.expected[..], &shape.found[..]),
        ("first.bias", &[3][..], &[2][..])
    );
    assert_eq!(report.mismatch.values, [("steps".into(), "expected Int elements, found f32".into())]);
    assert_eq!(net.first.weight.to_data(), TensorData::from([[1.0_f32, 3.0, 5.0], [2.0, 4.0, 6.0]]));
    assert_eq!(net.steps.to_data().to_f64(), [0.0]);
    assert!(report.to_string().starts_with("2 of 5 parameters loaded\n"), "{report}");
}

#[test]
fn x_402_a_lenient_load_takes_what_fits_and_says_what_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    safetensors::save_tensors(tensors(), &path).unwrap();
    let (net, report) = burn_import::open(&path).unwrap().load_into(net(), Strictness::Lenient).unwrap();
    check_report(&net, &report);
    assert!(!net.second.bias.as_ref().unwrap().is_initialized());
}

#[test]
fn x_402_a_strict_load_is_an_error_with_the_same_lists() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    safetensors::save_tensors(tensors(), &path).unwrap();
    let error = burn_import::open(&path).unwrap().load_into(net(), Strictness::Strict).unwrap_err();
    let mismatch = error.mismatch().unwrap();
    assert_eq!((mismatch.missing.len(), mismatch.unexpected.len(), mismatch.shapes.len()), (1, 1, 1));
    for part in ["net.safetensors", "second.bias", "third.weight", "shape of first.bias", "steps"] {
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn x_407_the_report_is_the_same_for_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let array = folder.path().join("net.npz");
    npz::save_npz(tensors(), &array).unwrap();
    let (net_of_array, report) =
        burn_import::open(&array).unwrap().load_into(net(), Strictness::Lenient).unwrap();
    check_report(&net_of_array, &report);

    // A record has the layouts of this framework.
    let mut fields = tensors();
    for (name, data) in &mut fields {
        if name.ends_with("weight") && data.shape.rank() == 2 {
            *data = burn::weights::transpose(data);
        }
    }
    let tree = |prefix: &str| {
        let below = fields.iter().filter_map(|(name, data)| Some((name.strip_prefix(prefix)?, data)));
        Node::Map(below.map(|(name, data)| (name.to_string(), Node::Tensor(data.clone()))).collect())
    };
    let record = Node::Map(vec![
        ("first".into(), tree("first.")),
        ("second".into(), tree("second.")),
        ("steps".into(), Node::Tensor(TensorData::from([1.0_f32]))),
        ("third".into(), tree("third.")),
    ]);
    let weights = Weights::new(RecordSource::new("memory", record).unwrap());
    let (net_of_record, report) = weights.load_into(net(), Strictness::Lenient).unwrap();
    check_report(&net_of_record, &report);
}

#[test]
fn x_407_a_record_in_a_file_is_loaded_in_part() {
    let folder = tempfile::tempdir().unwrap();
    let (path, recorder) = (folder.path().join("net"), NamedMpkFileRecorder::<FullPrecisionSettings>::new());
    let saved = net();
    saved.clone().save_file(path.clone(), &recorder).unwrap();
    let node = Recorder::<B>::load_node(&recorder, path.clone()).unwrap();
    let weights = Weights::new(RecordSource::new("net.mpk", node).unwrap());
    let (loaded, report) = weights.load_into(net(), Strictness::Strict).unwrap();
    assert_eq!(report.loaded.len(), 5);
    assert_eq!(loaded.first.weight.to_data(), saved.first.weight.to_data());
    let (_, report) =
        weights.clone().load_into(LinearConfig::new(3, 1).init::<B>(CPU), Strictness::Lenient).unwrap();
    assert_eq!(report.mismatch.missing, ["weight", "bias"]);
}

#[test]
fn x_402_what_a_record_cannot_give_as_tensors_is_named() {
    let error = RecordSource::new("state", vec![1.0_f64, 2.0].into_node()).unwrap_err().to_string();
    assert!(error.contains("state") && error.contains("a number"), "{error}");
}

/// A sequence with layers that have no parameters, whose numbers are those of PyTorch.
#[test]
fn x_402_items_of_a_list_are_matched_by_number_or_in_order() {
    let linear = || LinearConfig::new(2, 2).init::<B>(CPU);
    let file = LoadArgs::new(fixture("sequential.pt")).with_top_level_key("fc");
    let weights = burn_import::open(file).unwrap();
    let exact = Sequential::new((linear(), Relu::new(), linear(), Relu::new(), linear()));
    let (exact, report) = weights.load_into(exact, Strictness::Lenient).unwrap();
    assert_eq!(report.loaded.len(), 6, "{report}");
    let bias = |layer: &Linear<B>| layer.bias.as_ref().unwrap().to_data().to_f64();
    let expected =
        |layer: usize| wave(2, 6 * layer + 4).iter().map(|x| f64::from((x * 0.5) as f32)).collect::<Vec<_>>();
    assert_eq!((bias(&exact.layers.0), bias(&exact.layers.4)), (expected(0), expected(2)));
    // A list of the layers with parameters alone.
    let (listed, report) = weights.load_into(vec![linear(); 12], Strictness::Strict).unwrap();
    assert!(report.is_complete());
    assert_eq!((bias(&listed[1]), bias(&listed[11])), (expected(1), expected(11)));
}
