//! Recorders: what is saved is loaded, and whatever else a file holds is an error.

use crate::models::{Affine, Mlp};
use burn_core::module::{Initializer, Module, Param};
use burn_core::record::{
    BinBytesRecorder, BinFileRecorder, BinGzFileRecorder, CompactRecorder, DoublePrecisionSettings,
    FileRecorder, FullPrecisionSettings, HalfPrecisionSettings, JsonGzFileRecorder, NamedMpkFileRecorder,
    NamedMpkGzFileRecorder, Node, PrecisionSettings, PrettyJsonFileRecorder, Record, RecordError, Recorder,
};
use burn_core::tensor::{Backend, Bool, DType, Int, Tensor, TensorData, Tolerance};
use burn_ndarray::NdArray;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

type B = NdArray;
type Full = FullPrecisionSettings;

/// A folder that is gone after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("burn-recorder-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Calls a generic test with every recorder.
macro_rules! for_each_recorder {
    ($settings:ty, $test:ident) => {
        $test(NamedMpkFileRecorder::<$settings>::new());
        $test(NamedMpkGzFileRecorder::<$settings>::new());
        $test(BinFileRecorder::<$settings>::new());
        $test(BinGzFileRecorder::<$settings>::new());
        $test(JsonGzFileRecorder::<$settings>::new());
        $test(PrettyJsonFileRecorder::<$settings>::new());
    };
}

/// Every kind of value.
#[derive(Record, Clone, Debug, PartialEq)]
struct Everything {
    flag: bool,
    small: i8,
    large: u64,
    number: f64,
    infinite: f64,
    text: String,
    none: Option<u8>,
    some: Option<u8>,
    list: Vec<Option<i64>>,
    pair: (u8, String),
    array: [f32; 3],
    by_name: HashMap<String, f64>,
    by_number: BTreeMap<u32, Vec<bool>>,
    choice: Choice,
    other: Choice,
    tensor: TensorData,
}

#[derive(Record, Clone, Debug, PartialEq)]
enum Choice {
    Nothing,
    Number(f64),
}

fn everything() -> Everything {
    Everything {
        flag: true,
        small: -128,
        large: u64::MAX,
        number: -1.0 / 3.0,
        infinite: f64::NEG_INFINITY,
        text: "quotes \" and \u{1F525}\n".to_string(),
        none: None,
        some: Some(200),
        list: vec![Some(-40_000), None, Some(i64::MIN)],
        pair: (7, String::new()),
        array: [0.1, -0.0, 1e-40],
        by_name: HashMap::from([("$tensor".to_string(), 1.0), ("$".to_string(), 2.0)]),
        by_number: BTreeMap::from([(70_000, vec![true; 20]), (3, vec![])]),
        choice: Choice::Nothing,
        other: Choice::Number(1e300),
        tensor: TensorData::new(vec![0.1_f32, f32::INFINITY, -f32::NAN, 1e-45, 16_777_217.0, -0.0], [2, 3]),
    }
}

fn round_trips<R: FileRecorder<B>>(recorder: R) {
    let folder = Folder::new(R::file_extension());
    let path = folder.path("model-1.5");
    let mut expected = everything();
    recorder.record::<Everything>(expected.clone(), path.clone()).unwrap();
    let file = folder.path(&format!("model-1.5.{}", R::file_extension()));
    assert!(file.exists(), "{file:?}");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1);

    let mut loaded: Everything = recorder.load(path.clone(), &Default::default()).unwrap();
    // NaN is not equal to itself; the bits are.
    assert_eq!(loaded.tensor.as_bytes(), expected.tensor.as_bytes());
    let plain = TensorData::new(vec![0.0_f32], [1]);
    (loaded.tensor, expected.tensor) = (plain.clone(), plain);
    assert_eq!(loaded, expected);
    let with_extension: Everything = recorder.load(file, &Default::default()).unwrap();
    assert_eq!(with_extension.text, expected.text);
}

