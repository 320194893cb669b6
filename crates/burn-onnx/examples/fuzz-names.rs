//! Models with random bytes in every name and text for some minutes, whose generated source has to have the
//! items of a model: `cargo xtask fuzz --names`.

#[path = "../tests/suite/names/check.rs"]
mod check;
#[path = "../tests/suite/names/model.rs"]
mod model;
#[path = "../tests/suite/names/outline.rs"]
mod outline;
#[path = "../tests/suite/hostile/random.rs"]
mod random;
#[path = "../tests/suite/names/wire.rs"]
mod wire;

use check::{check, plain, source};
use fuzz_run::FuzzRun;
use outline::Outline;
use random::Random;
use std::process::ExitCode;

/// Pieces of Rust, Markdown and Unicode that would end the literal or comment that they are written in.
const PIECES: [&str; 48] = [
    "`",
    "```",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\0",
    "\"",
    "\"#",
    "r#\"",
    "'",
    "\\",
    "\\\"",
    "*/",
    "/*",
    "//",
    "///",
    "//!",
    "#[",
    "#![",
    "]",
    "{",
    "}",
    "(",
    ")",
    "<",
    ">",
    ";",
    ",",
    ":",
    "::",
    "_",
    "self",
    "crate",
    "r#type",
    "fn f() {}",
    "static X: u8 = 0;",
    "pub",
    "x",
    "X",
    "0",
    "9",
    "é",
    "\u{202e}",
    "\u{2028}",
    "\u{85}",
    "\u{feff}",
    "_output_0",
];

/// A text of pieces, of any letters, or now and then of any bytes.
fn text(random: &mut Random, invalid: bool) -> Vec<u8> {
    let length = if random.chance(2) { random.below(5_000) } else { random.below(12) };
    if invalid && random.chance(2) {
        return (0..length).map(|_| random.below(256) as u8).collect();
    }
    let letters = random.chance(50);
    let mut text = String::new();
    for _ in 0..length {
        match char::from_u32(random.below(0x11_0000) as u32) {
            Some(letter) if letters => text.push(letter),
            _ => text.push_str(random.pick(&PIECES)),
        }
    }
    text.into_bytes()
}

fn main() -> ExitCode {
    let run = FuzzRun::start();
    let plain = match Outline::of(&plain()) {
        Ok(plain) => plain,
        Err(error) => {
            println!("the source with plain names: {error}");
            return ExitCode::FAILURE;
        }
    };
    let (mut generated, mut refused, mut failures) = (0, 0, 0);
    let mut seed = run.seed;
    while run.goes_on(failures) {
        let mut random = Random::new(seed);
        let invalid = random.chance(25);
        let outcome =
            std::panic::catch_unwind(move || source("model.onnx", &mut || text(&mut random, invalid)));
        let error = match outcome {
            Ok(Ok(source)) => {
                generated += 1;
                check(&source, &plain).err()
            }
            // Names that are no UTF-8 are no names of a model.
            Ok(Err(_)) if invalid => {
                refused += 1;
                None
            }
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some("a panic".into()),
        };
        if let Some(error) = error {
            failures += 1;
            println!("seed {seed}: {error}");
        }
        seed = seed.wrapping_add(1);
    }
    println!("{generated} models generated, {refused} refused, {failures} went wrong");
    FuzzRun::exit_code(failures)
}
