//! RE: records and recorders.

/// Compiled without the standard library by `xtask/no-std-probe`.
#[path = "../../../../../xtask/no-std-probe/src/in_memory_record.rs"]
mod in_memory_record;

use crate::expect::exactly;
use crate::given::{B, CPU, float, int};
use crate::given_module::{Affine, Model, ModelRecord};
use burn::module::{Module, Param};
use burn::record::{
    BinBytesRecorder, BinFileRecorder, BinGzFileRecorder, CompactRecorder, DefaultFileRecorder,
    DoublePrecisionSettings, FileRecorder, FullPrecisionSettings, HalfPrecisionSettings, JsonGzFileRecorder,
    NamedMpkFileRecorder, NamedMpkGzFileRecorder, Node, PrettyJsonFileRecorder, Record, Recorder,
};
use burn::tensor::backend::Backend;
use burn::tensor::{DType, Int, Tensor, Tolerance};
use std::path::Path;
use tempfile::tempdir;

type Full = FullPrecisionSettings;

/// Saves a model with `recorder` and loads it into another; the file is called `file`.
fn keeps<R: FileRecorder<B>>(recorder: &R, file: &str) {
    let folder = tempdir().unwrap();
    let model = Model::<B>::new(3, CPU);
    recorder.record(model.clone().into_record(), folder.path().join("model")).unwrap();
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [file]);
    let record: ModelRecord<B> = recorder.load(folder.path().join("model"), CPU).unwrap();
    exactly(record.second.weight.val(), model.second.weight.val().into_data());
}

#[test]
fn re_001_a_recorder_records_and_loads() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("model");
    let recorder = NamedMpkFileRecorder::<Full>::new();
    let model = Model::<B>::new(3, CPU);
    recorder.record(model.clone().into_record(), path.clone()).unwrap();
    let record: ModelRecord<B> = recorder.load(path.as_path().into(), CPU).unwrap();
    exactly(record.first.weight.val(), model.first.weight.val().into_data());
}

/// As an inference program is written: no type is said, and the backend is a parameter.
fn load_anywhere<B: Backend>(folder: &str, device: B::Device) -> Model<B> {
    let record = CompactRecorder::new()
        .load(format!("{folder}/model").into(), &device)
        .expect("the model was saved before");
    Model::new(3, &device).load_record(record)
}

#[test]
fn re_001_the_type_of_the_record_follows_from_its_use() {
    let folder = tempdir().unwrap();
    let model = Model::<B>::new(3, CPU);
    model.save_file(folder.path().join("model"), &CompactRecorder::new()).unwrap();
    let loaded = load_anywhere::<B>(folder.path().to_str().unwrap(), *CPU);
    loaded
        .first
        .weight
        .val()
        .into_data()
        .assert_approx_eq::<f64>(&model.first.weight.val().into_data(), Tolerance::rel_abs(1e-3, 1e-3));

    let path = folder.path().join("model");
    let record = CompactRecorder::new().load(path, CPU).unwrap();
    let concrete = Model::<B>::new(3, CPU).load_record(record);
    exactly(concrete.first.weight.val(), loaded.first.weight.val().into_data());
}

#[test]
fn re_002_the_default_recorder_is_named_messagepack() {
    keeps(&DefaultFileRecorder::<Full>::new(), "model.mpk");
}

#[test]
fn re_003_named_messagepack() {
    keeps(&NamedMpkFileRecorder::<Full>::new(), "model.mpk");
}

#[test]
fn re_004_named_messagepack_in_gzip() {
    keeps(&NamedMpkGzFileRecorder::<Full>::new(), "model.mpk.gz");
}

#[test]
fn re_005_binary() {
    keeps(&BinFileRecorder::<Full>::new(), "model.bin");
}

#[test]
fn re_006_binary_in_gzip() {
    keeps(&BinGzFileRecorder::<Full>::new(), "model.bin.gz");
}

