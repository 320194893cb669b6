use std::path::{Path, PathBuf};

/// Where the files are published.
pub(super) const PUBLISHER: &str = "https://storage.googleapis.com/cvdf-datasets/mnist";

/// A published file of MNIST.
#[derive(Debug)]
pub(super) struct MnistFile {
    /// The name without the ending `.gz`.
    pub(super) name: &'static str,
    /// Another name under which copies go around.
    other_name: &'static str,
    /// The size of the gzip file in bytes.
    #[cfg(feature = "download")]
    pub(super) size: u64,
    /// The SHA-256 of the gzip file.
    #[cfg(feature = "download")]
    pub(super) sha256: &'static str,
}

macro_rules! file {
    ($name:literal, $other_name:literal, $size:literal, $sha256:literal) => {
        MnistFile {
            name: $name,
            other_name: $other_name,
            #[cfg(feature = "download")]
            size: $size,
            #[cfg(feature = "download")]
            sha256: $sha256,
        }
    };
}

pub(super) static TRAIN_FILES: [MnistFile; 2] = [
    file!(
        "train-images-idx3-ubyte",
        "train-images.idx3-ubyte",
        9_912_422,
        "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"
    ),
    file!(
        "train-labels-idx1-ubyte",
        "train-labels.idx1-ubyte",
        28_881,
        "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"
    ),
];

pub(super) static TEST_FILES: [MnistFile; 2] = [
    file!(
        "t10k-images-idx3-ubyte",
        "t10k-images.idx3-ubyte",
        1_648_877,
        "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"
    ),
    file!(
        "t10k-labels-idx1-ubyte",
        "t10k-labels.idx1-ubyte",
        4_542,
        "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"
    ),
];

impl MnistFile {
    /// Returns the name under which the file is published.
    pub(super) fn published_name(&self) -> String {
        format!("{}.gz", self.name)
    }

    /// Returns the address of the file in a mirror.
    pub(super) fn url(&self, mirror: &str) -> String {
        format!("{}/{}", mirror.trim_end_matches('/'), self.published_name())
    }

    /// Looks for the file in a folder, packed or not.
    pub(super) fn find_in(&self, folder: &Path) -> Option<PathBuf> {
        [self.name, self.other_name]
            .iter()
            .flat_map(|name| [folder.join(format!("{name}.gz")), folder.join(name)])
            .find(|path| path.is_file())
    }
}