#[test]
fn every_recorder_gives_back_every_value() {
    for_each_recorder!(FullPrecisionSettings, round_trips);
}

fn trains_on<R: FileRecorder<B>>(recorder: R) {
    let folder = Folder::new(&format!("model-{}", R::file_extension()));
    let device = Default::default();
    let model = Mlp::<B>::new(4, &device);
    model.save_file(folder.path("model"), &recorder).unwrap();
    let other = Mlp::<B>::new(4, &device).load_file(folder.path("model"), &recorder, &device).unwrap();
    let values = |model: &Mlp<B>| model.hidden[1].weight.val().into_data();
    let half = R::Settings::FLOAT == DType::F16;
    let bound = if half { 1e-3 } else { 0.0 };
    values(&other).assert_approx_eq::<f64>(&values(&model), Tolerance::rel_abs(bound, bound));
    assert_eq!(other.hidden[1].weight.id(), model.hidden[1].weight.id());
}

#[test]
fn every_recorder_saves_modules_at_every_precision() {
    for_each_recorder!(FullPrecisionSettings, trains_on);
    for_each_recorder!(DoublePrecisionSettings, trains_on);
    for_each_recorder!(HalfPrecisionSettings, trains_on);
}

#[derive(Record)]
struct Tensors<B: Backend> {
    float: Tensor<B, 2>,
    int: Tensor<B, 1, Int>,
    bool: Tensor<B, 1, Bool>,
}

fn tensors(ints: [i64; 2]) -> Tensors<B> {
    let device = Default::default();
    Tensors {
        float: Tensor::from_data([[0.5_f32, 1.0 / 3.0]], &device),
        int: Tensor::from_data(ints, &device),
        bool: Tensor::from_data([true, false], &device),
    }
}

fn saved_dtypes<R: FileRecorder<B>>(recorder: R) -> [DType; 3] {
    let folder = Folder::new("dtypes");
    recorder.record(tensors([1, -2]), folder.path("record")).unwrap();
    let node = recorder.load_node(folder.path("record")).unwrap();
    ["float", "int", "bool"].map(|key| match node.get(key) {
        Some(Node::Tensor(data)) => data.dtype,
        other => panic!("{other:?}"),
    })
}

#[test]
fn settings_choose_the_width_and_loading_undoes_it() {
    assert_eq!(saved_dtypes(NamedMpkFileRecorder::<Full>::new()), [DType::F32, DType::I32, DType::Bool]);
    assert_eq!(
        saved_dtypes(NamedMpkFileRecorder::<DoublePrecisionSettings>::new()),
        [DType::F64, DType::I64, DType::Bool]
    );
    assert_eq!(saved_dtypes(CompactRecorder::new()), [DType::F16, DType::I16, DType::Bool]);

    let folder = Folder::new("width");
    let recorder = CompactRecorder::new();
    Recorder::<B>::record(&recorder, tensors([1, -2]), folder.path("record")).unwrap();
    let loaded: Tensors<B> =
        Recorder::<B>::load(&recorder, folder.path("record"), &Default::default()).unwrap();
    assert_eq!(loaded.int.into_data().convert::<i64>().to_vec::<i64>().unwrap(), [1, -2]);
    assert_eq!(loaded.bool.into_data().to_f64(), [1.0, 0.0]);
    // The nearest binary16 to 1/3.
    assert_eq!(loaded.float.into_data().to_f64(), [0.5, 0.333_251_953_125]);
}

#[test]
fn an_integer_that_does_not_fit_is_an_error_with_its_key() {
    let folder = Folder::new("overflow");
    let error =
        Recorder::<B>::record(&CompactRecorder::new(), tensors([1, 40_000]), folder.path("r")).unwrap_err();
    assert!(matches!(&error, RecordError::Precision { key, .. } if key == "int"), "{error}");
    assert!(error.to_string().contains("40000"), "{error}");
    assert!(!folder.path("r.mpk").exists());
}