#[test]
fn re_007_json_in_gzip() {
    keeps(&JsonGzFileRecorder::<Full>::new(), "model.json.gz");
}

#[test]
fn re_008_pretty_json() {
    keeps(&PrettyJsonFileRecorder::<Full>::new(), "model.json");
}

#[test]
fn re_009_bytes_in_memory() {
    let recorder = BinBytesRecorder::<Full>::default();
    let bytes: Vec<u8> = Recorder::<B>::record(&recorder, float::<1>([1.0, 2.0]), ()).unwrap();
    let tensor: Tensor<B, 1> = recorder.load(bytes, CPU).unwrap();
    exactly(tensor, [1.0, 2.0]);
}

#[test]
fn ns_005_a_layer_goes_through_bytes_in_memory() {
    let layer = burn::nn::LinearConfig::new(2, 1).init::<B>(CPU);
    let copy = in_memory_record::copied(&layer).unwrap();
    assert_eq!(copy.weight.val().into_data(), layer.weight.val().into_data());
    assert_ne!(copy.weight.val().into_data(), float::<2>([[0.0], [0.0]]).into_data());
    let source = include_str!("../../../../../xtask/no-std-probe/src/lib.rs");
    assert!(source.contains("#![no_std]") && source.contains("mod in_memory_record;"), "{source}");
}

