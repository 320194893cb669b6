use super::background_writer::{BackgroundWriter, LogJob};
use super::log_files::{LogFiles, log_path};
use super::log_lines::LogLines;
use super::{LogError, MetricLogger};
use crate::metric::{MetricEntry, NumericEntry, ParseNumericEntryError};
use std::collections::HashSet;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Writes a file per epoch and metric: `epoch-1/Accuracy.log`, one line per batch.
///
/// A numeric metric writes `value,count`: the value of the batch, and how many rows it is the mean
/// of. Spaces in the name of a metric become `_`, and so does what a file name cannot hold.
///
/// Lines are written in a thread of its own, at the latest a second after [`log`](MetricLogger::log), and
/// before [`end_epoch`](MetricLogger::end_epoch) returns. A line that cannot be written is an error of a
/// later call, at the latest of that one.
///
/// ```
/// use burn::train::logger::{FileMetricLogger, MetricLogger};
/// use burn::train::metric::MetricEntry;
///
/// # let folder = tempfile::tempdir().unwrap();
/// let mut logger = FileMetricLogger::new(folder.path().join("train"));
/// logger.start_epoch(1, 0).unwrap();
/// logger.log(1, &MetricEntry::new("Loss", "0.5", "0.5,1")).unwrap();
/// logger.end_epoch(1).unwrap();
///
/// let entries = FileMetricLogger::read(folder.path().join("train"), 1, "Loss").unwrap();
/// assert_eq!(entries[0].value, 0.5);
/// ```
#[derive(Debug)]
pub struct FileMetricLogger {
    folder: PathBuf,
    /// Started by the first line.
    writer: Option<BackgroundWriter<LogFiles>>,
    /// The batches of the epoch that an earlier run has logged.
    kept: usize,
    /// The metrics that have a line in this epoch.
    begun: HashSet<String>,
}

impl FileMetricLogger {
    /// Writes below `folder`, which is made when the first line comes.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), writer: None, kept: 0, begun: HashSet::new() }
    }

    /// Reads what a numeric metric logged in an epoch.
    ///
    /// # Errors
    /// If there is no such file, it has more than sixteen million lines, or a line is not `value,count`.
    pub fn read(folder: impl AsRef<Path>, epoch: usize, name: &str) -> Result<Vec<NumericEntry>, LogError> {
        let path = log_path(folder.as_ref(), epoch, name);
        let file = burn_io::open_file(&path).map_err(LogError::io(&path))?;
        let (mut lines, mut entries) = (LogLines::new(BufReader::new(file)), Vec::new());
        while let Some(line) = lines.next().map_err(LogError::io(&path))? {
            let line = String::from_utf8_lossy(line);
            let parsed = line.trim_end().parse();
            entries.push(parsed.map_err(|reason: ParseNumericEntryError| LogError::Line {
                path: path.clone(),
                line: entries.len() + 1,
                reason: reason.to_string(),
            })?);
        }
        Ok(entries)
    }

    /// Hands a job over to the writer, which is there from the first line on.
    fn submit(&self, job: LogJob, is_due: bool) -> Result<(), LogError> {
        self.writer.as_ref().map_or(Ok(()), |writer| writer.submit(job, is_due))
    }
}

impl MetricLogger for FileMetricLogger {
    fn start_epoch(&mut self, _epoch: usize, batches: usize) -> Result<(), LogError> {
        self.begun.clear();
        self.kept = batches;
        self.submit(LogJob::StartEpoch { kept: batches }, false)
    }

    fn log(&mut self, epoch: usize, entry: &MetricEntry) -> Result<(), LogError> {
        if self.writer.is_none() {
            let writer = BackgroundWriter::start(LogFiles::new(self.folder.clone()));
            self.writer.insert(writer).submit(LogJob::StartEpoch { kept: self.kept }, false)?;
        }
        // A file is created while the run goes on, and not at the end of the epoch, which waits for it.
        let is_due = !self.begun.contains(&entry.name);
        if is_due {
            self.begun.insert(entry.name.clone());
        }
        let (name, text) = (entry.name.clone(), entry.serialized.clone());
        self.submit(LogJob::Line { epoch, name, text }, is_due)
    }

