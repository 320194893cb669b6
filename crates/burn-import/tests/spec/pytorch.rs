//! PT: files of `torch.save`.

use super::files::{B, CPU, close, fixture, wave};
use burn::config::Config;
use burn::module::{Module, Param};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{Linear, LinearConfig, LinearRecord};
use burn::record::{FullPrecisionSettings, NamedMpkFileRecorder, Recorder};
use burn::tensor::{Backend, Bool, DType, Int, Tensor, TensorData};
use burn_import::pytorch::{LoadArgs, PyTorchFileRecorder, config_from_file};
use burn_import::{Layout, pytorch};
use std::collections::HashMap;

#[derive(Module, Debug)]
struct Convs<B: Backend> {
    conv1: Conv2d<B>,
    conv2: Conv2d<B>,
}

#[derive(Module, Debug)]
struct Wrapped<B: Backend> {
    conv: Convs<B>,
}

impl<B: Backend> Convs<B> {
    fn new(device: &B::Device) -> Self {
        let config = Conv2dConfig::new([2, 2], [2, 2]);
        Convs { conv1: config.init(device), conv2: config.with_bias(false).init(device) }
    }
}

fn recorder() -> PyTorchFileRecorder<FullPrecisionSettings> {
    PyTorchFileRecorder::<FullPrecisionSettings>::default()
}

/// The values that the script gave the parameters, one after the other.
#[track_caller]
fn are_waves(convs: &Convs<B>) {
    let halves = |count, start| wave(count, start).iter().map(|x| x * 0.5).collect::<Vec<_>>();
    close(&convs.conv1.weight.to_data(), &TensorData::new(halves(16, 0), [2, 2, 2, 2]), 1e-7);
    let bias = convs.conv1.bias.as_ref().expect("a bias").to_data();
    close(&bias, &TensorData::new(halves(2, 16), [2]), 1e-7);
    close(&convs.conv2.weight.to_data(), &TensorData::new(halves(16, 18), [2, 2, 2, 2]), 1e-7);
    assert!(convs.conv2.bias.is_none());
}

#[test]
fn pt_001_state_dicts_load_from_zip_files_and_from_those_before() {
    for file in ["convs.pt", "convs_legacy.pt"] {
        let record: WrappedRecord<B> = recorder().load(fixture(file).into(), CPU).unwrap();
        are_waves(&Wrapped { conv: Convs::new(CPU) }.load_record(record).conv);
    }
}

#[test]
fn pt_001_a_file_that_is_not_there_or_of_another_kind_is_named() {
    let error = |path: std::path::PathBuf| {
        recorder().load::<ConvsRecord<B>>(path.into(), CPU).unwrap_err().to_string()
    };
    assert!(error(fixture("nowhere.pt")).contains("nowhere.pt"));
    let text = error(fixture("expected.json"));
    assert!(text.contains("expected.json") && text.contains("not a file of torch.save"), "{text}");
}

#[test]
fn pt_002_load_args_are_a_path_and_options() {
    let args = LoadArgs::new(fixture("convs.pt"));
    assert_eq!(args.path(), fixture("convs.pt"));
    let record: WrappedRecord<B> = recorder().load(args, CPU).unwrap();
    are_waves(&Wrapped { conv: Convs::new(CPU) }.load_record(record).conv);
}

#[test]
fn pt_003_keys_are_remapped_by_regular_expressions_in_order() {
    let args = LoadArgs::new(fixture("convs.pt")).with_key_remap("conv\\.(.*)", "$1");
    let record: ConvsRecord<B> = recorder().load(args, CPU).unwrap();
    are_waves(&Convs::new(CPU).load_record(record));
    // The second expression meets what the first one left.
    let args = LoadArgs::new(fixture("convs.pt"))
        .with_key_remap(r"^conv\.conv(\d)\.", "layer$1.")
        .with_key_remap("layer", "conv");
    let record: ConvsRecord<B> = recorder().load(args, CPU).unwrap();
    are_waves(&Convs::new(CPU).load_record(record));
}

