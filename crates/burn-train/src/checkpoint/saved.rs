use super::{CheckpointError, CheckpointState, Part};
use burn_core::module::Module;
use burn_core::record::FileRecorder;
use burn_core::tensor::Backend;
use std::path::{Path, PathBuf};

/// A complete checkpoint on the disk.
#[derive(Clone, Debug)]
pub struct SavedCheckpoint {
    folder: PathBuf,
    state: CheckpointState,
}

impl SavedCheckpoint {
    pub(super) fn new(folder: &Path, state: CheckpointState) -> Self {
        Self { folder: folder.to_path_buf(), state }
    }

    /// Returns what it holds beside the parts.
    pub fn state(&self) -> &CheckpointState {
        &self.state
    }

    /// Returns the path of a part without extension, as recorders take it.
    pub fn path(&self, part: Part) -> PathBuf {
        self.folder.join(part.stem(self.state.epoch))
    }

    /// Returns the file of a part, for messages.
    pub fn file(&self, part: Part) -> PathBuf {
        let stem = part.stem(self.state.epoch);
        let is_part = |name: &str| name.strip_prefix(&stem).is_some_and(|rest| rest.starts_with('.'));
        let file = self.state.files.iter().find(|file| is_part(&file.name));
        file.map_or_else(|| self.path(part), |file| self.folder.join(&file.name))
    }

    /// Reads all files and compares them with what was written.
    ///
    /// # Errors
    /// If a file is not as it was written.
    pub fn verify(&self) -> Result<(), CheckpointError> {
        self.state.files.iter().try_for_each(|file| file.verify(&self.folder))
    }

    /// Returns `model` with the parameters of this checkpoint, which a run saved in files of the format of
    /// `recorder`.
    ///
    /// # Errors
    /// If the file cannot be read, or is of another model.
    pub fn load_model<B: Backend, M: Module<B>, R: FileRecorder<B>>(
        &self,
        model: M,
        recorder: &R,
        device: &B::Device,
    ) -> Result<M, CheckpointError> {
        Ok(model.load_file(self.path(Part::Model), recorder, device)?)
    }
}
