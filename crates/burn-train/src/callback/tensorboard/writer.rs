use super::event::{Content, Event};
use super::record::frame;
use crate::Split;
use crate::callback::{BatchEnd, CallbackResult, EpochInfo, RunInfo, TrainingCallback};
use crate::logger::LogError;
use crate::metric::NumericEntry;
use crate::renderer::MetricState;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes event files that TensorBoard reads: numeric metrics of every training batch and of every
/// validation.
///
/// `tensorboard --logdir ARTIFACTS/tensorboard` shows training and validation as two runs with the same tags,
/// by the number of training batches; a validation has one point, at the end of its epoch. The learning rate
/// is a tag of training. A run that is resumed writes files of its own, and has TensorBoard drop what is
/// after its checkpoint.
#[derive(Debug, Default)]
pub struct TensorBoard {
    folder: Option<PathBuf>,
    train: Option<EventFile>,
    valid: Option<EventFile>,
}

#[derive(Debug)]
struct EventFile {
    path: PathBuf,
    file: File,
}

impl TensorBoard {
    /// Writes below `tensorboard` in the artifact folder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes below `folder`; a relative path is below the artifact folder.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), ..Self::default() }
    }
}

impl EventFile {
    fn create(folder: PathBuf, step: u64) -> Result<Self, LogError> {
        fs::create_dir_all(&folder).map_err(|source| LogError::Io { path: folder.clone(), source })?;
        // TensorBoard finds files by this pattern, and reads those of a folder in the order of their names.
        let nanoseconds = now().as_nanos();
        let path = folder.join(format!("events.out.tfevents.{nanoseconds}.{}.burn", std::process::id()));
        let file = File::create_new(&path).map_err(|source| LogError::Io { path: path.clone(), source })?;
        let mut events = Self { path, file };
        events.write(0, Content::Version)?;
        if step > 0 {
            events.write(step + 1, Content::Start)?;
        }
        Ok(events)
    }

    fn write(&mut self, step: u64, content: Content<'_>) -> Result<(), LogError> {
        let event = Event { wall_time: now().as_secs_f64(), step, content };
        let written = self.file.write_all(&frame(&event.encode()));
        written.map_err(|source| LogError::Io { path: self.path.clone(), source })
    }

    fn write_scalars(&mut self, step: u64, scalars: &[(String, f32)]) -> Result<(), LogError> {
        if scalars.is_empty() { Ok(()) } else { self.write(step, Content::Scalars(scalars)) }
    }
}

impl TrainingCallback for TensorBoard {
    fn on_train_start(&mut self, run: &RunInfo<'_>) -> CallbackResult {
        let folder = self.folder.clone().unwrap_or_else(|| PathBuf::from("tensorboard"));
        let folder = run.artifacts.join(folder);
        self.train = Some(EventFile::create(folder.join("train"), run.step)?);
        self.valid = Some(EventFile::create(folder.join("valid"), run.step)?);
        Ok(())
    }

    fn on_batch_end(&mut self, batch: &BatchEnd<'_>) -> CallbackResult {
        if batch.split != Split::Train {
            return Ok(());
        }
        let mut scalars: Vec<(String, f32)> = batch.metrics.iter().filter_map(scalar).collect();
        if let Some(lr) = batch.lr
            && scalars.iter().all(|(tag, _)| tag != "Learning Rate")
        {
            scalars.push(("Learning Rate".to_string(), lr as f32));
        }
        self.train.as_mut().map_or(Ok(()), |file| file.write_scalars(batch.step, &scalars))?;
        Ok(())
    }

    fn on_epoch_end(&mut self, epoch: &EpochInfo<'_>) -> CallbackResult {
        let names = epoch.history.names(Split::Valid);
        let scalars: Vec<(String, f32)> = names
            .filter_map(|name| {
                let stats = epoch.history.stats(Split::Valid, name, epoch.epoch)?;
                Some((name.to_string(), stats.mean as f32))
            })
            .collect();
        self.valid.as_mut().map_or(Ok(()), |file| file.write_scalars(epoch.step, &scalars))?;
        Ok(())
    }
}

fn scalar(state: &MetricState) -> Option<(String, f32)> {
    let MetricState::Numeric(entry, value) = state else { return None };
    let alone: Option<NumericEntry> = entry.serialized.parse().ok();
    let value = match alone {
        Some(batch) if batch.count == 0 => return None,
        Some(batch) => batch.value,
        None => *value,
    };
    Some((entry.name.clone(), value as f32))
}

fn now() -> std::time::Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