#[test]
fn pt_003_two_keys_of_one_name_and_a_wrong_expression_are_errors() {
    let load = |pattern: &str, replacement: &str| {
        let args = LoadArgs::new(fixture("convs.pt")).with_key_remap(pattern, replacement);
        recorder().load::<ConvsRecord<B>>(args, CPU).unwrap_err().to_string()
    };
    let twice = load(r"conv\.conv.\.", "");
    assert!(twice.contains("conv.conv1.weight") && twice.contains("conv.conv2.weight"), "{twice}");
    assert!(load("conv(", "").contains("with_key_remap"), "{}", load("conv(", ""));
}

/// `.into()` leaves the type to the parameter, which has one; the others are forms of `From`.
#[test]
fn pt_002_load_args_are_made_of_any_path() {
    let name = "convs.pt";
    let all = [
        LoadArgs::new(name.into()),
        LoadArgs::new(String::from(name).into()),
        LoadArgs::new(std::path::PathBuf::from(name)),
        LoadArgs::new(std::path::Path::new(name).into()),
        name.into(),
        LoadArgs::from(String::from(name)),
        burn_import::safetensors::LoadArgs::new(name.into()),
        burn_import::npz::LoadArgs::new(name.into()),
    ];
    assert!(all.iter().all(|args| args.path() == std::path::Path::new(name)));
}

#[test]
fn pt_004_debug_print_lists_keys_shapes_and_types() {
    const GOLDEN: &str = "Debug information of keys and tensor shapes:
---
Original Key: conv.conv1.bias
Remapped Key: conv1.bias
Shape: [2]
Dtype: F32
---
Original Key: conv.conv1.weight
Remapped Key: conv1.weight
Shape: [2, 2, 2, 2]
Dtype: F32
---
Original Key: conv.conv2.weight
Remapped Key: conv2.weight
Shape: [2, 2, 2, 2]
Dtype: F32
---
";
    // Output of a test is seen from outside only: this test starts itself, and prints there.
    const INSIDE: &str = "BURN_IMPORT_PRINTS_KEYS";
    if std::env::var_os(INSIDE).is_some() {
        let args = LoadArgs::new(fixture("convs.pt")).with_key_remap("conv\\.(.*)", "$1").with_debug_print();
        let _record: ConvsRecord<B> = recorder().load(args, CPU).unwrap();
        return;
    }
    let itself = std::env::current_exe().unwrap();
    let name = "pytorch::pt_004_debug_print_lists_keys_shapes_and_types";
    let output =
        std::process::Command::new(itself).args(["--exact", name, "--nocapture"]).env(INSIDE, "1").output();
    let printed = String::from_utf8(output.unwrap().stdout).unwrap();
    assert!(printed.contains(GOLDEN), "{printed}");
}

#[test]
fn pt_005_the_state_dict_of_a_checkpoint_is_below_a_key() {
    for key in ["my_state_dict", "nested.model"] {
        let args = LoadArgs::new(fixture("checkpoint.pt")).with_top_level_key(key);
        let record: ConvsRecord<B> = recorder().load(args, CPU).unwrap();
        are_waves(&Convs::new(CPU).load_record(record));
    }
    let args = LoadArgs::new(fixture("checkpoint.pt")).with_top_level_key("model");
    let error = recorder().load::<ConvsRecord<B>>(args, CPU).unwrap_err().to_string();
    assert!(error.contains("`model`") && error.contains("my_state_dict"), "{error}");
}

#[derive(Module, Debug)]
struct Net<B: Backend> {
    fc: Vec<Linear<B>>,
}

#[test]
fn pt_006_indices_with_gaps_are_renumbered_in_their_order() {
    let record: NetRecord<B> = recorder().load(fixture("sequential.pt").into(), CPU).unwrap();
    let net = Net { fc: vec![LinearConfig::new(2, 2).init(CPU); 12] }.load_record(record);
    for (index, layer) in net.fc.iter().enumerate() {
        // Four weights and two biases for each layer, in PyTorch's order 0, 2, .., 22: the tenth is not after
        // the first.
        let values: Vec<f64> = wave(6, 6 * index).iter().map(|x| x * 0.5).collect();
        let transposed = [values[0], values[2], values[1], values[3]];
        close(&layer.weight.to_data(), &TensorData::new(&transposed[..], [2, 2]), 1e-7);
        close(&layer.bias.as_ref().unwrap().to_data(), &TensorData::new(&values[4..], [2]), 1e-7);
    }
}

