//! Generates `model/digits.rs` in `OUT_DIR` with the weights that it includes, and passes the linker the path
//! where the chip has its memory.

use burn_import::onnx::{ModelGen, RecordType};
use std::path::Path;
use std::{env, fs};

/// Features that choose a board, with its memory and its linker scripts.
const BOARDS: [(&str, &str, &[&str]); 3] = [
    ("QEMU", "memory/mps2-an386.x", &["link.x"]),
    ("PICO", "memory/rp2040.x", &["link.x", "link-rp.x"]),
    ("PICO2", "memory/rp2350.x", &["link.x"]),
];

fn main() {
    // ANCHOR: model
    ModelGen::new()
        .input("../onnx-inference/src/model/digits.onnx")
        .out_dir("model/")
        // The weights are part of the program: a chip has no files.
        .record_type(RecordType::Bincode)
        .embed_states(true)
        // It only infers: batch normalization becomes part of the convolutions.
        .fold_batch_norm(true)
        .run_from_script();
    // ANCHOR_END: model

    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "none") {
        let is_chosen = |feature: &str| env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
        BOARDS
            .iter()
            .filter(|(feature, ..)| is_chosen(feature))
            .for_each(|(_, memory, scripts)| link(memory, scripts));
    }
}

/// Puts the description of the memory where the linker scripts of `cortex-m-rt` look for it.
fn link(memory: &str, scripts: &[&str]) {
    let out = env::var("OUT_DIR").expect("cargo sets it");
    fs::copy(memory, Path::new(&out).join("memory.x")).expect("the description of the memory is copied");
    println!("cargo:rerun-if-changed={memory}");
    println!("cargo:rustc-link-search={out}");
    println!("cargo:rustc-link-arg-examples=--nmagic");
    scripts.iter().for_each(|script| println!("cargo:rustc-link-arg-examples=-T{script}"));
}
