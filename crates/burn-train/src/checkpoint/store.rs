use super::{CheckpointError, CheckpointFile, CheckpointState, Part, SavedCheckpoint};
use crate::Split;
use crate::history::{Aggregate, Direction};
use burn_core::record::RecordError;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The folder of the checkpoints of a run.
#[derive(Clone, Debug)]
pub struct CheckpointStore {
    folder: PathBuf,
}

impl CheckpointStore {
    /// Opens the folder, which need not be there, and finishes or undoes what a killed program left.
    ///
    /// # Errors
    /// If the folder cannot be read or written.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, CheckpointError> {
        let store = Self { folder: folder.into() };
        for name in store.names()? {
            let path = store.folder.join(&name);
            if name.starts_with(STAGE) {
                store.recover(&path, staged_epoch(&name))?;
            } else if name.starts_with(DELETION) {
                store.finish_deletion(&path)?;
            }
        }
        Ok(store)
    }

    /// Opens the folder of another process, which recovers it.
    pub(crate) fn of_other_process(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Saves a checkpoint; one of the same epoch is replaced in one step.
    ///
    /// `write` is given each part, of which it may leave some out, and the path without extension at which a
    /// recorder is to save it. The list of files and the serial number of `state` are filled in here.
    ///
    /// # Errors
    /// If a part cannot be written. The checkpoints are then as they were.
    pub fn save(
        &self,
        mut state: CheckpointState,
        write: &mut dyn FnMut(Part, PathBuf) -> Result<(), RecordError>,
    ) -> Result<(), CheckpointError> {
        let stage = self.folder.join(format!("{STAGE}{}", state.epoch));
        self.clear(&stage)?;
        fs::create_dir_all(&stage).map_err(CheckpointError::io(&stage))?;
        let staged = self.stage(&stage, &mut state, write);
        if let Err(error) = staged {
            // The error that is reported is the first one.
            let _ = self.clear(&stage);
            return Err(error);
        }
        self.publish(&stage, &state)
    }

    /// Returns the complete checkpoints, by epoch.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn complete(&self) -> Result<Vec<SavedCheckpoint>, CheckpointError> {
        let epochs = self.names()?.into_iter().filter_map(|name| marked_epoch(&name));
        let mut found: Vec<SavedCheckpoint> = epochs.filter_map(|epoch| self.find(epoch)).collect();
        found.sort_by_key(|saved| saved.state().epoch);
        Ok(found)
    }

    /// Returns the checkpoint of an epoch, whose files are read and found to be whole.
    ///
    /// # Errors
    /// If there is none that is complete, or if a file is not as it was written.
    pub fn load(&self, epoch: usize) -> Result<SavedCheckpoint, CheckpointError> {
        let Some(saved) = self.find(epoch) else {
            let complete = self.complete()?.iter().map(|saved| saved.state().epoch).collect();
            return Err(CheckpointError::Missing { epoch, folder: self.folder.clone(), complete });
        };
        saved.verify()?;
        Ok(saved)
    }

    /// Returns the checkpoint that was saved last and is whole; those that are not are passed over, and
    /// logged.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn newest(&self) -> Result<Option<SavedCheckpoint>, CheckpointError> {
        let mut complete = self.complete()?;
        complete.sort_by_key(|saved| std::cmp::Reverse(saved.state().serial));
        let mut passed_over: Vec<String> = Vec::new();
        let marked: Vec<usize> = self.names()?.iter().filter_map(|name| marked_epoch(name)).collect();
        for epoch in marked {
            if complete.iter().all(|saved| saved.state().epoch != epoch) {
                passed_over.push(format!("that of epoch {epoch} lacks files or its state cannot be read"));
            }
        }
        let newest = complete.into_iter().find(|saved| {
            let verified = saved.verify();
            passed_over.extend(verified.as_ref().err().map(ToString::to_string));
            verified.is_ok()
        });
        if !passed_over.is_empty() {
            let taken =
                newest.as_ref().map_or("none".to_string(), |saved| format!("epoch {}", saved.state().epoch));
            let reasons = passed_over.join("; ");
            tracing::warn!("checkpoints are passed over: {reasons}. The newest whole one: {taken}");
        }
        Ok(newest)
    }

    /// Returns the complete checkpoint of the epoch that is best by a metric, the first of equals, whose
    /// files are read and found to be whole.
    ///
    /// ```
    /// use burn::train::Split;
    /// use burn::train::checkpoint::CheckpointStore;
    /// use burn::train::history::{Aggregate, Direction};
    ///
    /// # let artifacts = tempfile::tempdir()?;
    /// let store = CheckpointStore::open(artifacts.path().join("checkpoint"))?;
    /// let best = store.best((Split::Valid, "Loss"), (Aggregate::Mean, Direction::Lowest))?;
    /// # assert!(best.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the folder cannot be read, or a file of that checkpoint is not as it was written.
    pub fn best(
        &self,
        metric: (Split, &str),
        (aggregate, direction): (Aggregate, Direction),
    ) -> Result<Option<SavedCheckpoint>, CheckpointError> {
        let complete = self.complete()?;
        let Some(latest) = complete.iter().max_by_key(|saved| saved.state().serial) else { return Ok(None) };
        let epochs = complete.iter().filter(|saved| saved.state().batches.is_none());
        let epochs = epochs.map(|saved| saved.state().epoch);
        let best = latest.state().history.best_epoch(metric, (aggregate, direction), epochs);
        best.map(|epoch| self.load(epoch)).transpose()
    }

    /// Deletes the checkpoint of an epoch.
    ///
    /// # Errors
    /// If a file cannot be deleted.
    pub fn delete(&self, epoch: usize) -> Result<(), CheckpointError> {
        if self.find(epoch).is_none() {
            return Ok(());
        }
        // Without its state it is no checkpoint any more; under its other name the state says what a kill
        // leaves to delete.
        let (state, deletion) = (state_name(epoch), format!("{DELETION}{epoch}.json"));
        let (state, deletion) = (self.folder.join(state), self.folder.join(deletion));
        fs::rename(&state, &deletion).map_err(CheckpointError::io(&state))?;
        self.finish_deletion(&deletion)
    }

    /// Deletes the files that a state lists, and the state at last.
    fn finish_deletion(&self, deletion: &Path) -> Result<(), CheckpointError> {
        let listed = CheckpointState::read(deletion).map(|state| state.files).unwrap_or_default();
        let listed = listed.iter().map(|file| self.folder.join(&file.name));
        for path in listed.chain([deletion.to_path_buf()]) {
            match fs::remove_file(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed.map_err(CheckpointError::io(&path))?,
            }
        }
        Ok(())
    }

    /// Writes everything into the folder `stage`, the state last.
    fn stage(
        &self,
        stage: &Path,
        state: &mut CheckpointState,
        write: &mut dyn FnMut(Part, PathBuf) -> Result<(), RecordError>,
    ) -> Result<(), CheckpointError> {
        for part in Part::ALL {
            write(part, stage.join(part.stem(state.epoch)))?;
        }
        let mut names = names(stage)?;
        names.sort();
        state.version = CheckpointState::VERSION;
        state.files = names.iter().map(|name| CheckpointFile::of(stage, name)).collect::<Result<_, _>>()?;
        state.serial = 1 + self.complete()?.iter().map(|saved| saved.state().serial).max().unwrap_or(0);
        sync(stage);
        state.write(&stage.join(state_name(state.epoch)))
    }

    /// Moves the files in `stage` to the checkpoint's folder, the state last. May be repeated after a kill.
    fn publish(&self, stage: &Path, state: &CheckpointState) -> Result<(), CheckpointError> {
        let replaced = CheckpointState::read(&self.folder.join(state_name(state.epoch))).ok();
        let parts = state.files.iter().map(|file| file.name.clone());
        for name in parts.chain(std::iter::once(state_name(state.epoch))) {
            let (from, to) = (stage.join(&name), self.folder.join(&name));
            match fs::rename(&from, &to) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && to.exists() => {}
                moved => moved.map_err(CheckpointError::io(&to))?,
            }
        }
        // Files of the replaced one with another extension.
        let old = replaced.into_iter().flat_map(|state| state.files);
        for file in old.filter(|old| state.files.iter().all(|new| new.name != old.name)) {
            let _ = fs::remove_file(self.folder.join(file.name));
        }
        sync(&self.folder);
        self.clear(stage)
    }

    /// Finishes the save of a killed program if it had written everything, else undoes it.
    fn recover(&self, stage: &Path, epoch: Option<usize>) -> Result<(), CheckpointError> {
        let state = epoch.and_then(|epoch| CheckpointState::read(&stage.join(state_name(epoch))).ok());
        // Files are in either folder, unless two programs wrote at the same time.
        let is_whole = |state: &CheckpointState| {
            state.files.iter().all(|file| file.is_in(stage) || file.is_in(&self.folder))
        };
        match state.filter(is_whole) {
            Some(state) => self.publish(stage, &state),
            None => {
                tracing::warn!("`{}` holds no whole checkpoint and is removed", stage.display());
                self.clear(stage)
            }
        }
    }

    /// Returns the checkpoint of an epoch if all its files are there.
    pub(super) fn find(&self, epoch: usize) -> Option<SavedCheckpoint> {
        let state = CheckpointState::read(&self.folder.join(state_name(epoch))).ok()?;
        let complete = state.epoch == epoch && state.files.iter().all(|file| file.is_in(&self.folder));
        complete.then(|| SavedCheckpoint::new(&self.folder, state))
    }

    fn names(&self) -> Result<Vec<String>, CheckpointError> {
        names(&self.folder)
    }

    fn clear(&self, stage: &Path) -> Result<(), CheckpointError> {
        let removed = match fs::symlink_metadata(stage) {
            Ok(found) if !found.is_dir() => fs::remove_file(stage),
            Ok(_) | Err(_) => fs::remove_dir_all(stage),
        };
        match removed {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            cleared => cleared.map_err(CheckpointError::io(stage)),
        }
    }
}