    fn end_epoch(&mut self, _epoch: usize) -> Result<(), LogError> {
        self.begun.clear();
        self.submit(LogJob::EndEpoch, false)?;
        self.writer.as_ref().map_or(Ok(()), BackgroundWriter::finish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn log(logger: &mut FileMetricLogger, epoch: usize, batches: usize, lines: &[&str]) {
        logger.start_epoch(epoch, batches).unwrap();
        for line in lines {
            logger.log(epoch, &MetricEntry::new("Top-5 Accuracy", *line, *line)).unwrap();
        }
        logger.end_epoch(epoch).unwrap();
    }

    /// The error of an epoch with one line.
    fn failure(logger: &mut FileMetricLogger, entry: &MetricEntry) -> LogError {
        logger.log(1, entry).and_then(|()| logger.end_epoch(1)).unwrap_err()
    }

    #[test]
    fn an_epoch_done_over_replaces_its_lines_and_one_that_goes_on_keeps_them() {
        let folder = tempfile::tempdir().unwrap();
        let mut logger = FileMetricLogger::new(folder.path());
        log(&mut logger, 1, 0, &["1,1", "2,1", "3,1"]);
        log(&mut logger, 2, 0, &["4,1"]);
        let text = |epoch: usize| {
            fs::read_to_string(folder.path().join(format!("epoch-{epoch}/Top-5_Accuracy.log"))).unwrap()
        };
        assert_eq!((text(1).as_str(), text(2).as_str()), ("1,1\n2,1\n3,1\n", "4,1\n"));

        log(&mut logger, 1, 2, &["5,1"]);
        assert_eq!(text(1), "1,1\n2,1\n5,1\n");
        log(&mut logger, 1, 0, &["6,1"]);
        assert_eq!(text(1), "6,1\n");
    }

    #[test]
    fn a_damaged_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        log(&mut FileMetricLogger::new(folder.path()), 1, 0, &["1,1", "?"]);
        let error = FileMetricLogger::read(folder.path(), 1, "Top-5 Accuracy").unwrap_err().to_string();
        assert!(error.contains("Top-5_Accuracy.log line 2: `?`"), "{error}");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("train"), "a file").unwrap();
        let mut logger = FileMetricLogger::new(folder.path().join("train"));
        let error = failure(&mut logger, &MetricEntry::new("Loss", "", ""));
        assert!(matches!(error, LogError::Io { .. }) && error.to_string().contains("train"), "{error}");
    }

    #[test]
    fn a_line_without_end_is_an_error_and_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let mut logger = FileMetricLogger::new(folder.path());
        log(&mut logger, 1, 0, &["1,1", "2,1"]);
        let path = folder.path().join("epoch-1/Top-5_Accuracy.log");
        // A hole of the file system: zeros that take no room.
        fs::File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        let error = FileMetricLogger::read(folder.path(), 1, "Top-5 Accuracy").unwrap_err().to_string();
        assert!(error.contains("line 3 has more than 65536 bytes"), "{error}");

        logger.start_epoch(1, 3).unwrap();
        let error = failure(&mut logger, &MetricEntry::new("Top-5 Accuracy", "3,1", "3,1"));
        assert!(error.to_string().contains("line 3"), "{error}");
        assert_eq!(fs::metadata(&path).unwrap().len(), 1 << 40);
    }

    #[test]
    fn a_line_that_is_no_text_is_named_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let mut logger = FileMetricLogger::new(folder.path());
        log(&mut logger, 1, 0, &["1,1", "2,1"]);
        let path = folder.path().join("epoch-1/Top-5_Accuracy.log");
        fs::write(&path, b"1,1\n\xff\n").unwrap();
        let error = FileMetricLogger::read(folder.path(), 1, "Top-5 Accuracy").unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
        log(&mut logger, 1, 2, &["3,1"]);
        assert_eq!(fs::read(&path).unwrap(), b"1,1\n\xff\n3,1\n");
    }
}
