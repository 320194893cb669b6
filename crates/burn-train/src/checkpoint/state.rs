use super::CheckpointError;
use crate::history::MetricHistory;
use burn_io::Bounded;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path};

/// A run of ten thousand epochs with ten metrics has 15 MB.
const MOST_BYTES: u64 = 64 << 20;

/// State of a run in a checkpoint, beside model, optimizer and scheduler, and the list of its files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckpointState {
    /// The version of this file's form.
    pub version: u32,
    /// Later checkpoints of a folder have higher numbers, also over several runs.
    pub serial: u64,
    /// The epoch, from 1.
    pub epoch: usize,
    /// The batches of the epoch that were learnt from, where it was stopped in its middle.
    pub batches: Option<usize>,
    /// The learning rate of the last step.
    pub lr: Option<f64>,
    /// Seed of the random numbers of the run.
    pub seed: u64,
    /// The training batches of the run so far.
    #[serde(default)]
    pub steps: u64,
    /// The numeric metrics so far.
    pub history: MetricHistory,
    /// The files of the checkpoint, without this one.
    pub files: Vec<CheckpointFile>,
}

/// A file of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointFile {
    /// The name in the folder of the checkpoints.
    pub name: String,
    /// The number of bytes.
    pub bytes: u64,
    /// The CRC-32 of the bytes.
    pub crc32: u32,
}

impl CheckpointState {
    /// The version that this program writes.
    pub const VERSION: u32 = 1;

    /// Reads the file at `path`.
    pub(super) fn read(path: &Path) -> Result<Self, CheckpointError> {
        let file = burn_io::open_file(path).map_err(CheckpointError::io(path))?;
        let mut text = Vec::new();
        Bounded::new(file, MOST_BYTES).read_to_end(&mut text).map_err(CheckpointError::io(path))?;
        let damaged = |reason: String| CheckpointError::Damaged { path: path.to_path_buf(), reason };
        let state: Self = serde_json::from_slice(&text).map_err(|cause| damaged(cause.to_string()))?;
        if let Some(file) = state.files.iter().find(|file| !is_file_name(&file.name)) {
            return Err(damaged(format!("`{}` is no name of a file beside it", file.name)));
        }
        match state.version {
            Self::VERSION => Ok(state),
            other => Err(damaged(format!("it has version {other}, this program reads {}", Self::VERSION))),
        }
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), CheckpointError> {
        let text = serde_json::to_string_pretty(self).map_err(io::Error::from);
        let text = text.map_err(CheckpointError::io(path))?;
        let write = &mut |file: &mut dyn io::Write| file.write_all(text.as_bytes());
        burn_io::write_atomic(path, write).map_err(CheckpointError::io(path))
    }
}

impl CheckpointFile {
    /// Describes the file `name` of a folder.
    pub(super) fn of(folder: &Path, name: &str) -> Result<Self, CheckpointError> {
        let path = folder.join(name);
        let (bytes, crc32) = checksum(&path).map_err(CheckpointError::io(&path))?;
        Ok(Self { name: name.to_string(), bytes, crc32 })
    }

    /// Whether a file of this name and size is there.
    pub(super) fn is_in(&self, folder: &Path) -> bool {
        fs::metadata(folder.join(&self.name)).is_ok_and(|file| file.is_file() && file.len() == self.bytes)
    }

    /// Reads the file and compares it with what was written.
    pub(super) fn verify(&self, folder: &Path) -> Result<(), CheckpointError> {
        let path = folder.join(&self.name);
        let (bytes, crc32) = checksum(&path).map_err(CheckpointError::io(&path))?;
        let reason = if bytes != self.bytes {
            format!("it has {bytes} bytes, {} were written", self.bytes)
        } else if crc32 != self.crc32 {
            format!("its checksum is {crc32:08x}, {:08x} was written", self.crc32)
        } else {
            return Ok(());
        };
        Err(CheckpointError::Damaged { path, reason })
    }
}

/// Whether a file of this name is in the folder itself: what a checkpoint lists is deleted with it.
fn is_file_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name)
}

fn checksum(path: &Path) -> io::Result<(u64, u32)> {
    let mut file = burn_io::open_file(path)?;
    let (mut hasher, mut buffer, mut bytes) = (crc32fast::Hasher::new(), vec![0; 1 << 16], 0);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((bytes, hasher.finalize())),
            read => {
                hasher.update(&buffer[..read]);
                bytes += read as u64;
            }
        }
    }
}
