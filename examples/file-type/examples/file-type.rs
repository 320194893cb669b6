//! Detection of file types by content.
//!
//! ```text
//! cargo run --release --package file-type --example file-type [FILE..]
//! ```
//!
//! Without a FILE it reads the samples in `examples/file-type/data/samples`.

use burn::backend::NdArray;
use file_type::Classifier;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let mut files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if files.is_empty() {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/samples");
        files = std::fs::read_dir(samples)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        files.sort();
    }
    let contents: Vec<Vec<u8>> = files.iter().map(std::fs::read).collect::<Result<_, _>>()?;
    let classifier = Classifier::<NdArray>::new(&Default::default());
    for (file, guess) in files.iter().zip(classifier.classify(&contents)) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        println!("{:10} {:6.2} %  {name}", guess.label, 100.0 * guess.probability);
    }
    Ok(())
}
