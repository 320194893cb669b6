//! Writes the exported models of the tests with their inputs and outputs, for a check with onnxruntime.
//!
//! usage: export_models FOLDER
//!
//! Each model is a folder: `model.onnx`, and for each run `RUN/input_N.npy` and `RUN/output_N.npy`.

#[path = "../../tests/export/cases/mod.rs"]
mod cases;

use burn_tensor::{DType, TensorData};
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map(PathBuf::from).ok_or("usage: export_models FOLDER")?;
    let mut out = std::io::stdout();
    for case in cases::all() {
        let folder = folder.join(case.name);
        for (run, (inputs, outputs)) in case.runs.iter().enumerate() {
            let folder = folder.join(run.to_string());
            std::fs::create_dir_all(&folder)?;
            let named = |kind: &'static str, tensors: &'_ [TensorData]| {
                let names = (0..tensors.len()).map(move |place| format!("{kind}_{place}.npy"));
                names.zip(tensors.to_vec()).collect::<Vec<_>>()
            };
            for (name, data) in named("input", inputs).into_iter().chain(named("output", outputs)) {
                write_array(&folder.join(name), &data)?;
            }
        }
        let model = case.model?;
        std::fs::write(folder.join("model.onnx"), &model)?;
        writeln!(out, "{}: {} bytes, {} runs", case.name, model.len(), case.runs.len())?;
    }
    Ok(())
}

/// Writes an array of NumPy, version 1 of the format.
fn write_array(path: &Path, data: &TensorData) -> Result<(), Box<dyn Error>> {
    let kind = match data.dtype {
        DType::F32 => "<f4",
        DType::F64 => "<f8",
        DType::I64 => "<i8",
        DType::I32 => "<i4",
        DType::Bool => "|b1",
        other => return Err(format!("no case has {other}").into()),
    };
    let dims: Vec<String> = data.shape.iter().map(|size| format!("{size},")).collect();
    let mut header =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}), }}", dims.join(" "));
    // Magic, version and length are 10 bytes; all of it is a multiple of 64.
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len())?.to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data.as_bytes());
    Ok(std::fs::write(path, bytes)?)
}
