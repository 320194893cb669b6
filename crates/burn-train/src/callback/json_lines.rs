use super::{BatchEnd, CallbackResult, EpochInfo, RunInfo, TrainingCallback};
use crate::Split;
use crate::logger::LogError;
use crate::metric::NumericEntry;
use crate::renderer::MetricState;
use serde_json::{Map, Value, json};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, LineWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a line of JSON for the start of the run, every batch, every epoch and the end.
///
/// ```text
/// {"event":"start","model":"Model","parameters":530,"epochs":2,"step":0}
/// {"event":"batch","split":"train","epoch":1,"iteration":1,"step":1,"items":8,"items_total":64,"lr":0.1,"metrics":{"Loss":0.7}}
/// {"event":"epoch","epoch":1,"step":8,"lr":0.1,"metrics":{"train":{"Loss":0.5},"valid":{"Loss":0.4}}}
/// {"event":"end","step":16}
/// ```
///
/// `step` counts training batches over the whole run. The metrics of a batch are those of the batch alone;
/// texts are strings, and numbers that JSON does not have are `null`. A run that is resumed drops the lines
/// after its checkpoint and goes on.
pub struct JsonLines {
    target: Target,
}

enum Target {
    /// A file, once the run has begun; a relative path is below the artifact folder.
    File {
        path: PathBuf,
        file: Option<LineWriter<File>>,
    },
    Writer(Box<dyn Write + Send>),
}

/// The longest line that is kept of a file that is there.
const LONGEST_LINE: u64 = 1 << 20;

impl JsonLines {
    /// Writes to `metrics.jsonl` in the artifact folder.
    pub fn new() -> Self {
        Self::file("metrics.jsonl")
    }

    /// Writes to a file; a relative path is below the artifact folder.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { target: Target::File { path: path.into(), file: None } }
    }

    /// Writes to `out`, such as the standard output.
    pub fn to(out: impl Write + Send + 'static) -> Self {
        Self { target: Target::Writer(Box::new(out)) }
    }

    fn write(&mut self, line: &Value) -> CallbackResult {
        let line = format!("{line}\n");
        match &mut self.target {
            Target::File { path, file: Some(file) } => {
                let path = path.clone();
                file.write_all(line.as_bytes()).map_err(|source| LogError::Io { path, source })?;
            }
            Target::File { file: None, .. } => {}
            Target::Writer(out) => out.write_all(line.as_bytes()).and_then(|()| out.flush())?,
        }
        Ok(())
    }
}

impl Default for JsonLines {
    fn default() -> Self {
        Self::new()
    }
}

impl TrainingCallback for JsonLines {
    fn on_train_start(&mut self, run: &RunInfo<'_>) -> CallbackResult {
        if let Target::File { path, file } = &mut self.target {
            *path = run.artifacts.join(&path);
            let opened = open(path, run.step);
            *file = Some(opened.map_err(|source| LogError::Io { path: path.clone(), source })?);
        }
        let RunInfo { model, parameters, epochs, step, .. } = *run;
        self.write(&json!({
            "event": "start", "model": model, "parameters": parameters, "epochs": epochs, "step": step,
        }))
    }

    fn on_batch_end(&mut self, batch: &BatchEnd<'_>) -> CallbackResult {
        let metrics: Map<String, Value> = batch.metrics.iter().map(metric).collect();
        let mut line = json!({
            "event": "batch",
            "split": batch.split.folder(),
            "epoch": batch.progress.epoch,
            "iteration": batch.progress.iteration,
            "step": batch.step,
            "items": batch.progress.progress.items_processed,
            "items_total": batch.progress.progress.items_total,
            "lr": batch.lr,
            "metrics": metrics,
        });
        if batch.skipped {
            line["skipped"] = Value::Bool(true);
        }
        self.write(&line)
    }

    fn on_epoch_end(&mut self, epoch: &EpochInfo<'_>) -> CallbackResult {
        let of_split = |split: Split| {
            let names = epoch.history.names(split);
            let stats = names.filter_map(|name| Some((name, epoch.history.stats(split, name, epoch.epoch)?)));
            Value::Object(stats.map(|(name, stats)| (name.to_string(), json!(stats.mean))).collect())
        };
        self.write(&json!({
            "event": "epoch",
            "epoch": epoch.epoch,
            "step": epoch.step,
            "lr": epoch.lr,
            "metrics": { "train": of_split(Split::Train), "valid": of_split(Split::Valid) },
        }))
    }

    fn on_train_end(&mut self, run: &RunInfo<'_>) -> CallbackResult {
        self.write(&json!({ "event": "end", "step": run.step }))
    }
}

fn metric(state: &MetricState) -> (String, Value) {
    let entry = state.entry();
    let value = match state {
        MetricState::Generic(entry) => json!(entry.formatted),
        MetricState::Numeric(entry, value) => {
            let alone: Option<NumericEntry> = entry.serialized.parse().ok();
            json!(alone.map_or(*value, |batch| batch.value))
        }
    };
    (entry.name.clone(), value)
}

/// Opens the file after the lines up to a step, without a line that a kill has cut.
fn open(path: &Path, step: u64) -> io::Result<LineWriter<File>> {
    let kept = match File::open(path) {
        Ok(file) if step > 0 => kept_bytes(BufReader::new(file), step)?,
        Ok(_) => 0,
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
        Err(error) => return Err(error),
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    // A pipe or a device has no length.
    if file.metadata()?.is_file() {
        file.set_len(kept)?;
        io::Seek::seek(&mut file, io::SeekFrom::Start(kept))?;
    }
    Ok(LineWriter::new(file))
}

/// Counts the bytes of the first lines that are whole and not after the step.
fn kept_bytes(mut file: impl BufRead, step: u64) -> io::Result<u64> {
    let (mut kept, mut line) = (0, Vec::new());
    loop {
        line.clear();
        let read = io::Read::take(&mut file, LONGEST_LINE).read_until(b'\n', &mut line)?;
        let parsed: Option<Value> =
            line.ends_with(b"\n").then(|| serde_json::from_slice(&line).ok()).flatten();
        match parsed.and_then(|line| line["step"].as_u64()) {
            Some(found) if found <= step => kept += read as u64,
            _ => return Ok(kept),
        }
    }
}

impl std::fmt::Debug for JsonLines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.target {
            Target::File { path, .. } => write!(f, "JsonLines({})", path.display()),
            Target::Writer(_) => f.write_str("JsonLines(a writer)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_goes_on_keeps_the_lines_up_to_its_step() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.jsonl");
        let lines = "{\"step\":1}\n{\"step\":2}\n{\"step\":3}\n{\"step\":4";
        let left = |text: &str, step| {
            std::fs::write(&path, text).unwrap();
            writeln!(open(&path, step).unwrap(), "new").unwrap();
            std::fs::read_to_string(&path).unwrap()
        };
        assert_eq!(left(lines, 2), "{\"step\":1}\n{\"step\":2}\nnew\n");
        assert_eq!(left(lines, 9), "{\"step\":1}\n{\"step\":2}\n{\"step\":3}\nnew\n");
        assert_eq!(left(lines, 0), "new\n");
        assert_eq!(left("no json\n{\"step\":1}\n", 1), "new\n");
    }
}
