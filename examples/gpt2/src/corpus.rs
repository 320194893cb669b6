//! Tokens to train on: an embedded text, or files of token ids.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Chapters 1 to 21 of *Moby Dick*; `examples/text-generation/data/README.md` says where they come from.
const MOBY_DICK: &[u8] = include_bytes!("../../text-generation/data/moby_dick.txt.gz");

/// Bytes of a token id in a file, little endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenWidth {
    U16,
    U32,
}

/// Tokens of one split.
#[derive(Debug)]
pub enum Tokens {
    /// Bytes of a text: each byte is a token.
    Bytes(Vec<u8>),
    /// Files of token ids, by name.
    Shards(Vec<Shard>),
}

/// Tokens to train on, and tokens to evaluate with.
#[derive(Debug)]
pub struct Corpus {
    pub train: Tokens,
    pub valid: Tokens,
}

/// File of token ids.
#[derive(Debug)]
pub struct Shard {
    path: PathBuf,
    file: Mutex<File>,
    tokens: usize,
    width: TokenWidth,
}

impl Corpus {
    /// Returns the first chapters of *Moby Dick* (Melville 1851), which are inside of the program; the last
    /// tenth is for evaluation. Tokens are bytes.
    ///
    /// # Errors
    /// The program was built with another file.
    pub fn moby_dick() -> io::Result<Self> {
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(MOBY_DICK).read_to_end(&mut text)?;
        let valid = text.split_off(text.len() / 10 * 9);
        Ok(Corpus { train: Tokens::Bytes(text), valid: Tokens::Bytes(valid) })
    }

    /// Opens the files `*.bin` of a folder, token ids one after the other without a header. Those whose names
    /// begin with `val` are for evaluation, the others for training.
    ///
    /// # Errors
    /// The folder cannot be read, a file is not a whole number of tokens, or one of both splits has no file.
    pub fn folder(folder: &Path, width: TokenWidth) -> io::Result<Self> {
        let mut paths: Vec<PathBuf> = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(|error| named(folder, &error.to_string()))? {
            paths.push(entry?.path());
        }
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "bin"));
        paths.sort();
        let is_valid =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("val"));
        let (valid, train): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(is_valid);
        let open = |paths: Vec<PathBuf>, split: &str| {
            if paths.is_empty() {
                return Err(named(
                    folder,
                    &format!("expected files `*.bin` with tokens to {split}, found none"),
                ));
            }
            paths.into_iter().map(|path| Shard::open(path, width)).collect::<io::Result<Vec<Shard>>>()
        };
        let (train, valid) = (open(train, "train on")?, open(valid, "evaluate with, `val*.bin`")?);
        Ok(Corpus { train: Tokens::Shards(train), valid: Tokens::Shards(valid) })
    }
}

impl Tokens {
    /// Returns the number of positions at which `length` tokens begin.
    pub fn starts(&self, length: usize) -> usize {
        let starts = |tokens: usize| (tokens + 1).saturating_sub(length);
        match self {
            Tokens::Bytes(bytes) => starts(bytes.len()),
            Tokens::Shards(shards) => shards.iter().map(|shard| starts(shard.tokens)).sum(),
        }
    }

    /// Reads `length` tokens at the `start`-th position of [`starts`](Self::starts). They are of one file.
    ///
    /// # Errors
    /// There is no such position, a file cannot be read, or a token is not below `vocabulary_size`; the error
    /// names the file.
    pub fn read(&self, start: usize, length: usize, vocabulary_size: usize) -> io::Result<Vec<i64>> {
        match self {
            Tokens::Bytes(bytes) => {
                let bytes = bytes.get(start..start + length).ok_or_else(|| missing(start, length))?;
                Ok(bytes.iter().map(|byte| i64::from(*byte)).collect())
            }
            Tokens::Shards(shards) => {
                let mut within = start;
                for shard in shards {
                    let starts = (shard.tokens + 1).saturating_sub(length);
                    if within < starts {
                        return shard.read(within, length, vocabulary_size);
                    }
                    within -= starts;
                }
                Err(missing(start, length))
            }
        }
    }
}

fn missing(start: usize, length: usize) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("no {length} tokens begin at position {start}"))
}

fn named(path: &Path, cause: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{}: {cause}", path.display()))
}

impl TokenWidth {
    fn bytes(self) -> usize {
        match self {
            TokenWidth::U16 => 2,
            TokenWidth::U32 => 4,
        }
    }
}

impl Shard {
    fn open(path: PathBuf, width: TokenWidth) -> io::Result<Self> {
        let open = || Ok((File::open(&path)?, std::fs::metadata(&path)?.len()));
        let (file, length): (File, u64) =
            open().map_err(|error: io::Error| named(&path, &error.to_string()))?;
        let (length, bytes) = (usize::try_from(length).unwrap_or(usize::MAX), width.bytes());
        if !length.is_multiple_of(bytes) {
            return Err(named(&path, &format!("expected tokens of {bytes} bytes, found {length} bytes")));
        }
        Ok(Shard { path, file: Mutex::new(file), tokens: length / bytes, width })
    }

    fn read(&self, start: usize, length: usize, vocabulary_size: usize) -> io::Result<Vec<i64>> {
        let bytes = self.width.bytes();
        let mut data = vec![0; length * bytes];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start((start * bytes) as u64))
            .and_then(|_| file.read_exact(&mut data))
            .map_err(|error| named(&self.path, &error.to_string()))?;
        let token = |bytes: &[u8]| bytes.iter().rev().fold(0, |token, byte| (token << 8) | i64::from(*byte));
        let tokens: Vec<i64> = data.chunks_exact(bytes).map(token).collect();
        match tokens.iter().position(|token| *token >= vocabulary_size as i64) {
            Some(index) => {
                let (token, at) = (tokens[index], start + index);
                let cause =
                    format!("token {at} is {token}; expected one below {vocabulary_size}, the vocabulary");
                Err(named(&self.path, &cause))
            }
            None => Ok(tokens),
        }
    }
}
