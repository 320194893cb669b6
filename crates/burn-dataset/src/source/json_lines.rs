use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::DeserializeOwned;

use crate::{Dataset, DatasetError, InMemDataset, Receive};

/// The most bytes of a line, which is in memory as a whole.
const LONGEST_LINE: u64 = 64 << 20;

/// A file with a JSON value in each line, of which each is an item, read when it is asked for.
///
/// Opening it finds the beginnings of its lines, eight bytes a line; empty lines are no items. Each thread
/// that reads has the file open on its own. JSON lines are described at <https://jsonlines.org>.
///
/// ```
/// use burn::data::dataset::Dataset;
/// use burn::data::dataset::source::JsonLinesDataset;
///
/// #[derive(serde::Deserialize)]
/// struct Review {
///     text: String,
///     stars: u8,
/// }
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("reviews.jsonl");
/// std::fs::write(&path, "{\"text\": \"good\", \"stars\": 4}\n{\"text\": \"bad\", \"stars\": 1}\n")?;
/// let reviews = JsonLinesDataset::<Review>::open(&path)?;
/// assert_eq!(reviews.len(), 2);
/// assert_eq!(reviews.get(1).unwrap().stars, 1);
/// assert_eq!(reviews.get(0).unwrap().text, "good");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JsonLinesDataset<I> {
    lines: Arc<Lines>,
    item: PhantomData<fn() -> I>,
}

/// A file and where its lines are.
#[derive(Debug)]
struct Lines {
    path: PathBuf,
    /// The position of each line that is not empty, and its number from 1.
    starts: Vec<(u64, usize)>,
    idle: Mutex<Vec<BufReader<File>>>,
}

impl<I> JsonLinesDataset<I> {
    /// Opens a file and finds its lines.
    ///
    /// # Errors
    /// If the file cannot be read or has a line of more than 64 MiB. A line that is not an item is an error
    /// when it is read.
    pub fn open<P: AsRef<Path>>(path: P) -> Result<Self, DatasetError> {
        let lines = Lines::open(path.as_ref())?;
        Ok(Self { lines: Arc::new(lines), item: PhantomData })
    }
}

impl<I: DeserializeOwned> InMemDataset<I> {
    /// Reads a file with a JSON value in each line into memory; empty lines are no items.
    ///
    /// # Errors
    /// If the file cannot be read, has a line of more than 64 MiB, or a line is not an item; the error names
    /// the line.
    pub fn from_json_lines<P: AsRef<Path>>(path: P) -> Result<Self, DatasetError> {
        let path = path.as_ref();
        let mut file = open(path)?;
        let (mut items, mut line, mut number) = (Vec::new(), Vec::new(), 0);
        while read_line(&mut file, &mut line).map_err(|source| io_error(path, source))? {
            number += 1;
            if !line.trim_ascii().is_empty() {
                items.push(parse(path, number, &line)?);
            }
        }
        Ok(Self::new(items))
    }
}

impl Lines {
    fn open(path: &Path) -> Result<Self, DatasetError> {
        let mut file = open(path)?;
        let (mut starts, mut line, mut position, mut number) = (Vec::new(), Vec::new(), 0, 0);
        while read_line(&mut file, &mut line).map_err(|source| io_error(path, source))? {
            number += 1;
            if !line.trim_ascii().is_empty() {
                starts.push((position, number));
            }
            position += line.len() as u64;
        }
        Ok(Self { path: path.to_owned(), starts, idle: Mutex::new(vec![file]) })
    }

    /// Calls `read` with a file that no other thread has.
    fn with_file<T>(
        &self,
        read: impl FnOnce(&mut BufReader<File>) -> Result<T, DatasetError>,
    ) -> Result<T, DatasetError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut file = idle.map_or_else(|| open(&self.path), Ok)?;
        let outcome = read(&mut file);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(file);
        outcome
    }

    fn read<I: DeserializeOwned>(
        &self,
        file: &mut BufReader<File>,
        index: usize,
    ) -> Result<Option<I>, DatasetError> {
        let Some(&(start, number)) = self.starts.get(index) else { return Ok(None) };
        let mut line = Vec::new();
        // The buffer is kept for lines that follow each other.
        let position = file.stream_position().map_err(|source| io_error(&self.path, source))?;
        let seek = match i64::try_from(i128::from(start) - i128::from(position)) {
            Ok(offset) => file.seek_relative(offset),
            Err(_) => file.seek(SeekFrom::Start(start)).map(drop),
        };
        seek.and_then(|()| read_line(file, &mut line)).map_err(|source| io_error(&self.path, source))?;
        parse(&self.path, number, &line).map(Some)
    }
}