/// The folder in which the checkpoint of an epoch is made.
const STAGE: &str = ".saving-";

/// The beginning of the name of a state whose checkpoint is being deleted.
const DELETION: &str = ".deleting-";

fn staged_epoch(name: &str) -> Option<usize> {
    name.strip_prefix(STAGE)?.parse().ok()
}

fn state_name(epoch: usize) -> String {
    format!("state-{epoch}.json")
}

fn marked_epoch(name: &str) -> Option<usize> {
    name.strip_prefix("state-")?.strip_suffix(".json")?.parse().ok()
}

/// Returns the names in a folder, none if it is not there.
fn names(folder: &Path) -> Result<Vec<String>, CheckpointError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(CheckpointError::io(folder))?,
    };
    let names: io::Result<Vec<_>> = entries.map(|entry| Ok(entry?.file_name())).collect();
    let names = names.map_err(CheckpointError::io(folder))?;
    Ok(names.into_iter().filter_map(|name| name.into_string().ok()).collect())
}

/// Makes the names of a folder durable, where folders can be opened.
fn sync(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn save(store: &CheckpointStore, epoch: usize, content: &str) -> Result<(), CheckpointError> {
        let state = CheckpointState { epoch, seed: 7, ..Default::default() };
        store.save(state, &mut |part, path| {
            let path = path.with_extension("mpk");
            if !matches!(part, Part::Average | Part::GradScaler) {
                fs::write(path, format!("{part:?} {content}")).expect("the folder is there");
            }
            Ok(())
        })
    }

    fn model(folder: &Path, epoch: usize) -> String {
        fs::read_to_string(folder.join(format!("model-{epoch}.mpk"))).unwrap()
    }

    fn complete(store: &CheckpointStore) -> Vec<usize> {
        store.complete().unwrap().iter().map(|saved| saved.state().epoch).collect()
    }

    fn listing(folder: &Path) -> Vec<String> {
        let mut names = names(folder).unwrap();
        names.sort();
        names
    }

    #[test]
    fn a_checkpoint_is_four_files() {
        let folder = tempfile::tempdir().unwrap();
        let store = CheckpointStore::open(folder.path()).unwrap();
        save(&store, 3, "a").unwrap();
        assert_eq!(listing(folder.path()), ["model-3.mpk", "optim-3.mpk", "scheduler-3.mpk", "state-3.json"]);
        let saved = store.load(3).unwrap();
        assert_eq!((saved.state().seed, saved.state().serial), (7, 1));
        assert_eq!(saved.path(Part::Optim), folder.path().join("optim-3"));
        store.delete(3).unwrap();
        assert!(listing(folder.path()).is_empty());
    }

    #[test]
    fn a_missing_or_damaged_checkpoint_is_an_error_that_says_which() {
        let folder = tempfile::tempdir().unwrap();
        let store = CheckpointStore::open(folder.path().join("checkpoint")).unwrap();
        let error = store.load(2).unwrap_err().to_string();
        assert!(error.contains("no complete checkpoint of epoch 2; it has none at all"), "{error}");
        save(&store, 1, "a").unwrap();
        save(&store, 2, "b").unwrap();
        let error = store.load(5).unwrap_err().to_string();
        assert!(error.contains("epoch 5; it has those of epoch 1, 2"), "{error}");

        fs::write(folder.path().join("checkpoint/model-2.mpk"), "Model c").unwrap();
        let error = store.load(2).unwrap_err();
        assert!(matches!(&error, CheckpointError::Damaged { path, .. } if path.ends_with("model-2.mpk")));
        assert_eq!(store.newest().unwrap().unwrap().state().epoch, 1);
        fs::write(folder.path().join("checkpoint/model-2.mpk"), "Mod").unwrap();
        assert_eq!(complete(&store), [1]);
    }

    #[test]
    fn a_part_that_fails_leaves_the_old_checkpoint() {
        let folder = tempfile::tempdir().unwrap();
        let store = CheckpointStore::open(folder.path()).unwrap();
        save(&store, 1, "old").unwrap();
        let before = listing(folder.path());
        let failed = store.save(CheckpointState { epoch: 1, ..Default::default() }, &mut |part, path| {
            fs::write(path.with_extension("mpk"), "new").expect("the folder is there");
            match part {
                Part::Scheduler => Err(RecordError::File { path: "scheduler".into(), cause: "full".into() }),
                Part::Model | Part::Optim | Part::Average | Part::GradScaler => Ok(()),
            }
        });
        assert!(matches!(failed, Err(CheckpointError::Record(_))));
        assert_eq!(listing(folder.path()), before);
        store.load(1).unwrap();
        assert_eq!(model(folder.path(), 1), "Model old");
    }

    /// Every state of the disk during a save that replaces a checkpoint.
    #[test]
    fn a_kill_at_any_step_leaves_one_whole_checkpoint() {
        let parts = ["model-1.mpk", "optim-1.mpk", "scheduler-1.mpk", "state-1.json"];
        let new = tempfile::tempdir().unwrap();
        save(&CheckpointStore::open(new.path()).unwrap(), 1, "new").unwrap();
        for written in 0..=4 {
            for moved in 0..=4 {
                if moved > 0 && written < 4 {
                    continue;
                }
                let folder = tempfile::tempdir().unwrap();
                save(&CheckpointStore::open(folder.path()).unwrap(), 1, "old").unwrap();
                let stage = folder.path().join(".saving-1");
                fs::create_dir(&stage).unwrap();
                for name in &parts[..written] {
                    fs::copy(new.path().join(name), stage.join(name)).unwrap();
                }
                for name in &parts[..moved] {
                    fs::rename(stage.join(name), folder.path().join(name)).unwrap();
                }

                let store = CheckpointStore::open(folder.path()).unwrap();
                let saved = store.load(1).unwrap_or_else(|error| panic!("{written} {moved}: {error}"));
                saved.verify().unwrap();
                let expected = if written == 4 { "Model new" } else { "Model old" };
                assert_eq!(model(folder.path(), 1), expected, "{written} {moved}");
                assert_eq!(listing(folder.path()), parts, "{written} {moved}");
            }
        }
    }

    /// The state is renamed, files go one by one, and the state is the last.
    #[test]
    fn a_deletion_that_a_kill_cuts_off_is_finished() {
        let whole = ["model-2.mpk", "optim-2.mpk", "scheduler-2.mpk", "state-2.json"];
        for deleted in 0..=3 {
            let folder = tempfile::tempdir().unwrap();
            let store = CheckpointStore::open(folder.path()).unwrap();
            save(&store, 1, "old").unwrap();
            save(&store, 2, "new").unwrap();
            fs::rename(folder.path().join("state-1.json"), folder.path().join(".deleting-1.json")).unwrap();
            for part in [Part::Model, Part::Optim, Part::Scheduler].into_iter().take(deleted) {
                fs::remove_file(folder.path().join(part.stem(1)).with_extension("mpk")).unwrap();
            }
            assert_eq!(complete(&store), [2], "{deleted}");
            let store = CheckpointStore::open(folder.path()).unwrap();
            assert_eq!(listing(folder.path()), whole, "{deleted}");
            assert_eq!(complete(&store), [2], "{deleted}");
        }
    }

    #[test]
    fn half_a_state_in_the_stage_is_thrown_away() {
        let folder = tempfile::tempdir().unwrap();
        save(&CheckpointStore::open(folder.path()).unwrap(), 1, "old").unwrap();
        fs::create_dir(folder.path().join(".saving-2")).unwrap();
        fs::write(folder.path().join(".saving-2/state-2.json"), "{\"version\": 1, \"epo").unwrap();
        fs::write(folder.path().join("model-2.mpk"), "Mo").unwrap();
        let store = CheckpointStore::open(folder.path()).unwrap();
        assert_eq!(complete(&store), [1]);
        assert!(!folder.path().join(".saving-2").exists());
    }

    /// Two programs that save the same epoch take each other's files.
    #[test]
    fn a_stage_whose_files_are_gone_is_thrown_away() {
        let folder = tempfile::tempdir().unwrap();
        let store = CheckpointStore::open(folder.path()).unwrap();
        save(&store, 1, "old").unwrap();
        save(&store, 2, "new").unwrap();
        let stage = folder.path().join(".saving-2");
        fs::create_dir(&stage).unwrap();
        fs::rename(folder.path().join("state-2.json"), stage.join("state-2.json")).unwrap();
        fs::remove_file(folder.path().join("model-2.mpk")).unwrap();
        fs::write(folder.path().join(".saving-x"), "no folder").unwrap();
        let store = CheckpointStore::open(folder.path()).unwrap();
        assert_eq!(store.newest().unwrap().unwrap().state().epoch, 1);
        assert!(!stage.exists() && !folder.path().join(".saving-x").exists());
        save(&store, 2, "again").unwrap();
        assert_eq!(store.newest().unwrap().unwrap().state().epoch, 2);
    }

    #[test]
    fn the_newest_is_the_one_saved_last() {
        let folder = tempfile::tempdir().unwrap();
        let store = CheckpointStore::open(folder.path()).unwrap();
        assert!(store.newest().unwrap().is_none());
        for epoch in [1, 2, 3, 2] {
            save(&store, epoch, "a").unwrap();
        }
        let newest = store.newest().unwrap().unwrap();
        assert_eq!((newest.state().epoch, newest.state().serial), (2, 4));
    }

    #[test]
    fn another_extension_replaces_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let store = CheckpointStore::open(folder.path()).unwrap();
        save(&store, 1, "a").unwrap();
        let state = CheckpointState { epoch: 1, ..Default::default() };
        let write = &mut |part, path: PathBuf| {
            if part != Part::Average && part != Part::GradScaler {
                fs::write(path.with_extension("bin"), "b").expect("the folder is there");
            }
            Ok(())
        };
        store.save(state, write).unwrap();
        assert_eq!(listing(folder.path()), ["model-1.bin", "optim-1.bin", "scheduler-1.bin", "state-1.json"]);
    }

    #[test]
    fn a_state_of_a_later_version_is_no_checkpoint() {
        let folder = tempfile::tempdir().unwrap();
        let store = CheckpointStore::open(folder.path()).unwrap();
        save(&store, 1, "a").unwrap();
        let path = folder.path().join("state-1.json");
        let text = fs::read_to_string(&path).unwrap().replace("\"version\": 1", "\"version\": 2");
        fs::write(&path, text).unwrap();
        assert!(complete(&store).is_empty());
    }

    #[test]
    fn a_state_that_lists_files_elsewhere_is_no_checkpoint() {
        let folder = tempfile::tempdir().unwrap();
        let store = CheckpointStore::open(folder.path().join("checkpoint")).unwrap();
        save(&store, 1, "a").unwrap();
        let outside = folder.path().join("outside");
        fs::write(&outside, "Model a").unwrap();
        let path = folder.path().join("checkpoint/state-1.json");
        let text = fs::read_to_string(&path).unwrap();
        for name in ["../outside", &outside.display().to_string(), "./model-1.mpk", "..", ""] {
            fs::write(&path, text.replace("model-1.mpk", name)).unwrap();
            assert!(complete(&store).is_empty(), "{name}");
            store.delete(1).unwrap();
            assert!(outside.exists(), "{name}");
        }
    }

    #[test]
    fn a_state_without_end_is_no_checkpoint() {
        let folder = tempfile::tempdir().unwrap();
        let store = CheckpointStore::open(folder.path()).unwrap();
        save(&store, 1, "a").unwrap();
        // A hole of the file system: zeros that take no room.
        let state = File::options().write(true).open(folder.path().join("state-1.json")).unwrap();
        state.set_len(1 << 40).unwrap();
        let error = CheckpointState::read(&folder.path().join("state-1.json")).unwrap_err().to_string();
        assert!(error.contains("larger than its limit"), "{error}");
        assert!(complete(&store).is_empty());
    }
}
