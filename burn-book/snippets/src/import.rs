//! Models from elsewhere.

use burn::backend::NdArray;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{Linear, LinearConfig};
use burn::prelude::*;
use burn::record::RecordError;
use std::path::PathBuf;

/// A file that the tests of `burn-import` have.
fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../crates/burn-import/tests/fixtures").join(name)
}

// ANCHOR: net
#[derive(Module, Debug)]
pub struct Net<B: Backend> {
    conv1: Conv2d<B>,
    conv2: Conv2d<B>,
}

impl<B: Backend> Net<B> {
    pub fn new(device: &B::Device) -> Self {
        let config = Conv2dConfig::new([2, 2], [2, 2]);
        Net { conv1: config.init(device), conv2: config.with_bias(false).init(device) }
    }
}
// ANCHOR_END: net

#[test]
fn a_state_dict_is_loaded_under_other_names() -> Result<(), RecordError> {
    let path = file("convs.pt");
    // ANCHOR: pytorch
    use burn::record::{FullPrecisionSettings, Recorder};
    use burn_import::pytorch::{LoadArgs, PyTorchFileRecorder};

    let device = Default::default();
    // The PyTorch program had both layers in a module `conv`.
    let args = LoadArgs::new(path).with_key_remap("conv\\.(.*)", "$1");
    let record: NetRecord<NdArray> =
        PyTorchFileRecorder::<FullPrecisionSettings>::default().load(args, &device)?;
    let net = Net::new(&device).load_record(record);
    // ANCHOR_END: pytorch
    assert!(net.conv2.bias.is_none());
    Ok(())
}

#[test]
fn a_state_dict_in_a_checkpoint_is_below_a_key() -> Result<(), RecordError> {
    use burn::record::{FullPrecisionSettings, NamedMpkFileRecorder, Recorder};
    use burn_import::pytorch::{LoadArgs, PyTorchFileRecorder};
    let (device, path) = (Default::default(), file("checkpoint.pt"));
    let folder = tempfile::tempdir().expect("a folder");
    let converted = folder.path().join("net");
    // ANCHOR: checkpoint
    let args = LoadArgs::new(path.clone()).with_top_level_key("my_state_dict");
    let record: NetRecord<NdArray> =
        PyTorchFileRecorder::<FullPrecisionSettings>::default().load(args, &device)?;
    // Saved in a format of this framework, it needs no `burn-import` to be loaded.
    NamedMpkFileRecorder::<FullPrecisionSettings>::new().record(record, converted.clone())?;
    // ANCHOR_END: checkpoint
    assert!(converted.with_extension("mpk").exists());

    // ANCHOR: config
    use burn_import::pytorch::config_from_file;

    #[derive(Config, Debug)]
    struct NetConfig {
        n_heads: usize,
        dropout: f64,
        sizes: Vec<usize>,
    }

    let config: NetConfig = config_from_file(&path, Some("config"))?;
    // ANCHOR_END: config
    assert_eq!((config.n_heads, config.dropout, config.sizes), (4, 0.125, vec![8, 16]));
    Ok(())
}

#[test]
fn weights_are_loaded_into_a_module_with_a_report() -> Result<(), RecordError> {
    let (device, path) = (Default::default(), file("checkpoint.pt"));
    // ANCHOR: report
    use burn::weights::Strictness;
    use burn_import::LoadArgs;

    #[derive(Module, Debug)]
    struct Larger<B: Backend> {
        conv1: Conv2d<B>,
        conv2: Conv2d<B>,
        head: Linear<B>,
    }

    let Net { conv1, conv2 } = Net::<NdArray>::new(&device);
    let model = Larger { conv1, conv2, head: LinearConfig::new(8, 3).init(&device) };

    let weights = burn_import::open(LoadArgs::new(path).with_top_level_key("my_state_dict"))?;
    let (model, report) = weights.load_into(model, Strictness::Lenient)?;
    assert_eq!(report.to_string(), "3 of 5 parameters loaded\n  missing: head.weight, head.bias");
    // ANCHOR_END: report
    assert!(!model.head.weight.is_initialized());
    Ok(())
}

#[test]
fn a_module_is_written_with_pytorchs_names() -> Result<(), RecordError> {
    let device = Default::default();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("net.safetensors");
    let net = Net::<NdArray>::new(&device);
    // ANCHOR: safetensors
    use burn::weights::Strictness;
    use burn_import::safetensors;

    safetensors::save(&net, &path)?;

    let weights = safetensors::open(&path)?;
    let (again, _report) = weights.load_into(Net::<NdArray>::new(&device), Strictness::Strict)?;
    // ANCHOR_END: safetensors
    assert_eq!(again.conv1.weight.to_data(), net.conv1.weight.to_data());

    // ANCHOR: sharded
    safetensors::save_sharded(&net, folder.path(), 2 << 30)?;
    let weights = safetensors::open(folder.path().join("model.safetensors.index.json"))?;
    // ANCHOR_END: sharded
    assert_eq!(weights.tensors().len(), 3);
    Ok(())
}