#[derive(Module, Debug)]
struct Part<B: Backend> {
    conv1: Conv2d<B>,
}

#[test]
fn pt_007_keys_that_the_model_does_not_have_are_ignored() {
    let args = || LoadArgs::new(fixture("checkpoint.pt")).with_top_level_key("my_state_dict");
    let record: PartRecord<B> = recorder().load(args(), CPU).unwrap();
    let part = Part { conv1: Conv2dConfig::new([2, 2], [2, 2]).init(CPU) }.load_record(record);
    let expected = wave(16, 0).iter().map(|x| x * 0.5).collect::<Vec<_>>();
    close(&part.conv1.weight.to_data(), &TensorData::new(expected, [2, 2, 2, 2]), 1e-7);
    // They are reported, and are an error for callers that want that.
    let (_record, report) = recorder().load_with_report::<B, PartRecord<B>>(args(), CPU).unwrap();
    assert_eq!(report.mismatch.unexpected, ["my_state_dict.conv2.weight"]);
    let strict = recorder().load::<PartRecord<B>>(args().with_strict(true), CPU).unwrap_err();
    assert_eq!(strict.mismatch().unwrap().unexpected, ["my_state_dict.conv2.weight"]);
}

#[test]
fn pt_007_keys_that_the_file_does_not_have_are_an_error() {
    let error = recorder().load::<ConvsRecord<B>>(fixture("checkpoint.pt").into(), CPU).unwrap_err();
    assert_eq!(error.mismatch().unwrap().missing, ["conv1.weight", "conv2.weight"]);
    assert!(error.to_string().contains("checkpoint.pt"), "{error}");
}

#[derive(Module, Debug)]
enum Layer<B: Backend> {
    Linear(Linear<B>),
    Conv(Conv2d<B>),
    OtherConv(Conv2d<B>),
}

#[derive(Module, Debug)]
struct Choices<B: Backend> {
    conv: Layer<B>,
    linear: Layer<B>,
}

#[test]
fn pt_008_the_variant_of_an_enum_is_the_first_that_fits() {
    let args = || LoadArgs::from(fixture("enum.pt"));
    let (record, report) = recorder().load_with_report::<B, ChoicesRecord<B>>(args(), CPU).unwrap();
    assert!(matches!(record.conv, LayerRecord::Conv(_)));
    assert!(matches!(record.linear, LayerRecord::Linear(_)));
    assert_eq!(report.mismatch.unexpected, [] as [&str; 0]);
    let choices = Choices {
        conv: Layer::Conv(Conv2dConfig::new([3, 2], [2, 2]).init(CPU)),
        linear: Layer::Linear(LinearConfig::new(3, 2).init(CPU)),
    };
    let choices = choices.load_record(record);
    let Layer::Linear(linear) = &choices.linear else { panic!("a linear layer") };
    assert_eq!(linear.weight.dims(), [3, 2]);
}

#[derive(Config, Debug, PartialEq)]
struct NetConfig {
    n_heads: usize,
    d_model: i64,
    dropout: f64,
    bias: bool,
    name: String,
    sizes: Vec<usize>,
    nested: HashMap<String, serde_json::Value>,
    none: Option<usize>,
    epsilon: f32,
}

#[test]
fn pt_009_configs_are_read_from_checkpoints() {
    let config: NetConfig = config_from_file(fixture("checkpoint.pt"), Some("config")).unwrap();
    assert_eq!((config.n_heads, config.d_model), (4, 1 << 40));
    assert_eq!((config.dropout, config.bias, config.name.as_str()), (0.125, true, "net"));
    assert_eq!((config.sizes, config.none, config.epsilon), (vec![8, 16], None, 1e-5));
    assert_eq!(config.nested["scale"], -1.5e-3);
    assert_eq!(config.nested["shape"], serde_json::json!([2, 3]));

    #[derive(serde::Deserialize)]
    struct Whole {
        epoch: u32,
    }
    let whole: Whole = config_from_file(fixture("checkpoint.pt"), None).unwrap();
    assert_eq!(whole.epoch, 7);
}

