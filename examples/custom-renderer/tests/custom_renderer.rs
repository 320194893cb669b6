//! The program on few images.

#[path = "../examples/custom-renderer.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod program;

use clap::Parser;
use std::io::Write;
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn ex_008_the_renderer_draws_every_epoch_of_a_run_that_learns() {
    let folder = tempfile::tempdir().unwrap();
    let artifacts = folder.path().to_str().unwrap();
    let arguments = ["custom-renderer", "--images", "640", "--epochs", "3", "--artifacts", artifacts];
    let output = Output::default();
    let accuracy = program::run(&program::Args::parse_from(arguments), output.clone()).unwrap();
    // A predictor that always says the most frequent digit is right for 11 % of the images.
    assert!(accuracy >= 60.0, "{accuracy}");

    let text = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
    for epoch in 1..=3 {
        for split in ["Train", "Valid"] {
            let line = format!("\r{split} {epoch}/3 [####################] 100 %  Loss ");
            assert!(text.contains(&line), "no {line:?} in {text}");
        }
    }
    assert!(text.contains("| Valid | Accuracy |"), "{text}");
}
