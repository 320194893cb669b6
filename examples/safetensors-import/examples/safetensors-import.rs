//! Loads what fits of a network from safetensors, trains the rest, and writes it for PyTorch.
//!
//! ```text
//! cargo run --release --package safetensors-import --example safetensors-import [FOLDER]
//! ```
//!
//! The network, `parity.safetensors`, is written to FOLDER; by default the current one.

use burn::record::RecordError;
use safetensors_import::{TRAINED, load, save, train};
use std::path::PathBuf;

fn main() -> Result<(), RecordError> {
    let device = Default::default();
    let (model, report) = load(&device)?;
    println!("{report}");
    let (model, right) = train(model, &device)?;
    println!("{right} of {} digits that were not trained on are told even from odd", 200 - TRAINED);
    let folder = std::env::args().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    save(&model, &folder.join("parity.safetensors"))?;
    println!("saved parity.safetensors");
    Ok(())
}