#[test]
fn pt_009_a_config_that_is_missing_or_of_another_type_is_named() {
    let missing =
        config_from_file::<NetConfig>(fixture("checkpoint.pt"), Some("settings")).unwrap_err().to_string();
    assert!(missing.contains("`settings`") && missing.contains("config"), "{missing}");
    #[derive(serde::Deserialize, Debug)]
    #[expect(dead_code, reason = "it is not read")]
    struct Wrong {
        name: u32,
    }
    let wrong = config_from_file::<Wrong>(fixture("checkpoint.pt"), Some("config")).unwrap_err().to_string();
    assert!(wrong.contains("checkpoint.pt") && wrong.contains("\"net\""), "{wrong}");
}

#[test]
fn pt_010_a_loaded_record_is_saved_by_any_recorder() {
    let folder = tempfile::tempdir().unwrap();
    let record: WrappedRecord<B> = recorder().load(fixture("convs.pt").into(), CPU).unwrap();
    let named = NamedMpkFileRecorder::<FullPrecisionSettings>::new();
    named.record(record, folder.path().join("convs")).unwrap();
    let record: WrappedRecord<B> = named.load(folder.path().join("convs"), CPU).unwrap();
    are_waves(&Wrapped { conv: Convs::new(CPU) }.load_record(record).conv);
}

#[derive(Module, Debug)]
struct Mask<B: Backend> {
    bool: Param<Tensor<B, 1, Bool>>,
    int64: Param<Tensor<B, 1, Int>>,
    scalar: Param<Tensor<B, 1>>,
}

#[test]
fn pt_011_bools_and_integers_are_parameters() {
    for file in ["dtypes.pt", "dtypes_legacy.pt"] {
        let record: MaskRecord<B> = recorder().load(fixture(file).into(), CPU).unwrap();
        let empty = Mask {
            bool: Param::from_tensor(Tensor::from_data([false; 4], CPU)),
            int64: Param::from_tensor(Tensor::zeros([4], CPU)),
            scalar: Param::from_tensor(Tensor::zeros([1], CPU)),
        };
        let record = empty.load_record(record);
        assert_eq!(record.bool.to_data(), TensorData::from([true, false, false, true]));
        assert_eq!(record.int64.to_data().convert::<i64>(), TensorData::from([0, 1, i64::MIN, i64::MAX]));
        // A scalar is a list of one element.
        assert_eq!(record.scalar.to_data(), TensorData::from([2.5_f32]));
    }
}

#[test]
fn pt_011_every_type_of_pytorch_has_its_numbers() {
    let weights = pytorch::open(fixture("dtypes.pt")).unwrap();
    let read = |name: &str| weights.read(name).expect("it is there").unwrap();
    for (name, dtype) in [
        ("float64", DType::F64),
        ("float32", DType::F32),
        ("float16", DType::F16),
        ("bfloat16", DType::BF16),
        ("float8_e4m3fn", DType::F32),
        ("float8_e5m2", DType::F32),
    ] {
        assert_eq!(read(name).dtype, dtype, "{name}");
        assert_eq!(read(name).to_f64(), [0.5, -1.0, 2.0, 0.25], "{name}");
    }
    assert_eq!(read("int8"), TensorData::from([0_i8, 1, i8::MIN, i8::MAX]));
    assert_eq!(read("int16"), TensorData::from([0_i16, 1, i16::MIN, i16::MAX]));
    assert_eq!(read("int32"), TensorData::from([0_i32, 1, i32::MIN, i32::MAX]));
    assert_eq!(read("int64"), TensorData::from([0_i64, 1, i64::MIN, i64::MAX]));
    assert_eq!(read("uint8"), TensorData::from([0_u8, 1, 0, u8::MAX]));
    assert_eq!(read("uint16"), TensorData::from([0_u16, 1, 0, u16::MAX]));
    assert_eq!(read("uint32"), TensorData::from([0_u32, 1, 0, u32::MAX]));
    assert_eq!(read("uint64"), TensorData::from([0_u64, 1, 0, u64::MAX]));
    assert_eq!(read("scalar"), TensorData::new(&[2.5_f32][..], []));
    assert_eq!(read("empty").shape[..], [3, 0]);
}

