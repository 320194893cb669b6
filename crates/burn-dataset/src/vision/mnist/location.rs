use std::env;
use std::path::{Path, PathBuf};

use super::file::{MnistFile, PUBLISHER};
use super::split::MnistSplit;
use crate::DatasetError;
use crate::files::cache_folder;

/// The variable that names a folder with the files, for a machine without a network.
const FOLDER_VARIABLE: &str = "BURN_MNIST_DIR";

/// The variable that names the address to download from.
const MIRROR_VARIABLE: &str = "BURN_MNIST_MIRROR";

/// Where the files of MNIST are looked for.
#[derive(Debug)]
pub(super) enum Location {
    /// In a folder that the user names, and published at an address.
    Folder { folder: PathBuf, publisher: &'static str },
    /// In the cache, which is filled from a mirror.
    Cache { folder: PathBuf, mirror: String },
}

impl Location {
    /// Asks the environment.
    ///
    /// # Errors
    /// If it names neither a folder nor a home for the cache.
    pub(super) fn from_environment() -> Result<Self, DatasetError> {
        if let Some(folder) = env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty()) {
            return Ok(Self::Folder { folder: folder.into(), publisher: PUBLISHER });
        }
        let mirror = env::var(MIRROR_VARIABLE).ok().filter(|mirror| !mirror.is_empty());
        Ok(Self::Cache {
            folder: cache_folder("mnist", FOLDER_VARIABLE)?,
            mirror: mirror.unwrap_or_else(|| PUBLISHER.to_owned()),
        })
    }

    /// Returns the path of a file, downloading it into the cache if need be.
    ///
    /// # Errors
    /// If it is not there and cannot be downloaded.
    pub(super) fn find(&self, file: &MnistFile, split: MnistSplit) -> Result<PathBuf, DatasetError> {
        let searched = match self {
            Self::Folder { folder, .. } => vec![folder.join(split.folder()), folder.clone()],
            Self::Cache { folder, .. } => vec![folder.join(split.folder())],
        };
        match searched.iter().find_map(|folder| file.find_in(folder)) {
            Some(path) => Ok(path),
            None => self.fetch(file, searched),
        }
    }

    /// Says how to replace a damaged file.
    pub(super) fn advice(&self, file: &MnistFile, path: &Path) -> String {
        match self {
            Self::Cache { .. } if cfg!(feature = "download") => {
                format!("Delete {}: the next run downloads it again", path.display())
            }
            Self::Folder { .. } | Self::Cache { .. } => format!("Replace it by {}", self.url(file)),
        }
    }

    fn url(&self, file: &MnistFile) -> String {
        match self {
            Self::Folder { publisher, .. } => file.url(publisher),
            Self::Cache { mirror, .. } => file.url(mirror),
        }
    }

    /// Says how to get a missing file.
    fn get_by_hand(&self, file: &MnistFile, folder: &Path) -> String {
        let (url, folder) = (self.url(file), folder.display());
        let by_hand = format!("Put {url} into {folder}, or set {FOLDER_VARIABLE} to a folder that has it");
        match self {
            Self::Cache { .. } if cfg!(feature = "download") => {
                format!("{by_hand} or {MIRROR_VARIABLE} to the address of a mirror")
            }
            Self::Cache { .. } => format!("{by_hand}, or enable the feature `download`"),
            Self::Folder { .. } => format!("Put {url} into {folder}"),
        }
    }

    fn missing(&self, file: &MnistFile, searched: Vec<PathBuf>) -> DatasetError {
        let advice = self.get_by_hand(file, &searched[searched.len() - 1]);
        DatasetError::Missing { file: file.published_name(), searched, advice }
    }

    #[cfg(feature = "download")]
    fn fetch(&self, file: &MnistFile, searched: Vec<PathBuf>) -> Result<PathBuf, DatasetError> {
        match self {
            Self::Folder { .. } => Err(self.missing(file, searched)),
            Self::Cache { mirror, .. } => {
                let path = searched[0].join(file.published_name());
                let download = super::download::Download {
                    url: file.url(mirror),
                    size: file.size,
                    sha256: file.sha256,
                    advice: self.get_by_hand(file, &searched[0]),
                };
                download.save(&path).map(|()| path)
            }
        }
    }

    #[cfg(not(feature = "download"))]
    fn fetch(&self, file: &MnistFile, searched: Vec<PathBuf>) -> Result<PathBuf, DatasetError> {
        Err(self.missing(file, searched))
    }
}
