//! Generated source of a model with chosen names, compared with that of the same model with plain ones.

use super::model::{Texts, model};
use super::outline::Outline;
use burn_onnx::{ModelGen, OnnxError, RecordType};
use std::path::{Path, PathBuf};

/// Generates source, into a folder that is removed afterwards.
pub fn source(file_name: &str, next: &mut dyn FnMut() -> Vec<u8>) -> Result<String, OnnxError> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(file_name);
    std::fs::write(&file, model(&mut Texts::new(next))).expect("a file");
    let files = generator(&file, folder.path().join("out"))?;
    Ok(std::fs::read_to_string(files).expect("the source"))
}

fn generator(file: &Path, out: PathBuf) -> Result<PathBuf, OnnxError> {
    let generator = ModelGen::new().input(file).record_type(RecordType::Bincode).embed_states(true);
    Ok(generator.out_dir(out).run_from_cli()?.remove(0).source)
}

/// Source with the names `n0`, `n1` and so on.
pub fn plain() -> String {
    let mut count = 0;
    let source = source("model.onnx", &mut || {
        count += 1;
        format!("n{count}").into_bytes()
    });
    source.expect("a model with plain names is generated")
}

/// Checks that source has the outline of that with plain names, and no letters that turn the direction of a
/// text.
pub fn check(source: &str, plain: &Outline) -> Result<(), String> {
    let outline = Outline::of(source).map_err(|error| format!("{error}\n{source}"))?;
    if outline != *plain {
        return Err(format!("expected {plain:#?}, got {outline:#?} of\n{source}"));
    }
    match source.chars().find(|letter| (letter.is_control() && *letter != '\n') || is_invisible(*letter)) {
        Some(letter) => Err(format!("{letter:?} stands in\n{source}")),
        None => Ok(()),
    }
}

fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}