fn open(path: &Path) -> Result<BufReader<File>, DatasetError> {
    burn_io::open_file(path).map(BufReader::new).map_err(|source| io_error(path, source))
}

fn io_error(path: &Path, source: io::Error) -> DatasetError {
    DatasetError::Io { path: path.to_owned(), source }
}

fn parse<I: DeserializeOwned>(path: &Path, line: usize, text: &[u8]) -> Result<I, DatasetError> {
    serde_json::from_slice(text).map_err(|source| DatasetError::Json { path: path.to_owned(), line, source })
}

/// Reads a line with its end; `false` when the file has no more.
pub(super) fn read_line(file: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    file.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', line)?;
    if line.len() as u64 > LONGEST_LINE {
        let cause = format!("a line has more than {} MiB", LONGEST_LINE >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, cause));
    }
    Ok(!line.is_empty())
}

impl<I: DeserializeOwned> Dataset<I> for JsonLinesDataset<I> {
    fn get(&self, index: usize) -> Option<I> {
        self.try_get(index).ok().flatten()
    }

    fn try_get(&self, index: usize) -> Result<Option<I>, DatasetError> {
        self.lines.with_file(|file| self.lines.read(file, index))
    }

    fn read_many(&self, indices: &[usize], receive: &mut Receive<'_, I>) {
        let outcome = self.lines.with_file(|file| {
            for &index in indices {
                if receive(self.lines.read(file, index)).is_break() {
                    break;
                }
            }
            Ok(())
        });
        if let Err(error) = outcome {
            let _ = receive(Err(error));
        }
    }

    fn len(&self) -> usize {
        self.lines.starts.len()
    }
}

impl<I> Clone for JsonLinesDataset<I> {
    fn clone(&self) -> Self {
        Self { lines: Arc::clone(&self.lines), item: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(content: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines.jsonl");
        std::fs::write(&path, content).unwrap();
        (folder, path)
    }

    #[test]
    fn lines_are_items_in_any_order_and_with_any_line_end() {
        let (_folder, path) = file(b"[1]\r\n\n  \n[2, 3]\n[4]");
        let dataset = JsonLinesDataset::<Vec<u8>>::open(&path).unwrap();
        assert_eq!(dataset.get_many(&[2, 0, 1, 1]).unwrap(), [vec![4], vec![1], vec![2, 3], vec![2, 3]]);
        assert_eq!(dataset.get(3), None);
        assert_eq!(InMemDataset::from_json_lines(&path).unwrap(), dataset.iter().collect());
    }

    #[test]
    fn a_line_that_is_no_item_is_named() {
        let (_folder, path) = file(b"1\n\n\"two\"\n3\n");
        let dataset = JsonLinesDataset::<u8>::open(&path).unwrap();
        assert_eq!((dataset.get(0), dataset.get(2)), (Some(1), Some(3)));
        for error in
            [dataset.try_get(1).unwrap_err(), InMemDataset::<u8>::from_json_lines(&path).unwrap_err()]
        {
            assert!(matches!(&error, DatasetError::Json { line: 3, .. }), "{error}");
            assert!(error.to_string().contains("lines.jsonl, line 3: invalid type: string"), "{error}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_or_without_a_line_end_is_an_error() {
        let (folder, path) = file(b"");
        assert!(JsonLinesDataset::<u8>::open(folder.path().join("nowhere")).is_err());
        assert_eq!(JsonLinesDataset::<u8>::open(&path).unwrap().len(), 0);
        // A hole of the file system: zeros that take no room.
        File::options().write(true).open(&path).unwrap().set_len(1 << 34).unwrap();
        let error = JsonLinesDataset::<u8>::open(&path).unwrap_err();
        assert!(error.to_string().contains("a line has more than 64 MiB"), "{error}");
    }
}
