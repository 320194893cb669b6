use super::{LogError, MetricLogger};
use crate::metric::{MetricEntry, NumericEntry, ParseNumericEntryError};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, LineWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Writes a file per epoch and metric: `epoch-1/Accuracy.log`, one line per batch.
///
/// A numeric metric writes `value,count`: the value of the batch, and how many rows it is the mean
/// of. Spaces in the name of a metric become `_`, and so does what a file name cannot hold.
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
    files: HashMap<String, LineWriter<File>>,
    /// The batches of the epoch that an earlier run has logged.
    kept: usize,
}

impl FileMetricLogger {
    /// Writes below `folder`, which is made when the first line comes.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), files: HashMap::new(), kept: 0 }
    }

    /// Reads what a numeric metric logged in an epoch.
    ///
    /// # Errors
    /// If there is no such file, it has more than sixteen million lines, or a line is not `value,count`.
    pub fn read(folder: impl AsRef<Path>, epoch: usize, name: &str) -> Result<Vec<NumericEntry>, LogError> {
        let path = path(folder.as_ref(), epoch, name);
        let file = File::open(&path).map_err(LogError::io(&path))?;
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

    fn open(&self, epoch: usize, name: &str) -> Result<LineWriter<File>, LogError> {
        let path = path(&self.folder, epoch, name);
        let folder = path.parent().expect("the file is in the folder of its epoch");
        fs::create_dir_all(folder).map_err(LogError::io(folder))?;
        let kept = first_lines(&path, self.kept).map_err(LogError::io(&path))?;
        let mut file = LineWriter::new(File::create(&path).map_err(LogError::io(&path))?);
        file.write_all(&kept).map_err(LogError::io(&path))?;
        Ok(file)
    }
}

impl MetricLogger for FileMetricLogger {
    fn start_epoch(&mut self, _epoch: usize, batches: usize) -> Result<(), LogError> {
        self.files.clear();
        self.kept = batches;
        Ok(())
    }

    fn log(&mut self, epoch: usize, entry: &MetricEntry) -> Result<(), LogError> {
        if !self.files.contains_key(&entry.name) {
            let file = self.open(epoch, &entry.name)?;
            self.files.insert(entry.name.clone(), file);
        }
        let file = self.files.get_mut(&entry.name).expect("it was opened above");
        writeln!(file, "{}", entry.serialized).map_err(LogError::io(path(&self.folder, epoch, &entry.name)))
    }

    fn end_epoch(&mut self, _epoch: usize) -> Result<(), LogError> {
        self.files.clear();
        Ok(())
    }
}

fn path(folder: &Path, epoch: usize, name: &str) -> PathBuf {
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
    let file = match File::open(path) {
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

/// The lines of a file, none of which is long.
struct LogLines<R> {
    file: R,
    line: Vec<u8>,
    read: usize,
}

/// The most bytes of a line, and the most lines of a file: the entries of an epoch take 16 bytes each.
const LONGEST_LINE: usize = 1 << 16;
const MOST_LINES: usize = 16 << 20;

impl<R: BufRead> LogLines<R> {
    fn new(file: R) -> Self {
        Self { file, line: Vec::new(), read: 0 }
    }

    /// Returns the next line with its end.
    fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.line.clear();
        let mut file = self.file.by_ref().take(LONGEST_LINE as u64 + 1);
        if file.read_until(b'\n', &mut self.line)? == 0 {
            return Ok(None);
        }
        self.read += 1;
        if self.line.len() > LONGEST_LINE {
            let cause = format!("line {} has more than {LONGEST_LINE} bytes", self.read);
            return Err(io::Error::new(ErrorKind::InvalidData, cause));
        }
        if self.read > MOST_LINES {
            return Err(io::Error::new(
                ErrorKind::FileTooLarge,
                format!("it has more than {MOST_LINES} lines"),
            ));
        }
        Ok(Some(&self.line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(logger: &mut FileMetricLogger, epoch: usize, batches: usize, lines: &[&str]) {
        logger.start_epoch(epoch, batches).unwrap();
        for line in lines {
            logger.log(epoch, &MetricEntry::new("Top-5 Accuracy", *line, *line)).unwrap();
        }
        logger.end_epoch(epoch).unwrap();
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
        let error = logger.log(1, &MetricEntry::new("Loss", "", "")).unwrap_err();
        assert!(matches!(error, LogError::Io { .. }) && error.to_string().contains("train"), "{error}");
    }

    #[test]
    fn a_line_without_end_is_an_error_and_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let mut logger = FileMetricLogger::new(folder.path());
        log(&mut logger, 1, 0, &["1,1", "2,1"]);
        let path = folder.path().join("epoch-1/Top-5_Accuracy.log");
        // A hole of the file system: zeros that take no room.
        File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        let error = FileMetricLogger::read(folder.path(), 1, "Top-5 Accuracy").unwrap_err().to_string();
        assert!(error.contains("line 3 has more than 65536 bytes"), "{error}");

        logger.start_epoch(1, 3).unwrap();
        let error = logger.log(1, &MetricEntry::new("Top-5 Accuracy", "3,1", "3,1")).unwrap_err();
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