#[test]
fn pt_001_views_and_shared_memory_are_the_tensors_that_were_saved() {
    let base = |i: usize, j: usize| ((6 * i + j) as f64).cos() as f32;
    let matrix = |rows: usize, columns: usize, at: &dyn Fn(usize, usize) -> f32| {
        let values: Vec<f32> = (0..rows * columns).map(|k| at(k / columns, k % columns)).collect();
        TensorData::new(values, [rows, columns])
    };
    for file in ["views.pt", "views_legacy.pt"] {
        let weights = pytorch::open(fixture(file)).unwrap();
        let read = |name: &str| weights.read(name).expect("it is there").unwrap();
        assert_eq!(read("whole"), matrix(4, 6, &base));
        assert_eq!(read("tied"), read("whole"));
        assert_eq!(read("transposed"), matrix(6, 4, &|i, j| base(j, i)));
        assert_eq!(read("slice"), matrix(2, 3, &|i, j| base(1 + i, 2 + j)));
        assert_eq!(read("step"), matrix(4, 3, &|i, j| base(i, 2 * j)));
        assert_eq!(read("expanded"), matrix(3, 2, &|_, _| base(0, 0)));
        assert_eq!(read("parameter"), TensorData::new((0..6).map(|j| base(2, j)).collect::<Vec<_>>(), [6]));
        let permuted: Vec<f32> =
            (0..24).map(|k| ((12 * (k / 3 % 2) + 4 * (k % 3) + k / 6) as f64).cos() as f32).collect();
        assert_eq!(read("permuted"), TensorData::new(permuted, [4, 2, 3]));
    }
}

#[test]
fn pt_013_weights_of_linear_layers_are_transposed_and_those_of_this_framework_are_not() {
    let load = |layout| {
        let args = LoadArgs::new(fixture("enum.pt")).with_top_level_key("linear").with_layout(layout);
        recorder().load::<LinearRecord<B>>(args, CPU).unwrap().weight.to_data()
    };
    let values: Vec<f64> = wave(6, 0).iter().map(|x| x * 0.5).collect();
    close(&load(Layout::Burn), &TensorData::new(&values[..], [2, 3]), 1e-7);
    let transposed: Vec<f64> = (0..6).map(|k| values[k % 2 * 3 + k / 2]).collect();
    close(&load(Layout::PyTorch), &TensorData::new(transposed, [3, 2]), 1e-7);
}

/// A layer of this program with the name of one of `burn::nn`.
mod own {
    use burn::module::{Module, Param};
    use burn::tensor::{Backend, Tensor};

    #[derive(Module, Debug)]
    #[expect(dead_code, reason = "its record is loaded")]
    pub struct Linear<B: Backend> {
        pub weight: Param<Tensor<B, 2>>,
        pub bias: Param<Tensor<B, 1>>,
    }
}

#[test]
fn pt_013_a_layer_of_the_program_with_the_same_name_is_left_alone() {
    let args = LoadArgs::new(fixture("enum.pt")).with_top_level_key("linear");
    let record: own::LinearRecord<B> = recorder().load(args, CPU).unwrap();
    assert_eq!(record.weight.dims(), [2, 3]);
}

#[test]
fn pt_001_the_other_byte_order_is_refused_by_name() {
    for file in ["big_endian.pt", "big_endian_legacy.pt"] {
        let error = pytorch::open(fixture(file)).unwrap_err().to_string();
        assert!(error.contains("byte order `big`") && error.contains(file), "{error}");
    }
}

#[test]
fn pt_001_nothing_is_saved_as_pytorch() {
    let error = Recorder::<B>::record(&recorder(), vec![1.0_f64], "model.pt".into()).unwrap_err().to_string();
    assert!(error.contains("model.pt") && error.contains("safetensors"), "{error}");
}