#[test]
fn a_float_beyond_half_precision_stays_finite() {
    let recorder = BinBytesRecorder::<HalfPrecisionSettings>::new();
    let data = TensorData::from([1e6_f32, 1.0]);
    let bytes = Recorder::<B>::record(&recorder, data.clone(), ()).unwrap();
    let back: TensorData = Recorder::<B>::load(&recorder, bytes, &Default::default()).unwrap();
    assert_eq!(back, data);
}

#[test]
fn half_precision_files_are_about_half_the_size() {
    let folder = Folder::new("sizes");
    let device = Default::default();
    let model = Affine::<B>::with(Initializer::TORCH, 64, &device);
    model.save_file(folder.path("half"), &CompactRecorder::new()).unwrap();
    model.save_file(folder.path("full"), &NamedMpkFileRecorder::<Full>::new()).unwrap();
    let size = |name: &str| std::fs::metadata(folder.path(name)).unwrap().len();
    assert!(size("half.mpk") * 10 < size("full.mpk") * 6, "{} {}", size("half.mpk"), size("full.mpk"));
}

/// A record whose files are small enough to damage in every way.
fn small() -> Vec<(String, f64)> {
    vec![("one".to_string(), 1.0), ("two".to_string(), 2.5)]
}

fn refuses_damage<R: FileRecorder<B>>(recorder: R) {
    let folder = Folder::new(&format!("damage-{}", R::file_extension()));
    let (path, file) = (folder.path("r"), folder.path(&format!("r.{}", R::file_extension())));
    let tensor = TensorData::from([1.0_f32, 2.0, 3.0]);
    recorder.record((small(), tensor.clone()), path.clone()).unwrap();
    let bytes = std::fs::read(&file).unwrap();
    let load = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        recorder.load::<(Vec<(String, f64)>, TensorData)>(path.clone(), &Default::default())
    };
    // The last line break of a pretty file may be missing.
    let whole = bytes.trim_ascii_end().len();
    for length in 0..whole {
        assert!(load(&bytes[..length]).is_err(), "{} bytes of {}", length, R::file_extension());
    }
    for position in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[position] ^= 1 << bit;
            // A flipped bit in white space, in the name of the operating system in a gzip head and the like
            // changes nothing; whatever is loaded is what was saved.
            if let Ok(loaded) = load(&damaged) {
                assert_eq!(loaded, (small(), tensor.clone()), "bit {bit} of byte {position}");
            }
        }
    }
    let mut longer = bytes.clone();
    longer.extend_from_slice(b"{}");
    assert!(load(&longer).is_err());
    let error = load(&bytes[..bytes.len() / 2]).unwrap_err().to_string();
    assert!(error.contains(&file.display().to_string()), "{error}");
}

#[test]
fn truncated_and_flipped_files_are_errors_or_the_same_record() {
    for_each_recorder!(FullPrecisionSettings, refuses_damage);
}

fn refuses_nonsense<R: FileRecorder<B>>(recorder: R) {
    let folder = Folder::new(&format!("nonsense-{}", R::file_extension()));
    let (path, file) = (folder.path("r"), folder.path(&format!("r.{}", R::file_extension())));
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    // Random bytes, and bytes that are all lists, maps or long lengths.
    for round in 0..300 {
        let length = random() % 4096;
        let bytes: Vec<u8> = match round % 6 {
            0 => vec![0x91; length],
            1 => vec![0xdf; length],
            2 => b"[".repeat(length),
            3 => [b"BURNBIN\x02".to_vec(), [9, 1].repeat(length)].concat(),
            4 => vec![0xc6, 0xff, 0xff, 0xff, 0xff, 1],
            _ => (0..length).map(|_| random() as u8).collect(),
        };
        std::fs::write(&file, bytes).unwrap();
        assert!(recorder.load::<Node>(path.clone(), &Default::default()).is_err());
    }
}

#[test]
fn any_bytes_are_an_error() {
    for_each_recorder!(FullPrecisionSettings, refuses_nonsense);
}