#[test]
fn tensors_of_gguf_are_dequantized() -> Result<(), RecordError> {
    let path = file("tensors.gguf");
    // ANCHOR: gguf
    use burn::weights::{TensorSource, Weights};
    use burn_import::gguf::{GgufFile, MetadataValue};

    let file = GgufFile::open(&path)?;
    assert_eq!(file.get("llama.context_length"), Some(&MetadataValue::UInt(2048)));
    for tensor in file.tensors() {
        println!("{}: {} {:?}", tensor.name, tensor.stored_as, tensor.shape);
    }

    let weights = Weights::new(file);
    let q4 = weights.read("q4_k").expect("the file has it")?;
    // ANCHOR_END: gguf
    assert_eq!(q4.shape[..], [2, 512]);
    Ok(())
}

#[test]
fn arrays_are_read_and_written() -> Result<(), RecordError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("images.npz");
    // ANCHOR: npz
    use burn_import::npz;

    let images = TensorData::from([[0.0_f32, 0.5], [1.0, 0.25]]);
    npz::save_npz(vec![("images".to_string(), images.clone())], &path)?;
    let arrays = npz::open(&path)?;
    assert_eq!(arrays.read("images").expect("it is there")?, images);
    // ANCHOR_END: npz
    Ok(())
}

#[test]
fn a_record_is_loaded_in_part() -> Result<(), RecordError> {
    let device = Default::default();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("linear");
    // ANCHOR: record
    use burn::record::{FullPrecisionSettings, NamedMpkFileRecorder, Recorder};
    use burn::weights::{RecordSource, Strictness, Weights};

    let recorder = NamedMpkFileRecorder::<FullPrecisionSettings>::new();
    LinearConfig::new(4, 3).init::<NdArray>(&device).save_file(&path, &recorder)?;

    let record = Recorder::<NdArray>::load_node(&recorder, path.clone())?;
    let weights = Weights::new(RecordSource::new(path.display().to_string(), record)?);
    let wider = LinearConfig::new(5, 3).init::<NdArray>(&device);
    let (linear, report) = weights.load_into(wider, Strictness::Lenient)?;
    assert_eq!(report.loaded, ["bias"]);
    // ANCHOR_END: record
    assert!(!linear.weight.is_initialized());
    Ok(())
}

#[test]
fn an_onnx_model_runs_as_it_is() -> Result<(), Box<dyn std::error::Error>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../crates/burn-onnx/tests/models/shapes/model.onnx");
    // ANCHOR: onnx
    use burn_import::onnx::{Graph, RunValue};

    let graph = Graph::load(path)?;
    let x = TensorData::new(vec![1.0_f32; 2 * 6 * 4], [2, 6, 4]);
    let outputs = graph.run::<NdArray>(vec![RunValue::Data(x)], &Default::default())?;
    // ANCHOR_END: onnx
    assert_eq!(outputs.len(), 1);
    Ok(())
}

#[test]
fn a_loaded_model_is_fine_tuned_in_part() -> Result<(), RecordError> {
    use burn::backend::Autodiff;
    let device = Default::default();
    let path = file("checkpoint.pt");
    // ANCHOR: finetune
    use burn::nn::lora::LoraConfig;
    use burn::weights::Strictness;
    use burn_import::LoadArgs;

    #[derive(Module, Debug)]
    struct Classifier<B: Backend> {
        backbone: Net<B>,
        head: Linear<B>,
    }

    let weights = burn_import::open(LoadArgs::new(path).with_top_level_key("my_state_dict"))?;
    let (backbone, _report) =
        weights.load_into(Net::<Autodiff<NdArray>>::new(&device), Strictness::Strict)?;
    let head = LinearConfig::new(8, 3).init(&device);
    // The backbone stays as it was loaded, and gradients reach the head alone.
    let frozen = Classifier { backbone: backbone.no_grad(), head };
    // Or: rank-4 adapters beside every linear layer, whose weights are frozen too.
    let adapted = LoraConfig::new(4).apply(frozen.clone());
    // ANCHOR_END: finetune
    assert!(!frozen.backbone.conv1.weight.is_require_grad() && frozen.head.weight.is_require_grad());
    assert!(adapted.head.lora.adapter().is_some() && !adapted.head.weight.is_require_grad());
    Ok(())
}
