//! Generates `model/digits.rs` in `OUT_DIR`, and the weights that it includes.

use burn_import::onnx::{ModelGen, RecordType};

fn main() {
    ModelGen::new()
        .input("src/model/digits.onnx")
        .out_dir("model/")
        // The weights are part of the program: it opens no file.
        .record_type(RecordType::Bincode)
        .embed_states(true)
        .run_from_script();
}