#[test]
fn another_recorder_is_named() {
    let folder = Folder::new("wrong");
    let device = Default::default();
    let affine = Affine::<B>::with(Initializer::Ones, 2, &device);
    affine.save_file(folder.path("model"), &BinGzFileRecorder::<Full>::new()).unwrap();

    let absent =
        affine.clone().load_file(folder.path("model"), &CompactRecorder::new(), &device).unwrap_err();
    assert!(absent.to_string().contains("model.bin.gz` is there, for BinGzFileRecorder"), "{absent}");

    std::fs::copy(folder.path("model.bin.gz"), folder.path("model.mpk")).unwrap();
    let wrong = affine.clone().load_file(folder.path("model"), &CompactRecorder::new(), &device).unwrap_err();
    assert!(wrong.to_string().contains("looks like one of BinGzFileRecorder"), "{wrong}");

    affine.save_file(folder.path("json"), &PrettyJsonFileRecorder::<Full>::new()).unwrap();
    std::fs::copy(folder.path("json.json"), folder.path("json.bin")).unwrap();
    let wrong =
        affine.clone().load_file(folder.path("json"), &BinFileRecorder::<Full>::new(), &device).unwrap_err();
    assert!(wrong.to_string().contains("PrettyJsonFileRecorder"), "{wrong}");

    let nowhere = affine.load_file(folder.path("nothing"), &CompactRecorder::new(), &device).unwrap_err();
    assert!(matches!(&nowhere, RecordError::File { path, .. } if path.ends_with("nothing.mpk")), "{nowhere}");
}

#[test]
fn a_file_of_another_layout_points_at_the_feature() {
    let folder = Folder::new("old");
    // {"item": {}, "metadata": {"version": "0.13"}} in MessagePack, as rmpv writes it.
    let old = rmpv::Value::Map(vec![
        ("item".into(), rmpv::Value::Map(vec![])),
        ("metadata".into(), rmpv::Value::Map(vec![("version".into(), "0.13".into())])),
    ]);
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, &old).unwrap();
    std::fs::write(folder.path("old.mpk"), bytes).unwrap();
    let error = Recorder::<B>::load_node(&CompactRecorder::new(), folder.path("old")).unwrap_err();
    assert!(error.to_string().contains("record-backward-compat"), "{error}");
}

#[test]
fn another_architecture_lists_every_key() {
    let folder = Folder::new("architecture");
    let device = Default::default();
    let recorder = NamedMpkFileRecorder::<Full>::new();

    #[derive(Module, Debug)]
    struct Old<B: Backend> {
        first: Affine<B>,
        second: Affine<B>,
    }
    #[derive(Module, Debug)]
    struct New<B: Backend> {
        first: Affine<B>,
        third: Affine<B>,
    }
    let affine = |size| Affine::<B>::with(Initializer::Ones, size, &device);
    Old { first: affine(2), second: affine(2) }.save_file(folder.path("old"), &recorder).unwrap();
    let new = New { first: affine(3), third: affine(2) };
    let error = new.load_file(folder.path("old"), &recorder, &device).unwrap_err();
    let mismatch = error.mismatch().unwrap();
    assert_eq!(mismatch.missing, ["third.weight"]);
    assert_eq!(mismatch.unexpected, ["second"]);
    let shapes: Vec<_> = mismatch.shapes.iter().map(|shape| shape.key.as_str()).collect();
    assert_eq!(shapes, ["first.weight", "first.bias"]);
    let text = error.to_string();
    assert!(text.contains("old.mpk") && text.contains("expected [3, 3], found [2, 2]"), "{text}");
}

#[test]
fn loading_never_makes_lazy_parameters() {
    let folder = Folder::new("lazy");
    let device = Default::default();
    let recorder = BinFileRecorder::<Full>::new();
    Affine::<B>::with(Initializer::Ones, 2, &device).save_file(folder.path("m"), &recorder).unwrap();
    let bomb: Param<Tensor<B, 2>> =
        Param::uninitialized(burn_core::module::ParamId::new(), [2, 2], device, |_| panic!("made"));
    let model = Affine { weight: bomb, bias: Some(Initializer::Ones.init([2], &device)) };
    let loaded = model.load_file(folder.path("m"), &recorder, &device).unwrap();
    assert_eq!(loaded.weight.val().into_data().to_f64(), [1.0; 4]);
}

