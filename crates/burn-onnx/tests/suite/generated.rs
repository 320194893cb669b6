//! Generated source: what is committed is what the generator writes, compiles, and gives the outputs of
//! onnxruntime.

use super::models::{NAMES, assert_close, data, folder, load, values};
use burn::module::AutodiffModule;
use burn::module::Module;
use burn::tensor::{Int, Tensor, TensorData};
use burn_autodiff::Autodiff;
use burn_ndarray::NdArray;
use burn_onnx::{ModelGen, OnnxError, RecordType};
use std::path::Path;

mod control {
    include!("../models/control/generated/model.rs");
}
mod convnet {
    include!("../models/convnet/generated/model.rs");
}
mod encoder {
    include!("../models/encoder/generated/model.rs");
}
mod folded {
    include!("../models/convnet/folded/model.rs");
}
mod shapes {
    include!("../models/shapes/generated/model.rs");
}

fn generator(name: &str) -> ModelGen {
    ModelGen::new().input(folder(name).join("model.onnx")).record_type(RecordType::Bincode).embed_states(true)
}

/// With the variable `BURN_ONNX_WRITE` the files are written in place of being compared.
#[test]
fn on_001_generated_source_is_current() {
    for name in NAMES {
        let committed = folder(name).join("generated");
        if std::env::var_os("BURN_ONNX_WRITE").is_some() {
            generator(name).out_dir(&committed).run_from_cli().unwrap();
        }
        let fresh = tempfile::tempdir().unwrap();
        let files = generator(name).out_dir(fresh.path()).run_from_cli().unwrap();
        compare(&committed, &files[0]);
    }
    let committed = folder("convnet").join("folded");
    if std::env::var_os("BURN_ONNX_WRITE").is_some() {
        generator("convnet").fold_batch_norm(true).out_dir(&committed).run_from_cli().unwrap();
    }
    let fresh = tempfile::tempdir().unwrap();
    let files = generator("convnet").fold_batch_norm(true).out_dir(fresh.path()).run_from_cli().unwrap();
    compare(&committed, &files[0]);
}

fn compare(committed: &std::path::Path, files: &burn_onnx::generate::Generated) {
    for file in [&files.source, &files.record] {
        let old = std::fs::read(committed.join(file.file_name().unwrap())).unwrap();
        let new = std::fs::read(file).unwrap();
        let hint = "run the test with BURN_ONNX_WRITE=1";
        assert!(old == new, "{} is stale: {hint}", file.display());
    }
}

#[test]
fn batch_norm_that_is_folded_changes_no_output() {
    let device = Default::default();
    let model: folded::Model<NdArray> = folded::Model::from_embedded();
    let found = model.forward(Tensor::from_data(input("convnet", 0), &device));
    assert_close(&found.into_data(), &output("convnet", 0));
}

fn input(name: &str, place: usize) -> TensorData {
    let graph = load(name);
    data(values::<NdArray>(name, "input", graph.inputs()).remove(place))
}

fn output(name: &str, place: usize) -> TensorData {
    let graph = load(name);
    data(values::<NdArray>(name, "output", graph.model().graph.outputs.iter()).remove(place))
}

#[test]
fn on_006_generated_models_give_the_outputs_of_onnxruntime() {
    let device = Default::default();
    let model: convnet::Model<NdArray> = convnet::Model::from_embedded();
    let found = model.forward(Tensor::from_data(input("convnet", 0), &device));
    assert_close(&found.into_data(), &output("convnet", 0));

    let model: encoder::Model<NdArray> = encoder::Model::default();
    let ids = Tensor::<NdArray, 2, Int>::from_data(input("encoder", 0), &device);
    let mask = Tensor::<NdArray, 2, Int>::from_data(input("encoder", 1), &device);
    assert_close(&model.forward(ids, mask).into_data(), &output("encoder", 0));

    let model: shapes::Model<NdArray> = shapes::Model::new(&device);
    let model = model.clone().load_record(shapes::Model::from_embedded().into_record());
    let found = model.forward(Tensor::from_data(input("shapes", 0), &device));
    assert_close(&found.into_data(), &output("shapes", 0));
}

#[test]
fn branches_and_loops_are_those_of_rust() {
    let model: control::Model<NdArray> = control::Model::default();
    let device = Default::default();
    let mut steps = input("control", 1);
    steps.shape = [1].into();
    let steps = Tensor::<NdArray, 1, Int>::from_data(steps, &device);
    let (found, sums) = model.forward(Tensor::from_data(input("control", 0), &device), steps);
    assert_close(&found.into_data(), &output("control", 0));
    assert_close(&sums.into_data(), &output("control", 1));

    let source = std::fs::read_to_string(folder("control").join("generated/model.rs")).unwrap();
    for line in ["let start = if ", "for iteration in 0..", "for _ in 0..3_i64 {", "{ break; }"] {
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        assert!(squeezed(&source).contains(&squeezed(line)), "no `{line}` in\n{source}");
    }
}