/// The element types in the file that `recorder` writes.
fn dtypes<R: FileRecorder<B>>(recorder: &R) -> (DType, DType) {
    let folder = tempdir().unwrap();
    recorder.record((float::<1>([0.1]), int::<1>([7])), folder.path().join("r")).unwrap();
    match recorder.load_node(folder.path().join("r")).unwrap() {
        Node::List(items) => match &items[..] {
            [Node::Tensor(float), Node::Tensor(int)] => (float.dtype, int.dtype),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn re_010_the_compact_recorder_writes_two_bytes_a_number() {
    assert_eq!(dtypes(&CompactRecorder::new()), (DType::F16, DType::I16));
    let folder = tempdir().unwrap();
    CompactRecorder::new().record(float::<1>([0.1]), folder.path().join("r")).unwrap();
    assert!(folder.path().join("r.mpk").exists());
}

#[test]
fn re_011_settings_are_the_widths() {
    assert_eq!(dtypes(&BinFileRecorder::<FullPrecisionSettings>::new()), (DType::F32, DType::I32));
    assert_eq!(dtypes(&BinFileRecorder::<DoublePrecisionSettings>::new()), (DType::F64, DType::I64));
    assert_eq!(dtypes(&BinFileRecorder::<HalfPrecisionSettings>::new()), (DType::F16, DType::I16));
}

#[test]
fn re_011_an_integer_that_does_not_fit_is_an_error() {
    let recorder = BinBytesRecorder::<HalfPrecisionSettings>::new();
    assert!(Recorder::<B>::record(&recorder, int::<1>([32_767, -32_768]), ()).is_ok());
    let error = Recorder::<B>::record(&recorder, vec![int::<1>([1]), int::<1>([32_768])], ()).unwrap_err();
    assert!(error.to_string().starts_with("1: ") && error.to_string().contains("32768"), "{error}");
}

#[test]
fn re_012_recorders_are_made_with_new_or_default() {
    assert_eq!(NamedMpkFileRecorder::<Full>::new(), NamedMpkFileRecorder::<Full>::default());
}

#[test]
fn re_013_names_with_dots_get_the_extension_too() {
    let folder = tempdir().unwrap();
    let recorder = NamedMpkGzFileRecorder::<Full>::new();
    Recorder::<B>::record(&recorder, 1_u8, folder.path().join("model-0.5")).unwrap();
    assert!(folder.path().join("model-0.5.mpk.gz").exists());
    let with_extension = folder.path().join("model-0.5.mpk.gz");
    assert_eq!(Recorder::<B>::load::<u8>(&recorder, with_extension, CPU), Ok(1));
}

#[test]
fn re_014_any_precision_loads_on_any_backend() {
    type Double = burn::backend::NdArray<f64>;
    fn loads<R: Recorder<B, RecordArgs = (), RecordOutput = Vec<u8>>>(recorder: R) -> Vec<u8> {
        recorder.record(float::<1>([0.5, -3.0]), ()).unwrap()
    }
    let files = [
        loads(BinBytesRecorder::<FullPrecisionSettings>::new()),
        loads(BinBytesRecorder::<DoublePrecisionSettings>::new()),
        loads(BinBytesRecorder::<HalfPrecisionSettings>::new()),
    ];
    for file in files {
        // The reader does not say what was written.
        let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
        let single: Tensor<B, 1> = recorder.load(file.clone(), CPU).unwrap();
        assert_eq!(single.dtype(), DType::F32);
        exactly(single, [0.5, -3.0]);
        let double: Tensor<Double, 1> = recorder.load(file, &Default::default()).unwrap();
        assert_eq!(double.dtype(), DType::F64);
        exactly(double, [0.5, -3.0]);
    }
}

#[test]
fn re_015_the_wrong_recorder_is_an_error_that_names_the_right_one() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("model");
    Model::<B>::new(2, CPU).save_file(path.clone(), &BinFileRecorder::<Full>::new()).unwrap();
    let load =
        |path: &Path| Model::<B>::new(2, CPU).load_file(path, &CompactRecorder::new(), CPU).unwrap_err();
    assert!(load(&path).to_string().contains("BinFileRecorder"));
    std::fs::rename(folder.path().join("model.bin"), folder.path().join("model.mpk")).unwrap();
    assert!(load(&path).to_string().contains("BinFileRecorder"));
}

#[test]
fn re_016_gzip_notices_every_flipped_bit_of_the_content() {
    let folder = tempdir().unwrap();
    let (path, file) = (folder.path().join("r"), folder.path().join("r.bin.gz"));
    let recorder = BinGzFileRecorder::<Full>::new();
    Recorder::<B>::record(&recorder, vec![1.0_f64, 2.0], path.clone()).unwrap();
    let bytes = std::fs::read(&file).unwrap();
    // The head of gzip, ten bytes, has a time and a system that say nothing.
    for position in 10..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[position] ^= 4;
        std::fs::write(&file, damaged).unwrap();
        assert!(Recorder::<B>::load::<Vec<f64>>(&recorder, path.clone(), CPU).is_err(), "byte {position}");
    }
}

#[test]
fn re_017_a_newer_binary_layout_is_refused_by_its_version() {
    let recorder = BinBytesRecorder::<Full>::new();
    let mut bytes = Recorder::<B>::record(&recorder, 1_u8, ()).unwrap();
    assert_eq!(&bytes[..8], b"BURNBIN\x02");
    bytes[7] = 3;
    let error = Recorder::<B>::load::<u8>(&recorder, bytes, CPU).unwrap_err();
    assert!(error.to_string().contains("version 3"), "{error}");
}

#[test]
fn re_018_the_record_of_a_model_is_a_type() {
    fn weight(record: ModelRecord<B>) -> Tensor<B, 2> {
        record.first.weight.val()
    }
    let model = Model::<B>::new(2, CPU);
    exactly(weight(model.clone().into_record()), model.first.weight.val().into_data());
}

#[derive(Record)]
struct State<B: Backend> {
    step: usize,
    momentum: Option<Tensor<B, 1>>,
    names: Vec<String>,
    kind: Kind,
}

#[derive(Record, Debug, PartialEq)]
enum Kind {
    Cold,
    Warm(f64),
}

#[test]
fn re_019_records_hold_more_than_tensors() {
    let recorder = BinBytesRecorder::<Full>::new();
    let state =
        State { step: 3, momentum: Some(float([0.5])), names: vec!["a".to_string()], kind: Kind::Warm(0.1) };
    let bytes = Recorder::<B>::record(&recorder, (state, Kind::Cold), ()).unwrap();
    let (state, kind): (State<B>, Kind) = Recorder::<B>::load(&recorder, bytes, CPU).unwrap();
    assert_eq!(
        (state.step, state.names, state.kind, kind),
        (3, vec!["a".to_string()], Kind::Warm(0.1), Kind::Cold)
    );
    exactly(state.momentum.unwrap(), [0.5]);
}

#[test]
fn re_020_bytes_in_the_program_are_a_model() {
    static MODEL_BYTES: &[u8] = include_bytes!("affine.bin");
    if std::env::var_os("BURN_WRITE_GOLDEN").is_some() {
        let affine = Affine::<B> {
            weight: Param::from_data([[1.0, 2.0]], CPU),
            bias: Some(Param::from_data([3.0, 4.0], CPU)),
        };
        let bytes =
            Recorder::<B>::record(&BinBytesRecorder::<Full>::new(), affine.into_record(), ()).unwrap();
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/spec/module/affine.bin"), bytes).unwrap();
        return;
    }
    let record = BinBytesRecorder::<Full>::default().load(MODEL_BYTES.to_vec(), CPU).unwrap();
    let affine = Affine::<B>::new(1, 2, CPU).load_record(record);
    exactly(affine.forward(float([[10.0]])), [[13.0, 24.0]]);
}

#[test]
fn re_021_an_older_record_points_at_the_feature() {
    let folder = tempdir().unwrap();
    // {"item": {}, "metadata": {}} in MessagePack.
    std::fs::write(folder.path().join("old.mpk"), b"\x82\xa4item\x80\xa8metadata\x80").unwrap();
    let result = Recorder::<B>::load::<u8>(&CompactRecorder::new(), folder.path().join("old"), CPU);
    assert!(result.unwrap_err().to_string().contains("record-backward-compat"));
}

#[derive(Module, Debug)]
struct Other<B: Backend> {
    first: Affine<B>,
    third: Affine<B>,
    counts: Param<Tensor<B, 1, Int>>,
}

#[test]
fn f_014_with_its_feature_a_record_of_an_unknown_older_layout_says_so() {
    let manifest = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).unwrap();
    let of_tests =
        manifest.lines().find(|line| line.starts_with("burn = { path")).expect("features of these tests");
    assert!(of_tests.contains("record-backward-compat"), "{of_tests}");
    let folder = tempdir().unwrap();
    let old = r#"{"metadata": {"float": "f32", "int": "i32", "format": "burn_core::record::file::PrettyJson",
                  "version": "0.13.2", "settings": "FullPrecisionSettings"},
                  "item": {"weight": {"id": "a", "param": {"value": [1.0], "shape": [1]}}}}"#;
    std::fs::write(folder.path().join("old.json"), old).unwrap();
    let recorder = PrettyJsonFileRecorder::<Full>::new();
    let result = Recorder::<B>::load::<Node>(&recorder, folder.path().join("old"), CPU);
    let message = result.unwrap_err().to_string();
    for part in ["old.json", "older layout of version 0.13.2", "unknown", "record-backward-compat"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn re_022_another_architecture_lists_all_keys_that_differ() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("model");
    let recorder = CompactRecorder::new();
    Model::<B>::new(2, CPU).save_file(path.clone(), &recorder).unwrap();
    let other = Other::<B> {
        first: Affine::new(2, 5, CPU),
        third: Affine::new(1, 1, CPU),
        counts: Param::from_data([1], CPU),
    };
    let error = other.load_file(path, &recorder, CPU).unwrap_err();
    let text = error.to_string();
    for part in [
        "model.mpk",
        "missing: third.weight, counts",
        "unexpected: second",
        "shape of first.weight: expected [2, 5], found [2, 2]",
        "shape of first.bias: expected [5], found [2]",
    ] {
        assert!(text.contains(part), "`{part}` in: {text}");
    }
}
