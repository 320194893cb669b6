//! Checkpoints: a folder for each, which is complete when its last file is there.

use crate::trainer::Trainer;
use burn::lm::LanguageModel;
use burn::module::Module;
use burn::optim::{Optimizer, ParameterGroups};
use burn::prelude::*;
use burn::record::{BinFileRecorder, FullPrecisionSettings, Recorder};
use burn::tensor::backend::AutodiffBackend;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Number of checkpoints that are kept.
const KEPT: usize = 2;

type FileRecorder = BinFileRecorder<FullPrecisionSettings>;
type State<B> = <ParameterGroups as Optimizer<LanguageModel<B>, B>>::Record;

/// The last file of a checkpoint.
#[derive(Config, Debug)]
struct CheckpointState {
    /// Steps made so far.
    steps: usize,
}

/// Saves weights and state of a training below `folder`, and deletes all but the newest two checkpoints.
///
/// # Errors
/// A file cannot be written.
pub fn save<B: AutodiffBackend>(trainer: &Trainer<B>, folder: &Path) -> Result<(), Box<dyn Error>> {
    let checkpoint = folder.join(format!("step-{:08}", trainer.steps));
    std::fs::create_dir_all(&checkpoint)?;
    let recorder = FileRecorder::new();
    trainer.model.save_file(checkpoint.join("model"), &recorder)?;
    let optimizer = Optimizer::<LanguageModel<B>, B>::to_record(&trainer.optimizer);
    Recorder::<B>::record(&recorder, optimizer, checkpoint.join("optimizer"))?;
    CheckpointState::new(trainer.steps).save(checkpoint.join("state.json"))?;
    let mut complete = complete(folder)?;
    complete.truncate(complete.len().saturating_sub(KEPT));
    for old in complete {
        std::fs::remove_dir_all(old)?;
    }
    Ok(())
}

/// Returns the training with weights and state of the newest complete checkpoint below `folder`; unchanged if
/// there is none.
///
/// # Errors
/// A file cannot be read or is of another model.
pub fn resume<B: AutodiffBackend>(
    mut trainer: Trainer<B>,
    folder: &Path,
    device: &B::Device,
) -> Result<Trainer<B>, Box<dyn Error>> {
    let Some(checkpoint) = complete(folder)?.pop() else { return Ok(trainer) };
    let recorder = FileRecorder::new();
    trainer.model = trainer.model.load_file(checkpoint.join("model"), &recorder, device)?;
    let record: State<B> = Recorder::<B>::load(&recorder, checkpoint.join("optimizer"), device)?;
    trainer.optimizer =
        Optimizer::<LanguageModel<B>, B>::try_load_record(trainer.optimizer, record, &trainer.model)?;
    trainer.steps = CheckpointState::load(checkpoint.join("state.json"))?.steps;
    Ok(trainer)
}

/// The complete checkpoints of a folder, the newest last.
fn complete(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut checkpoints = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let is_step = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("step-"));
        if is_step && path.join("state.json").is_file() {
            checkpoints.push(path);
        }
    }
    checkpoints.sort();
    Ok(checkpoints)
}
