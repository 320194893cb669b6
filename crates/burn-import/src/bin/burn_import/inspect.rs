use crate::Names;
use burn_core::record::RecordError;
use burn_core::weights::{TensorInfo, TensorSource, Weights};
use burn_import::gguf::{GgufFile, MetadataArray, MetadataValue};
use burn_import::npz::NpzFile;
use burn_import::pytorch::PyTorchFile;
use burn_import::safetensors::SafetensorsFile;
use burn_import::{FileFormat, Layout, LoadArgs, OnnxFile};
use std::fmt::Write;
use std::sync::Arc;

/// The format that a file is read in.
#[derive(Clone, Copy)]
pub enum Format {
    PyTorch,
    Safetensors,
    Gguf,
    Npz,
    Onnx,
}

/// Lists the tensors of a file.
#[derive(clap::Args)]
pub struct Inspect {
    #[command(flatten)]
    names: Names,
    /// Prints each name as it is in the file and as it is replaced, in blocks.
    #[arg(long)]
    keys: bool,
}

impl Inspect {
    pub fn run(self, format: Format) -> Result<String, RecordError> {
        let OpenedFile { tensors, about } = OpenedFile::open(&self.names, format)?;
        if self.keys {
            open_args(&self.names).with_debug_print().select(tensors, FileFormat::PyTorch)?;
            return Ok(String::new());
        }
        let weights = open_args(&self.names).select(tensors.clone(), FileFormat::PyTorch)?;
        Ok(format!("{about}{}", table(&weights, tensors.tensors())))
    }
}

/// Returns arguments that load the tensors of a file unchanged.
pub fn open_args(names: &Names) -> LoadArgs {
    let mut args = LoadArgs::new(names.path.clone()).with_layout(Layout::Burn);
    if let Some(key) = &names.top_level_key {
        args = args.with_top_level_key(key);
    }
    names
        .key_remap
        .iter()
        .fold(args, |args, (pattern, replacement)| args.with_key_remap(pattern, replacement))
}

/// An opened file.
pub struct OpenedFile {
    pub tensors: Arc<dyn TensorSource>,
    /// Prints the metadata of the file, one line for each value.
    about: String,
}

impl OpenedFile {
    pub fn open(names: &Names, format: Format) -> Result<Self, RecordError> {
        let path = &names.path;
        let mut about = String::new();
        let tensors: Arc<dyn TensorSource> = match format {
            Format::PyTorch => Arc::new(PyTorchFile::open(path)?),
            Format::Npz => Arc::new(NpzFile::open(path)?),
            Format::Onnx => Arc::new(OnnxFile::open(path)?),
            Format::Safetensors => {
                let file = SafetensorsFile::open(path)?;
                let mut metadata: Vec<_> = file.metadata().iter().collect();
                metadata.sort();
                metadata.iter().for_each(|(key, value)| line(&mut about, key, value));
                Arc::new(file)
            }
            Format::Gguf => {
                let file = GgufFile::open(path)?;
                file.metadata().iter().for_each(|(key, value)| line(&mut about, key, &describe(value)));
                Arc::new(file)
            }
        };
        Ok(OpenedFile { tensors, about })
    }
}

fn line(text: &mut String, key: &str, value: &str) {
    // Writing to a text does not fail.
    let _ = writeln!(text, "{key}: {}", shortened(value));
}

/// The beginning of a long value.
fn shortened(value: &str) -> String {
    const SHOWN: usize = 100;
    let value = value.replace('\n', " ");
    if value.chars().count() <= SHOWN {
        value
    } else {
        format!("{}..", value.chars().take(SHOWN).collect::<String>())
    }
}

fn describe(value: &MetadataValue) -> String {
    match value {
        MetadataValue::Int(number) => number.to_string(),
        MetadataValue::UInt(number) => number.to_string(),
        MetadataValue::Float(number) => number.to_string(),
        MetadataValue::Bool(value) => value.to_string(),
        MetadataValue::Text(text) => text.clone(),
        MetadataValue::Array(array) => describe_array(array),
        other => format!("{other:?}"),
    }
}

fn describe_array(array: &MetadataArray) -> String {
    fn first<T: std::fmt::Debug>(items: &[T]) -> String {
        format!("{:?}", &items[..items.len().min(8)])
    }
    let items = match array {
        MetadataArray::Int(items) => first(items),
        MetadataArray::UInt(items) => first(items),
        MetadataArray::Float(items) => first(items),
        MetadataArray::Bool(items) => first(items),
        MetadataArray::Text(items) => first(items),
        other => format!("{other:?}"),
    };
    format!("{} items, {items}", array.len())
}

/// A line for each tensor, and the sum of them.
fn table(weights: &Weights, infos: &[TensorInfo]) -> String {
    let stored = |name: &str| infos.iter().find(|info| info.name == name).map_or("", |info| &info.stored_as);
    let rows: Vec<(&str, &str, String)> = weights
        .tensors()
        .iter()
        .map(|tensor| {
            (tensor.name(), stored(weights.original_name(tensor)), format!("{:?}", &tensor.shape()[..]))
        })
        .collect();
    let width = |column: fn(&(&str, &str, String)) -> usize| rows.iter().map(column).max().unwrap_or(0);
    let (names, types) = (width(|row| row.0.chars().count()), width(|row| row.1.len()));
    let mut text = String::new();
    for (name, stored, shape) in &rows {
        let _ = writeln!(text, "{name:names$}  {stored:types$}  {shape}");
    }
    let elements: usize = weights.tensors().iter().map(|tensor| tensor.shape().num_elements()).sum();
    let _ = writeln!(text, "{} tensors, {elements} elements", rows.len());
    text
}
