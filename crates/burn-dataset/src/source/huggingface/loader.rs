use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::data_files::{EXTENSIONS, SplitFiles};
use super::database;
use super::hub::{FOLDER_VARIABLE, Hub, HubSplit, plain};
use crate::DatasetError;
use crate::files::{cache_folder, files_in};
use crate::source::SqliteDataset;

/// The variable that names the folder of the databases.
const CACHE_VARIABLE: &str = "BURN_HUGGINGFACE_CACHE";

/// The address of the hub, if no variable names that of a mirror.
const HUB: &str = "https://huggingface.co";

/// Loads a dataset of the [Hugging Face hub](https://huggingface.co/datasets) into a SQLite database, without
/// Python.
///
/// Data files are Parquet (not compressed, or by snappy or gzip), JSON lines and CSV with a header, the
/// latter two also with `.gz`. They come from the hub, or from a folder that is a clone of the repository of
/// the dataset: the environment variable `BURN_HUGGINGFACE_DIR` names the folder in which `owner/dataset` is
/// one, and nothing is downloaded then; [`with_folder`](Self::with_folder) names the one of this dataset.
/// `HF_ENDPOINT` is the address of a mirror of the hub, `HF_TOKEN` the token of a user.
///
/// Which split a file is of is read off its name or that of its folder: `train.csv`,
/// `data/train-00000-of-00002.parquet`, `en/validation/0.jsonl`. The database is kept below
/// `~/.cache/burn-dataset/huggingface`, or the folder that `BURN_HUGGINGFACE_CACHE` names, and is written
/// again when a file of the folder has changed. The folder may be deleted at any time.
///
/// Its rows have all columns, of which items take those that they have fields for. Lists, structs and bytes
/// are fields of type `Vec`, structs and `Vec<u8>`; times are integers in the unit of the file, decimals
/// texts. Empty cells of CSV are `None` in columns of numbers, and empty texts in columns of texts.
///
/// ```
/// use burn::data::dataset::Dataset;
/// use burn::data::dataset::source::HuggingfaceDatasetLoader;
///
/// #[derive(serde::Serialize, serde::Deserialize, Clone, Debug)]
/// struct Review {
///     text: String,
///     label: usize,
/// }
///
/// let clone = tempfile::tempdir()?;
/// std::fs::write(clone.path().join("train.csv"), "text,label\n\"good, but short\",1\nbad,0\n")?;
/// let loader = HuggingfaceDatasetLoader::new("someone/reviews").with_folder(clone.path());
/// # let loader = loader.with_base_dir(clone.path().join("databases"));
/// let train = loader.dataset::<Review>("train")?;
/// assert_eq!(train.len(), 2);
/// assert_eq!(train.get(0).unwrap().text, "good, but short");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct HuggingfaceDatasetLoader {
    name: String,
    subset: Option<String>,
    revision: Option<String>,
    folder: Option<PathBuf>,
    base_dir: Option<PathBuf>,
    endpoint: Option<String>,
    token: Option<String>,
    size_limit: u64,
}

/// Location of the files of a dataset.
enum DatasetFiles {
    Folder(PathBuf),
    Hub(Hub),
}

