//! Files of other frameworks: the fixtures of `burn-import`.

use super::target::Target;
use burn_core::record::RecordError;
use burn_core::weights::Weights;
use burn_import::{gguf, npz, pytorch, safetensors};
use std::path::Path;

/// Reads every tensor, one at a time.
fn read(weights: Result<Weights, RecordError>) -> Result<(), String> {
    let weights = weights.map_err(|error| error.to_string())?;
    for tensor in weights.tensors() {
        weights.read_tensor(tensor).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn zip(folder: &Path) -> Result<(), String> {
    read(pytorch::open(folder.join("views.pt")))
}

fn legacy(folder: &Path) -> Result<(), String> {
    read(pytorch::open(folder.join("views_legacy.pt")))
}

fn checkpoint(folder: &Path) -> Result<(), String> {
    let path = folder.join("checkpoint.pt");
    let config = pytorch::config_from_file::<serde_json::Value>(&path, Some("config"));
    config.map_err(|error| error.to_string())?;
    read(pytorch::open(path))
}

fn table(folder: &Path) -> Result<(), String> {
    read(safetensors::open(folder.join("dtypes.safetensors")))
}

fn index(folder: &Path) -> Result<(), String> {
    read(safetensors::open(folder.join("layers.safetensors.index.json")))
}

fn array(folder: &Path) -> Result<(), String> {
    read(npz::open(folder.join("matrix.npy")))
}

fn arrays(folder: &Path) -> Result<(), String> {
    read(npz::open(folder.join("arrays.npz")))
}

fn compressed(folder: &Path) -> Result<(), String> {
    read(npz::open(folder.join("arrays_compressed.npz")))
}

fn quantized(folder: &Path) -> Result<(), String> {
    read(gguf::open(folder.join("tensors.gguf")))
}

/// Zeros of 200 MiB, which are a file of some hundred KiB: they may be in memory twice, and not three times.
fn zeros(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    use std::io::Write;
    let dict = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}", 50 << 20);
    let options =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    let mut zip = zip::ZipWriter::new(std::fs::File::create(path)?);
    zip.start_file("zeros.npy", options)?;
    zip.write_all(&[b"\x93NUMPY\x01\x00", &(dict.len() as u16).to_le_bytes()[..], dict.as_bytes()].concat())?;
    (0..200).try_for_each(|_| zip.write_all(&[0; 1 << 20]))?;
    zip.finish()?;
    Ok(())
}

pub fn targets(folder: &Path) -> Vec<Target> {
    let copy = |file: &str| {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../burn-import/tests/fixtures");
        std::fs::copy(fixtures.join(file), folder.join(file)).expect("the folder can be written");
    };
    // The files that the index names.
    copy("layers-00001-of-00002.safetensors");
    copy("layers-00002-of-00002.safetensors");
    let target = |name, file, load| {
        copy(file);
        Target::of_file(folder, name, file, None, load)
    };
    zeros(&folder.join("zeros.npz")).expect("the folder can be written");
    vec![
        Target::of_file(folder, "npz-zeros", "zeros.npz", None, |folder| {
            read(npz::open(folder.join("zeros.npz")))
        }),
        target("torch-zip", "views.pt", zip as fn(&Path) -> _),
        target("torch-legacy", "views_legacy.pt", legacy),
        target("torch-checkpoint", "checkpoint.pt", checkpoint),
        target("safetensors", "dtypes.safetensors", table),
        target("safetensors-index", "layers.safetensors.index.json", index),
        target("npy", "matrix.npy", array),
        target("npz", "arrays.npz", arrays),
        target("npz-compressed", "arrays_compressed.npz", compressed),
        target("gguf", "tensors.gguf", quantized),
    ]
}
