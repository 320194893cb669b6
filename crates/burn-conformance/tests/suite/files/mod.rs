//! Damaged and hostile files for every reader: each is loaded or refused, within a bound of memory and
//! without a panic.

mod bytes;
mod capture;
mod dataset;
mod language_model;
mod onnx;
mod record;
mod target;
mod train;
mod weights;

use burn_conformance::fuzz::Random;
use bytes::{damage, hostile};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use target::Target;

/// Memory of a load beside the file: the overhead of a record, which a vector that grows may take three
/// times.
const MOST_MEMORY: usize = 512 << 20;

/// A tensor of JSON takes eight bytes for two; what is read last is in memory twice.
const MOST_MEMORY_PER_BYTE: usize = 16;

/// The readers, each with a file that it reads.
pub struct Files {
    folder: PathBuf,
    targets: Vec<Target>,
}

/// How bytes become others.
type Change = fn(&mut Random, &[u8]) -> Vec<u8>;

/// Outcome of loading a file.
pub enum Outcome {
    Loaded,
    Refused,
}

impl Files {
    /// Writes a good file for each reader below the folder for temporary files. Only readers whose names
    /// begin with `reader` are tried; there is no value if there are none.
    pub fn new(seed: u64, reader: &str) -> Option<Self> {
        let folder = std::env::temp_dir().join(format!("burn-files-{}-{seed}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
        let mut targets = record::targets(&folder);
        targets.extend(dataset::targets(&folder));
        targets.extend(capture::targets(&folder));
        targets.extend(train::targets(&folder));
        targets.extend(weights::targets(&folder));
        targets.extend(onnx::targets(&folder));
        targets.extend(language_model::targets(&folder));
        for target in &targets {
            if let Err(error) = (target.load)(&folder) {
                panic!("{}: the good file is refused: {error}", target.name);
            }
        }
        let mut files = Files { folder, targets };
        files.targets.retain(|target| target.name.starts_with(reader));
        (!files.targets.is_empty()).then_some(files)
    }

    /// Returns the names of the readers.
    pub fn readers(&self) -> Vec<&'static str> {
        self.targets.iter().map(|target| target.name).collect()
    }

    /// Loads one file by a random reader. Returns its index in [`Files::readers`], and what came of the file,
    /// or what is wrong with that. `peak` runs a load and returns the most memory that it took.
    pub fn run(
        &self,
        random: &mut Random,
        peak: &dyn Fn(&mut dyn FnMut()) -> usize,
    ) -> (usize, Result<Outcome, String>) {
        let reader = random.below(self.targets.len());
        (reader, self.load(&self.targets[reader], random, peak))
    }

    fn load(
        &self,
        target: &Target,
        random: &mut Random,
        peak: &dyn Fn(&mut dyn FnMut()) -> usize,
    ) -> Result<Outcome, String> {
        let (change, what): (Change, _) = match random.below(4) {
            0 => (hostile, "hostile"),
            _ => (damage, "damaged"),
        };
        let file = target.changed(random, change);
        let path = self.folder.join(target.file);
        std::fs::write(&path, &file).expect("the folder can be written");
        let mut outcome = None;
        let memory = peak(&mut || {
            outcome = Some(catch_unwind(AssertUnwindSafe(|| (target.load)(&self.folder))));
        });
        std::fs::write(&path, &target.good).expect("the folder can be written");
        let kept = self.folder.join(format!("{}.failed", target.name));
        let failed = |cause: String| {
            let _ = std::fs::write(&kept, &file);
            Err(format!("{}: {what} file of {} bytes ({}): {cause}", target.name, file.len(), kept.display()))
        };
        if memory > MOST_MEMORY + MOST_MEMORY_PER_BYTE * file.len() {
            return failed(format!("took {memory} bytes of memory"));
        }
        match outcome {
            Some(Ok(Ok(()))) => Ok(Outcome::Loaded),
            Some(Ok(Err(error))) if error.is_empty() => failed("refused without a word".to_string()),
            Some(Ok(Err(_))) => Ok(Outcome::Refused),
            Some(Err(_)) | None => failed("panicked".to_string()),
        }
    }
}

impl Drop for Files {
    /// Leaves the files that something went wrong with.
    fn drop(&mut self) {
        let failed = |path: &Path| path.extension().is_some_and(|extension| extension == "failed");
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        if !entries.map(|entry| entry.path()).any(|path| failed(&path)) {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}
