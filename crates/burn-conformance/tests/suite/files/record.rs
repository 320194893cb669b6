use super::target::Target;
use burn_core::config::Config;
use burn_core::record::{
    BinBytesRecorder, BinFileRecorder, BinGzFileRecorder, FileRecorder, FullPrecisionSettings,
    JsonGzFileRecorder, NamedMpkFileRecorder, NamedMpkGzFileRecorder, PrettyJsonFileRecorder, Record,
    Recorder,
};
use burn_core::tensor::{Backend, Bool, Int, Tensor};
use burn_ndarray::NdArray;
use std::collections::HashMap;
use std::path::Path;

type B = NdArray;

/// Every kind of value.
#[derive(Record)]
struct Everything<B: Backend> {
    flag: bool,
    number: f64,
    text: String,
    none: Option<u8>,
    list: Vec<Option<i64>>,
    pair: (u8, String),
    by_name: HashMap<String, f64>,
    choice: Choice,
    float: Tensor<B, 2>,
    int: Tensor<B, 1, Int>,
    bool: Tensor<B, 3, Bool>,
}

#[derive(Record)]
enum Choice {
    Nothing,
    Number(f64),
}

fn everything() -> Everything<B> {
    let device = Default::default();
    Everything {
        flag: true,
        number: -1.0 / 3.0,
        text: "a \" and \u{1F525}\n".to_string(),
        none: None,
        list: vec![Some(-40_000), None, Some(i64::MIN)],
        pair: (7, String::new()),
        by_name: HashMap::from([("$tensor".to_string(), 1.0), ("b".to_string(), f64::INFINITY)]),
        choice: Choice::Number(1e300),
        float: Tensor::from_data([[0.5, f32::NAN, -1.0], [f32::INFINITY, 1e-45, 3.0]], &device),
        int: Tensor::from_data([1, -70_000, 3], &device),
        bool: Tensor::from_data([[[true], [false]]], &device),
    }
}

fn load<R: FileRecorder<B>>(folder: &Path) -> Result<(), String> {
    let loaded = R::default().load::<Everything<B>>(folder.join("record"), &Default::default());
    loaded.map(drop).map_err(|error| error.to_string())
}

fn load_bytes(folder: &Path) -> Result<(), String> {
    let bytes = std::fs::read(folder.join("bytes")).map_err(|error| error.to_string())?;
    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    let loaded = Recorder::<B>::load::<Everything<B>>(&recorder, bytes, &Default::default());
    loaded.map(drop).map_err(|error| error.to_string())
}

fn target<R: FileRecorder<B>>(folder: &Path, name: &'static str, file: &'static str) -> Target {
    R::default().record(everything(), folder.join("record")).expect("the folder can be written");
    let seal = file.contains(".bin").then_some(seal as fn(&mut Vec<u8>));
    Target::of_file(folder, name, file, seal, load::<R>)
}

/// Puts the checksum at the end right.
#[expect(clippy::ptr_arg, reason = "those of other targets add bytes")]
fn seal(content: &mut Vec<u8>) {
    const MAGIC: usize = 8;
    if let Some(tree) = content.get(MAGIC..content.len().saturating_sub(4)) {
        let checksum = crc32fast::hash(tree).to_le_bytes();
        let end = content.len() - 4;
        content[end..].copy_from_slice(&checksum);
    }
}

#[derive(Config, Debug)]
enum Padding {
    Valid,
    Explicit(usize, usize),
}

#[derive(Config, Debug)]
struct Layer {
    hidden: usize,
    #[config(default = "0.5")]
    dropout: f64,
    padding: Padding,
    note: Option<String>,
}

#[derive(Config, Debug)]
struct Options {
    layers: Vec<Layer>,
    names: HashMap<String, String>,
}

fn load_config(folder: &Path) -> Result<(), String> {
    Options::load(folder.join("config.json")).map(drop).map_err(|error| error.to_string())
}

fn config(folder: &Path) -> Target {
    let layers =
        vec![Layer::new(3, Padding::Valid, None), Layer::new(4, Padding::Explicit(1, 2), Some("a".into()))];
    let path = folder.join("config.json");
    Options::new(layers, HashMap::from([("a".into(), "b".into())]))
        .save(&path)
        .expect("the folder can be written");
    Target::of_file(folder, "config", "config.json", None, load_config)
}

pub fn targets(folder: &Path) -> Vec<Target> {
    type Full = FullPrecisionSettings;
    let bytes =
        Recorder::<B>::record(&BinBytesRecorder::<Full>::new(), everything(), ()).expect("it can be saved");
    std::fs::write(folder.join("bytes"), &bytes).expect("the folder can be written");
    vec![
        target::<NamedMpkFileRecorder<Full>>(folder, "mpk", "record.mpk"),
        target::<NamedMpkGzFileRecorder<Full>>(folder, "mpk.gz", "record.mpk.gz"),
        target::<BinFileRecorder<Full>>(folder, "bin", "record.bin"),
        target::<BinGzFileRecorder<Full>>(folder, "bin.gz", "record.bin.gz"),
        target::<JsonGzFileRecorder<Full>>(folder, "json.gz", "record.json.gz"),
        target::<PrettyJsonFileRecorder<Full>>(folder, "json", "record.json"),
        Target::of_file(folder, "bytes", "bytes", Some(seal), load_bytes),
        config(folder),
    ]
}