/// `cargo xtask no-std` builds the models that `no-std-probe` includes.
#[test]
fn ns_004_embedded_models_need_no_standard_library() {
    let probe =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../xtask/no-std-probe/src/generated_models.rs");
    let probe = std::fs::read_to_string(probe).unwrap();
    for name in ["control", "convnet"] {
        assert!(probe.contains(&format!("burn-onnx/tests/models/{name}/generated/model.rs")), "{name}");
        let source = std::fs::read_to_string(folder(name).join("generated/model.rs")).unwrap();
        assert!(!source.contains("std::"), "{name} names the standard library");
        assert!(source.contains("include_bytes!(\"model.bin\")"), "{name} opens a file");
    }
}

#[test]
fn on_002_source_is_included_from_out_dir() {
    // As in a build script whose file a program includes with `include!`.
    let out = tempfile::tempdir().unwrap();
    let files = generator("convnet").out_dir(out.path().join("model")).run_from_cli().unwrap();
    assert_eq!(files[0].source, out.path().join("model/model.rs"));
    let source = std::fs::read_to_string(&files[0].source).unwrap();
    // Attributes and docs of the file itself cannot be included.
    assert!(!source.lines().any(|line| line.starts_with("//!") || line.starts_with("#![")), "{source}");
    assert!(files[0].record.parent() == files[0].source.parent(), "`include_bytes!` looks beside the source");
    // The source of this program is the same text, included: `convnet` above.
    assert_eq!(source, std::fs::read_to_string(folder("convnet").join("generated/model.rs")).unwrap());
}

#[test]
fn on_007_generated_models_can_be_trained() {
    type B = Autodiff<NdArray>;
    let device = Default::default();
    let model: convnet::Model<B> = convnet::Model::from_embedded();
    // In evaluation mode the statistics of the file are used; a forward pass in training mode moves them.
    let valid = model.valid();
    let images = Tensor::<B, 4>::from_data(input("convnet", 0), &device);
    let gradients = model.forward(images).sum().backward();
    let gradient = model.fc1.weight.val().grad(&gradients).expect("the layer is trained");
    assert_eq!(gradient.dims(), [72, 16]);
    let found = valid.forward(Tensor::from_data(input("convnet", 0), &device));
    assert_close(&found.into_data(), &output("convnet", 0));
}

#[test]
fn on_003_records_of_every_type_are_loaded() {
    let device = Default::default();
    for (record_type, extension, recorder) in [
        (RecordType::NamedMpk, "mpk", "NamedMpkFileRecorder"),
        (RecordType::NamedMpkGz, "mpk.gz", "NamedMpkGzFileRecorder"),
        (RecordType::PrettyJson, "json", "PrettyJsonFileRecorder"),
        (RecordType::Bincode, "bin", "BinFileRecorder"),
    ] {
        let out = tempfile::tempdir().unwrap();
        let generator = ModelGen::new().input(folder("convnet").join("model.onnx")).record_type(record_type);
        let files = generator.out_dir(out.path()).run_from_cli().unwrap();
        assert!(files[0].record.display().to_string().ends_with(extension), "{files:?}");
        let source = std::fs::read_to_string(&files[0].source).unwrap();
        assert!(!source.contains(&out.path().display().to_string()), "the folder of this machine: {source}");
        let call = format!("\nburn::record::impl_from_file!(Model, {recorder}, \"model\");\n");
        assert!(source.contains(&call), "{source}");
        let base = out.path().join("model");
        let model: convnet::Model<NdArray> = convnet::Model::new(&device);
        use burn::record as r;
        let model = match record_type {
            RecordType::NamedMpk => model.load_file(base, &<r::NamedMpkFileRecorder>::new(), &device),
            RecordType::NamedMpkGz => model.load_file(base, &<r::NamedMpkGzFileRecorder>::new(), &device),
            RecordType::PrettyJson => model.load_file(base, &<r::PrettyJsonFileRecorder>::new(), &device),
            RecordType::Bincode => model.load_file(base, &<r::BinFileRecorder>::new(), &device),
        };
        let found = model.unwrap().forward(Tensor::from_data(input("convnet", 0), &device));
        assert_close(&found.into_data(), &output("convnet", 0));
    }
}

#[test]
fn on_004_half_precision_halves_the_weights() {
    let size = |half: bool| {
        let out = tempfile::tempdir().unwrap();
        let files = generator("convnet").half_precision(half).out_dir(out.path()).run_from_cli().unwrap();
        std::fs::metadata(&files[0].record).unwrap().len()
    };
    let (full, half) = (size(false), size(true));
    assert!(half < full * 6 / 10, "{half} bytes of {full}");
}

#[test]
fn on_005_embedded_states_need_the_binary_layout() {
    let out = tempfile::tempdir().unwrap();
    let generator = ModelGen::new().input(folder("convnet").join("model.onnx")).embed_states(true);
    let error = generator.out_dir(out.path().join("new")).run_from_cli().unwrap_err();
    assert!(matches!(error, OnnxError::Write { .. }), "{error}");
    assert!(error.to_string().contains("needs RecordType::Bincode"), "{error}");
    assert!(!out.path().join("new").exists(), "nothing is written");
}

#[test]
fn on_008_a_model_that_cannot_be_generated_leaves_no_file() {
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("damaged.onnx");
    std::fs::write(&file, b"no model").unwrap();
    let error = ModelGen::new().input(&file).out_dir(out.path().join("new")).run_from_cli().unwrap_err();
    assert!(error.to_string().contains("damaged.onnx"), "{error}");
    let left = std::fs::read_dir(out.path().join("new")).unwrap().count();
    assert_eq!(left, 0);
}