impl HuggingfaceDatasetLoader {
    /// Returns a loader of the dataset `owner/name`, or `name` for one of the first datasets of the hub.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            subset: None,
            revision: None,
            folder: None,
            base_dir: None,
            endpoint: None,
            token: None,
            size_limit: 64 << 30,
        }
    }

    /// Chooses a subset, which the hub also calls configuration; needed where there are several.
    #[must_use]
    pub fn with_subset(mut self, subset: &str) -> Self {
        self.subset = Some(subset.to_owned());
        self
    }

    /// Chooses a branch, a tag or a commit of the repository of the dataset on the hub.
    #[must_use]
    pub fn with_revision(mut self, revision: &str) -> Self {
        self.revision = Some(revision.to_owned());
        self
    }

    /// Reads the files of a folder, and downloads nothing.
    #[must_use]
    pub fn with_folder<P: AsRef<Path>>(mut self, folder: P) -> Self {
        self.folder = Some(folder.as_ref().to_owned());
        self
    }

    /// Keeps databases and downloaded files below `folder`.
    #[must_use]
    pub fn with_base_dir<P: AsRef<Path>>(mut self, folder: P) -> Self {
        self.base_dir = Some(folder.as_ref().to_owned());
        self
    }

    /// Downloads from a mirror of the hub, such as `https://hub.example.org`.
    #[must_use]
    pub fn with_endpoint(mut self, endpoint: &str) -> Self {
        self.endpoint = Some(endpoint.to_owned());
        self
    }

    /// Downloads as a user of the hub, for datasets that are private or gated.
    #[must_use]
    pub fn with_huggingface_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Sets the most bytes of the downloaded files of a split, and of its rows; 64 GiB by default.
    #[must_use]
    pub fn with_size_limit(mut self, bytes: u64) -> Self {
        self.size_limit = bytes;
        self
    }

    /// Returns the items of a split, such as `train`. The first call writes their database.
    ///
    /// # Errors
    /// If the dataset, the subset or the split is not there, a file cannot be downloaded or is not as its
    /// name says, the size is above the limit, the disk is full, or rows are not items of type `I`. No part
    /// of a database remains.
    pub fn dataset<I: DeserializeOwned>(&self, split: &str) -> Result<SqliteDataset<I>, DatasetError> {
        self.check_name()?;
        let base = match &self.base_dir {
            Some(folder) => folder.clone(),
            None => match variable(CACHE_VARIABLE) {
                Some(folder) => folder.into(),
                None => cache_folder("huggingface", CACHE_VARIABLE)?,
            },
        };
        let base = base.join(self.name.replace('/', "--"));
        let database = match self.source() {
            DatasetFiles::Folder(folder) => self.of_folder(&folder, split, &base)?,
            DatasetFiles::Hub(hub) => self.of_hub(&hub, split, &base)?,
        };
        SqliteDataset::open(database, split)
    }

    fn source(&self) -> DatasetFiles {
        let offline = variable(FOLDER_VARIABLE).map(|folder| Path::new(&folder).join(&self.name));
        match self.folder.clone().or(offline) {
            Some(folder) => DatasetFiles::Folder(folder),
            None => {
                let endpoint = self.endpoint.clone().or_else(|| variable("HF_ENDPOINT"));
                let endpoint = endpoint.unwrap_or_else(|| HUB.to_owned());
                DatasetFiles::Hub(Hub {
                    endpoint: endpoint.trim_end_matches('/').to_owned(),
                    token: self.token.clone().or_else(|| variable("HF_TOKEN")),
                    limit: self.size_limit,
                })
            }
        }
    }

    fn of_folder(&self, folder: &Path, split: &str, base: &Path) -> Result<PathBuf, DatasetError> {
        if !folder.is_dir() {
            return Err(DatasetError::Missing {
                file: format!("the dataset `{}`", self.name),
                searched: vec![folder.to_owned()],
                advice: "Clone its repository of the hub there".to_owned(),
            });
        }
        let below = |path: PathBuf| path.strip_prefix(folder).map(Path::to_owned).unwrap_or(path);
        let all = files_in(folder, &EXTENSIONS)?.into_iter().map(below);
        let files = SplitFiles::choose(all, split, self.subset.as_deref())
            .map_err(|error| error.of(folder.to_owned(), split, self.subset.as_deref()))?;
        let paths: Vec<PathBuf> = files.paths.iter().map(|path| folder.join(path)).collect();
        let absolute = fs::canonicalize(folder)
            .map_err(|source| DatasetError::Io { path: folder.to_owned(), source })?;
        let mut state = format!("{}\n{split}\n", absolute.display());
        paths.iter().try_for_each(|path| add_state(path, &mut state))?;
        let database = database_path(base, split, &state);
        if !database.is_file() {
            database::write(&database, split, files.format, &paths, self.size_limit)?;
        }
        Ok(database)
    }

    fn of_hub(&self, hub: &Hub, split: &str, base: &Path) -> Result<PathBuf, DatasetError> {
        let Self { name, subset, revision, .. } = self;
        let database = database_path(
            base,
            split,
            &format!("{}\n{name}\n{revision:?}\n{subset:?}\n{split}", hub.endpoint),
        );
        if !database.is_file() {
            let wanted = HubSplit { name, revision: revision.as_deref(), subset: subset.as_deref(), split };
            let (format, files) = hub.fetch(wanted, &base.join("files"))?;
            database::write(&database, split, format, &files, self.size_limit)?;
        }
        Ok(database)
    }

    /// The name becomes a part of addresses and paths.
    fn check_name(&self) -> Result<(), DatasetError> {
        let is_plain = |part: &str| {
            let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            !part.is_empty() && !part.starts_with('.') && part.bytes().all(known)
        };
        if self.name.split('/').count() <= 2 && self.name.split('/').all(is_plain) {
            return Ok(());
        }
        Err(DatasetError::Missing {
            file: format!("a dataset `{}`", self.name),
            searched: vec![PathBuf::from(HUB)],
            advice: "A name is `owner/dataset` or `dataset`, of letters, digits, `-`, `_` and `.`".to_owned(),
        })
    }
}

/// The database of a split in the state that a text describes: other files have another one.
fn database_path(base: &Path, split: &str, state: &str) -> PathBuf {
    let hash = Sha256::digest(state);
    let hash: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    base.join(format!("{}-{hash}.db", plain(split)))
}

/// Adds name, size and time of a file.
fn add_state(path: &Path, state: &mut String) -> Result<(), DatasetError> {
    let io_error = |source| DatasetError::Io { path: path.to_owned(), source };
    let metadata = fs::metadata(path).map_err(io_error)?;
    let time = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let _ = writeln!(state, "{} {} {:?}", path.display(), metadata.len(), time);
    Ok(())
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
