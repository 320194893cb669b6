//! The network on a Cortex-M4 that QEMU emulates, beside onnxruntime (`export.py` of the example
//! `onnx-inference`).
//!
//! `cargo xtask test --microcontroller` runs these tests. They need the standard library of the target and
//! `qemu-system-arm`.

use raspberry_pi_pico::{Model, digits, read};
use std::process::Command;
use std::sync::LazyLock;

/// Logits of onnxruntime for the digits, `[100, 10]`.
static LOGITS: &[u8] = include_bytes!("../../onnx-inference/data/logits.bin");

/// Output of the program in QEMU, which `.cargo/config.toml` names as its runner.
static PRINTED: LazyLock<String> = LazyLock::new(|| {
    let mut cargo = Command::new(env!("CARGO"));
    // Build scripts of dependencies run again when these differ from those of a call from a shell.
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    for name in names.filter(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
        cargo.env_remove(name);
    }
    // Without optimization, the program does not fit the flash of the machine, 4 MiB.
    let kernels = concat!(env!("CARGO_MANIFEST_DIR"), "/../../xtask/kernels-once.toml");
    cargo.args(["run", "--quiet", "--config", "profile.dev.opt-level='s'", "--config", kernels]);
    cargo.args(["--target", "thumbv7em-none-eabihf", "--features", "qemu", "--example", "qemu"]);
    let output = cargo.output().expect("cargo starts");
    let (printed, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}: {printed}{errors}", output.status);
    printed.into_owned()
});

/// The numbers in the line of what the program prints that begins so.
fn numbers(start: &str) -> Vec<usize> {
    let line = PRINTED.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{}", *PRINTED));
    line.split(' ').filter_map(|word| word.parse().ok()).collect()
}

fn expected() -> impl Iterator<Item = f32> {
    LOGITS.chunks_exact(4).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

fn assert_logits(found: impl Iterator<Item = f32>) {
    let found: Vec<f32> = found.collect();
    assert_eq!(found.len(), 100 * 10);
    for (found, expected) in found.into_iter().zip(expected()) {
        assert!((found - expected).abs() < 1e-4, "{found} and {expected}");
    }
}

#[test]
fn the_library_gives_the_logits_of_onnxruntime_on_any_target() {
    let model = Model::default();
    assert_logits(digits().flat_map(|digit| read(&model, digit).logits));
}

#[test]
fn ns_001_a_cortex_m4_computes_the_logits_of_onnxruntime() {
    let lines = PRINTED.lines().filter(|line| line.contains(" is read as "));
    assert_logits(lines.flat_map(|line| {
        let (_, logits) = line.split_once(": [").expect("a list");
        logits
            .trim_end_matches(']')
            .split(", ")
            .map(|logit| logit.parse().expect("a logit"))
            .collect::<Vec<f32>>()
    }));
}

#[test]
fn ns_003_a_heap_of_100_kib_holds_the_model_and_a_forward_pass() {
    let [model, making] = numbers("heap for the model: ")[..] else { panic!("{}", *PRINTED) };
    let [peak, size] = numbers("heap at most: ")[..] else { panic!("{}", *PRINTED) };
    assert_eq!(size, 100 * 1024);
    // Two convolutions and a linear layer, in four bytes each.
    let weights = 4 * ((8 * 9 + 8) + (16 * 8 * 9 + 16) + (64 * 10 + 10));
    assert!(weights < model && model < making && making <= peak && peak <= size, "{}", *PRINTED);
    let [stack] = numbers("stack at most: ")[..] else { panic!("{}", *PRINTED) };
    // The RAM of a Raspberry Pi Pico, of a program that nothing has optimised.
    assert!(0 < stack && stack + size < 264 * 1024, "{stack} bytes of stack");
}

#[test]
fn ex_018_the_program_reads_digits_without_a_board() {
    // As many as onnxruntime.
    let largest = |logits: &[f32]| (0..10).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).expect("ten");
    let logits: Vec<f32> = expected().collect();
    let right =
        logits.chunks(10).zip(digits()).filter(|(logits, digit)| largest(logits) == usize::from(digit.label));
    assert_eq!(numbers("digits read: "), [right.count(), 100]);
    let readings = PRINTED.lines().filter(|line| line.contains(" is read as "));
    let labels = digits().map(|digit| format!("a {} is read as ", digit.label));
    assert_eq!(readings.clone().count(), 100);
    assert!(readings.zip(labels).all(|(line, label)| line.starts_with(&label)), "{}", *PRINTED);
}