#[test]
fn an_unwritable_place_is_an_error_and_keeps_the_old_file() {
    let folder = Folder::new("unwritable");
    let device = Default::default();
    let affine = Affine::<B>::with(Initializer::Ones, 2, &device);
    let recorder = CompactRecorder::new();
    let error = affine.save_file(folder.path("no/such/folder"), &recorder).unwrap_err();
    assert!(matches!(&error, RecordError::File { path, .. } if path.ends_with("folder.mpk")), "{error}");

    // The name is taken by a folder: the rename fails, and nothing is left beside.
    std::fs::create_dir(folder.path("taken.mpk")).unwrap();
    assert!(affine.save_file(folder.path("taken"), &recorder).is_err());
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1);
}

#[test]
fn a_failed_write_leaves_the_old_content() {
    let folder = Folder::new("failed");
    let file = folder.path("file");
    std::fs::write(&file, "old").unwrap();
    let result = burn_core::record::write_atomic(&file, &mut |out| {
        out.write_all(b"half of the new")?;
        Err(std::io::Error::other("disk full"))
    });
    assert_eq!(result.unwrap_err().to_string(), "disk full");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1);
}

#[test]
fn named_mpk_is_messagepack_with_names() {
    let folder = Folder::new("mpk");
    let recorder = NamedMpkFileRecorder::<Full>::new();
    Recorder::<B>::record(&recorder, everything(), folder.path("r")).unwrap();
    let bytes = std::fs::read(folder.path("r.mpk")).unwrap();
    let tree = rmpv::decode::read_value(&mut &bytes[..]).unwrap();
    let item = &tree["item"];
    assert_eq!(item["text"].as_str(), Some(&*everything().text));
    assert_eq!(item["small"].as_i64(), Some(-128));
    assert_eq!(item["large"].as_u64(), Some(u64::MAX));
    assert_eq!(item["list"][2].as_i64(), Some(i64::MIN));
    assert_eq!(item["tensor"]["$tensor"].as_str(), Some("f32"));
    assert_eq!(item["tensor"]["bytes"].as_slice().unwrap()[..4], 0.1_f32.to_le_bytes());
    assert_eq!(item["by_number"]["70000"].as_array().unwrap().len(), 20);
}

