//! Detection of file types.
//!
//! ```text
//! cargo run --release --package onnx-models --example onnx-models -- FILE..
//! ```

use burn::backend::NdArray;
use onnx_models::{Error, FileTypes, magika_folder};

type B = NdArray;

fn main() -> Result<(), Error> {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        paths = ["samples/cities.csv", "samples/trains.html", "samples/words.rs.txt"]
            .map(|name| format!("{}/data/{name}", env!("CARGO_MANIFEST_DIR")))
            .into();
    }
    let files: Vec<Vec<u8>> = paths.iter().map(std::fs::read).collect::<Result<_, _>>()?;
    let files: Vec<&[u8]> = files.iter().map(|file| &file[..]).collect();
    let model = FileTypes::load(&magika_folder(None, &mut |text| println!("{text}"))?)?;
    for (path, guess) in paths.iter().zip(model.guess::<B>(&files, &Default::default())?) {
        println!("{:>5.1} %  {:10} {path}", guess.score * 100.0, guess.label);
    }
    Ok(())
}
