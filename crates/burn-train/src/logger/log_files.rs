use super::LogError;
use super::background_writer::{LogJob, LogSink};
use super::log_lines::LogLines;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The files of one epoch, of which each holds the lines of a metric.
pub(super) struct LogFiles {
    folder: PathBuf,
    files: HashMap<String, LogFile>,
    /// The batches of the epoch that an earlier run has logged.
    kept: usize,
}

struct LogFile {
    path: PathBuf,
    out: BufWriter<File>,
}

impl LogFiles {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, files: HashMap::new(), kept: 0 }
    }

    fn apply(&mut self, job: LogJob) -> Result<(), LogError> {
        match job {
            LogJob::StartEpoch { kept } => {
                self.kept = kept;
                self.close()?;
            }
            LogJob::Line { epoch, name, text } => {
                if !self.files.contains_key(&name) {
                    let file = self.open(epoch, &name)?;
                    self.files.insert(name.clone(), file);
                }
                let file = self.files.get_mut(&name).expect("it was opened above");
                writeln!(file.out, "{text}").map_err(LogError::io(&file.path))?;
            }
            LogJob::EndEpoch => self.close()?,
        }
        Ok(())
    }

    fn open(&self, epoch: usize, name: &str) -> Result<LogFile, LogError> {
        let path = log_path(&self.folder, epoch, name);
        let kept = first_lines(&path, self.kept).map_err(LogError::io(&path))?;
        let mut out = BufWriter::new(create(&path)?);
        out.write_all(&kept).map_err(LogError::io(&path))?;
        Ok(LogFile { path, out })
    }

    fn close(&mut self) -> Result<(), LogError> {
        let flushed = self.flush();
        self.files.clear();
        flushed
    }

    fn flush(&mut self) -> Result<(), LogError> {
        self.files.values_mut().try_for_each(|file| file.out.flush().map_err(LogError::io(&file.path)))
    }
}

impl LogSink for LogFiles {
    fn write(&mut self, jobs: Vec<LogJob>) -> Result<(), LogError> {
        // After an error the other lines are written, and epochs begin and end.
        let results: Vec<_> = jobs.into_iter().map(|job| self.apply(job)).collect();
        results.into_iter().chain([self.flush()]).collect()
    }
}

/// Creates a file, and its folder where there is none yet.
fn create(path: &Path) -> Result<File, LogError> {
    match File::create(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let folder = path.parent().expect("the file is in the folder of its epoch");
            fs::create_dir_all(folder).map_err(LogError::io(folder))?;
            File::create(path)
        }
        file => file,
    }
    .map_err(LogError::io(path))
}

/// Returns the file of a metric in an epoch.
pub(super) fn log_path(folder: &Path, epoch: usize, name: &str) -> PathBuf {
    let allowed = |c: char| if c.is_alphanumeric() || "-.@%+".contains(c) { c } else { '_' };
    let file: String = name.chars().map(allowed).collect();
    folder.join(format!("epoch-{epoch}")).join(format!("{file}.log"))
}

/// Returns the first lines of a file that may not be there.
fn first_lines(path: &Path, count: usize) -> io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    if count == 0 {
        return Ok(kept);
    }
    let file = match burn_io::open_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(kept),
        file => file?,
    };
    let mut lines = LogLines::new(BufReader::new(file));
    for _ in 0..count {
        let Some(line) = lines.next()? else { break };
        kept.extend_from_slice(line);
    }
    Ok(kept)
}
