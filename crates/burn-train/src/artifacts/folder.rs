use super::lock::RunLock;
use crate::TrainError;
use crate::logger::ApplicationLoggerInstaller;
use std::path::Path;

/// An artifact folder that this run has for itself until it is dropped.
pub(crate) struct ArtifactFolder {
    lock: RunLock,
    logger: Option<Box<dyn ApplicationLoggerInstaller>>,
}

impl ArtifactFolder {
    /// Makes the folder, takes its lock and begins the log of the program.
    ///
    /// # Errors
    /// If the folder cannot be written, or another run has it.
    pub(crate) fn open(
        folder: &Path,
        logger: Option<Box<dyn ApplicationLoggerInstaller>>,
    ) -> Result<Self, TrainError> {
        let (lock, stale) = RunLock::take(folder)?;
        let opened = Self { lock, logger };
        opened.begin_log();
        if let Some(owner) = stale {
            tracing::warn!("the lock of {owner} is taken over: that process ended without giving it back");
        }
        Ok(opened)
    }

    /// Makes the folder anew if it was removed.
    ///
    /// # Errors
    /// If it cannot be made, or another run has made it meanwhile.
    pub(crate) fn restore(&mut self) -> Result<(), TrainError> {
        if self.lock.renew()? {
            self.begin_log();
            tracing::warn!(
                "the artifact folder `{}`, or `run.lock` in it, was removed during the run; it is made anew, and what else was \
                 removed is lost",
                self.lock.folder().display()
            );
        }
        Ok(())
    }

    fn begin_log(&self) {
        if let Some(Err(error)) = self.logger.as_ref().map(|logger| logger.install()) {
            tracing::warn!("the log of the program cannot be kept: {error}");
        }
    }
}
