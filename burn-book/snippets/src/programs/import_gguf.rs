// ANCHOR: program
// cargo add --path ../burn/crates/burn-import

use burn::record::RecordError;
use burn::weights::{TensorSource, Weights};
use burn_import::gguf::GgufFile;
use std::path::Path;

fn main() -> Result<(), RecordError> {
    let file = GgufFile::open(Path::new("tensors.gguf"))?;
    println!("context length: {:?}", file.get("llama.context_length"));
    println!("{} tensors", file.tensors().len());

    // Blocks of four bits, read as `f32`.
    let weights = Weights::new(file);
    let q4 = weights.read("q4_k").expect("the file has it")?;
    println!("{:?} {}", q4.shape, q4.dtype);
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_importing_gguf() {
    crate::page_output::page_prints!("import/gguf.md", "crates/burn-import/tests/fixtures/tensors.gguf");
}