#[test]
fn json_is_readable_by_people_and_json_programs() {
    let folder = Folder::new("json");
    let recorder = PrettyJsonFileRecorder::<Full>::new();
    Recorder::<B>::record(&recorder, everything(), folder.path("r")).unwrap();
    let text = std::fs::read_to_string(folder.path("r.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["item"]["tensor"]["values"][0], serde_json::json!(0.1));
    assert_eq!(value["item"]["tensor"]["values"][1], "inf");
    assert!(text.contains("\n    \"flag\": true,\n"), "{text}");
    assert!(text.contains("\n      \"shape\": [2, 3],\n"), "{text}");
}

#[test]
fn bytes_recorder_works_without_files() {
    let device = Default::default();
    let affine = Affine::<B>::with(Initializer::TORCH, 5, &device);
    let recorder = BinBytesRecorder::<Full>::default();
    let bytes: Vec<u8> = Recorder::<B>::record(&recorder, affine.clone().into_record(), ()).unwrap();
    let record = Recorder::<B>::load(&recorder, bytes.clone(), &device).unwrap();
    let loaded = Affine::<B>::with(Initializer::Ones, 5, &device).load_record(record);
    loaded.weight.val().into_data().assert_eq(&affine.weight.val().into_data(), true);

    let error = Recorder::<B>::load_node(&recorder, bytes[..bytes.len() - 1].to_vec()).unwrap_err();
    assert!(matches!(error, RecordError::Format { recorder: "BinBytesRecorder", .. }));
    let mut newer = bytes;
    newer[7] = 9;
    let error = Recorder::<B>::load_node(&recorder, newer).unwrap_err();
    assert!(error.to_string().contains("version 9"), "{error}");
}

#[test]
fn nesting_is_bounded_where_it_is_read() {
    let folder = Folder::new("deep");
    let deep = |levels| (0..levels).fold(Node::Null, |tree, _| Node::List(vec![tree]));
    fn check<R: FileRecorder<B>>(recorder: R, path: PathBuf, good: Node, bad: Node) {
        Recorder::<B>::record(&recorder, good.clone(), path.clone()).unwrap();
        assert_eq!(Recorder::<B>::load_node(&recorder, path.clone()), Ok(good));
        Recorder::<B>::record(&recorder, bad, path.clone()).unwrap();
        assert!(Recorder::<B>::load_node(&recorder, path).is_err());
    }
    check(NamedMpkFileRecorder::<Full>::new(), folder.path("r"), deep(126), deep(129));
    check(BinFileRecorder::<Full>::new(), folder.path("r"), deep(126), deep(129));
    check(PrettyJsonFileRecorder::<Full>::new(), folder.path("r"), deep(126), deep(129));
}

/// Files of the first version; named ones must load for as long as the version of the record is 1.
#[test]
fn golden_files_load() {
    let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    fn check<R: FileRecorder<B>>(recorder: R, golden: PathBuf) {
        if std::env::var_os("BURN_WRITE_GOLDEN").is_some() {
            recorder.record::<Everything>(everything(), golden.clone()).unwrap();
        }
        let loaded: Everything = recorder.load(golden, &Default::default()).unwrap();
        let expected = everything();
        assert_eq!(loaded.tensor.as_bytes(), expected.tensor.as_bytes());
        assert_eq!(
            (loaded.text, loaded.by_number, loaded.other),
            (expected.text, expected.by_number, expected.other)
        );
    }
    check(NamedMpkFileRecorder::<Full>::new(), golden.join("v1"));
    check(PrettyJsonFileRecorder::<Full>::new(), golden.join("v1"));
    check(NamedMpkGzFileRecorder::<Full>::new(), golden.join("v1"));
    check(BinFileRecorder::<Full>::new(), golden.join("v2"));

    // The binary layout has changed since.
    let old = Recorder::<B>::load_node(&BinFileRecorder::<Full>::new(), golden.join("v1")).unwrap_err();
    assert!(old.to_string().contains("version 1"), "{old}");
}

fn refuses_impossible_shapes<R: FileRecorder<B>>(recorder: R) {
    let folder = Folder::new(&format!("shape-{}", R::file_extension()));
    let path = folder.path("r");
    for shape in [[0, usize::MAX / 2], [usize::MAX / 2, 0]] {
        recorder.record(TensorData::new(Vec::<f32>::new(), shape), path.clone()).unwrap();
        let error = recorder.load::<Tensor<B, 2>>(path.clone(), &Default::default()).unwrap_err();
        assert!(error.mismatch().is_some(), "{error}");
        assert!(error.to_string().contains("more elements than memory can hold"), "{error}");
    }
}

#[test]
fn a_shape_that_no_tensor_can_have_is_an_error_of_the_record() {
    for_each_recorder!(FullPrecisionSettings, refuses_impossible_shapes);

    let recorder = BinBytesRecorder::<Full>::new();
    let data = TensorData::new(Vec::<f32>::new(), [0, usize::MAX / 2]);
    let bytes = Recorder::<B>::record(&recorder, data, ()).unwrap();
    let error = Recorder::<B>::load::<Tensor<B, 2>>(&recorder, bytes, &Default::default()).unwrap_err();
    assert!(error.mismatch().is_some(), "{error}");
}

#[test]
fn a_flipped_bit_of_mpk_is_damage_with_its_place() {
    let folder = Folder::new("flipped");
    let (path, file) = (folder.path("r"), folder.path("r.mpk"));
    let recorder = NamedMpkFileRecorder::<Full>::new();
    let tensor = TensorData::new((0..50_000).map(|i| i as f32).collect::<Vec<_>>(), [50_000]);
    Recorder::<B>::record(&recorder, (small(), tensor), path.clone()).unwrap();
    let bytes = std::fs::read(&file).unwrap();
    // The head, a key, the middle of the elements, the last of them.
    for position in [0, 3, 20, 70_000, 131_071, 131_072, 199_900] {
        let mut damaged = bytes.clone();
        damaged[position] ^= 0x10;
        std::fs::write(&file, damaged).unwrap();
        let error = Recorder::<B>::load_node(&recorder, path.clone()).unwrap_err().to_string();
        let block = position / 65_536 * 65_536;
        let end = if block == 196_608 { String::new() } else { format!(" and byte {}", block + 65_535) };
        let expected = format!("r.mpk`: NamedMpkFileRecorder: the file is damaged between byte {block}");
        assert!(error.contains(&expected) && error.contains(&end), "bit of byte {position}: {error}");
    }
}

#[test]
fn a_file_without_checksums_of_blocks_loads() {
    // As files were until then: a map of metadata, item and checksum.
    let folder = Folder::new("blocks");
    let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1.mpk");
    let old = std::fs::read(golden).unwrap();
    assert_eq!(old[0], 0x83);
    std::fs::write(folder.path("old.mpk"), &old).unwrap();
    let recorder = NamedMpkFileRecorder::<Full>::new();
    Recorder::<B>::load::<Everything>(&recorder, folder.path("old"), &Default::default()).unwrap();

    std::fs::write(folder.path("old.mpk"), &old[..old.len() / 2]).unwrap();
    let error = Recorder::<B>::load_node(&recorder, folder.path("old")).unwrap_err().to_string();
    assert!(error.contains("truncated") && error.contains(&format!("at byte {}", old.len() / 2)), "{error}");
}

#[test]
fn a_list_that_fits_nowhere_is_refused_quickly() {
    let recorder = BinBytesRecorder::<Full>::new();
    let list = vec![String::new(); 500_000];
    let bytes = Recorder::<B>::record(&recorder, list, ()).unwrap();
    let start = std::time::Instant::now();
    let error = Recorder::<B>::load::<Vec<u8>>(&recorder, bytes, &Default::default()).unwrap_err();
    assert_eq!(error.mismatch().unwrap().values.len(), 1000);
    let fields = Node::Map((0..200_000).map(|key| (key.to_string(), Node::Bool(true))).collect());
    let bytes = Recorder::<B>::record(&recorder, vec![fields], ()).unwrap();
    let error = Recorder::<B>::load::<Vec<Everything>>(&recorder, bytes, &Default::default()).unwrap_err();
    assert_eq!(error.mismatch().unwrap().unexpected.len(), 200_000);
    assert!(error.to_string().len() < 100_000);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

#[test]
fn what_a_killed_save_left_is_cleared_by_the_next() {
    let folder = Folder::new("killed");
    std::fs::write(folder.path(".r.mpk.a1B2c3.tmp"), "half a record").unwrap();
    std::fs::write(folder.path(".other.mpk.a1B2c3.tmp"), "of another file").unwrap();
    Recorder::<B>::record(&NamedMpkFileRecorder::<Full>::new(), small(), folder.path("r")).unwrap();
    let mut names: Vec<_> =
        std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".other.mpk.a1B2c3.tmp", "r.mpk"]);
}

#[test]
fn a_record_that_could_not_be_loaded_is_not_saved() {
    let folder = Folder::new("many");
    let many = Node::List(vec![Node::Bool(true); 3_000_000]);
    let recorder = NamedMpkFileRecorder::<Full>::new();
    let error = Recorder::<B>::save_node(&recorder, many, folder.path("r")).unwrap_err().to_string();
    assert!(error.contains("belong in a tensor"), "{error}");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0);
}
