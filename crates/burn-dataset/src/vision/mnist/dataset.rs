use std::io::BufReader;
use std::path::Path;

use super::file::{MnistFile, PUBLISHER};
use super::item::MnistItem;
use super::location::Location;
use super::split::MnistSplit;
use crate::vision::idx::{Idx, read_idx};
use crate::{Dataset, DatasetError};

const SIDE: usize = 28;

/// The MNIST handwritten digits: grey images of 28 x 28, 60,000 to train on and 10,000 to test.
///
/// The files are looked for in the folder that the environment variable `BURN_MNIST_DIR` names, or
/// in `~/.cache/burn-dataset/mnist/<split>/`, where they may be gzip files or not. With the feature
/// `download`, files that the cache lacks are fetched from the CVDF mirror, or from the address in
/// `BURN_MNIST_MIRROR`, with a progress bar, and their checksums are verified.
///
/// LeCun, Bottou, Bengio and Haffner, *Gradient-based learning applied to document recognition*, 1998.
///
/// ```no_run
/// use burn::data::dataset::Dataset;
/// use burn::data::dataset::vision::MnistDataset;
///
/// let dataset = MnistDataset::try_train()?;
/// assert_eq!(dataset.len(), 60_000);
/// assert_eq!(dataset.get(0).map(|item| item.label), Some(5));
/// # Ok::<(), burn::data::dataset::DatasetError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MnistDataset {
    /// The pixels of all images, one byte each, a quarter of what they take as items.
    images: Vec<u8>,
    labels: Vec<u8>,
}

/// Another name of [`MnistDataset`].
#[deprecated(note = "use `MnistDataset`")]
pub type MNISTDataset = MnistDataset;

impl MnistDataset {
    /// Opens the images to train on.
    ///
    /// # Panics
    /// If they cannot be had; [`try_train`](MnistDataset::try_train) returns an error instead.
    #[track_caller]
    pub fn train() -> Self {
        Self::try_train().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Opens the images to test on.
    ///
    /// # Panics
    /// If they cannot be had; [`try_test`](MnistDataset::try_test) returns an error instead.
    #[track_caller]
    pub fn test() -> Self {
        Self::try_test().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Opens the images to train on.
    ///
    /// # Errors
    /// If a file is missing and cannot be downloaded, or is damaged. The error says which, and how
    /// to get it.
    pub fn try_train() -> Result<Self, DatasetError> {
        Self::open(&Location::from_environment()?, MnistSplit::Train)
    }

    /// Opens the images to test on.
    ///
    /// # Errors
    /// As [`try_train`](MnistDataset::try_train).
    pub fn try_test() -> Result<Self, DatasetError> {
        Self::open(&Location::from_environment()?, MnistSplit::Test)
    }

    /// Opens the files of a split in a folder, or in its subfolder `train` or `test`.
    ///
    /// The files have the published names, `train-images-idx3-ubyte.gz` and so on, with or without
    /// `.gz`, and may hold any number of images: as many as labels.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub fn from_dir<P: AsRef<Path>>(folder: P, split: MnistSplit) -> Result<Self, DatasetError> {
        Self::from_publisher(folder.as_ref(), PUBLISHER, split)
    }

    /// Opens a folder, whose files are those that `publisher` has.
    pub(crate) fn from_publisher(
        folder: &Path,
        publisher: &'static str,
        split: MnistSplit,
    ) -> Result<Self, DatasetError> {
        Self::open(&Location::Folder { folder: folder.to_owned(), publisher }, split)
    }

    pub(super) fn open(location: &Location, split: MnistSplit) -> Result<Self, DatasetError> {
        let [image_file, label_file] = split.files();
        let images = read(location, image_file, split, &[SIDE, SIDE], |_| None)?;
        let labels = read(location, label_file, split, &[], |labels| {
            if labels.count != images.count {
                return Some(format!("it has {} labels for {} images", labels.count, images.count));
            }
            let wrong = labels.values.iter().position(|&label| label > 9)?;
            Some(format!("label {wrong} is {}, not a digit", labels.values[wrong]))
        })?;
        Ok(Self { images: images.values, labels: labels.values })
    }
}

/// Reads a file, and refuses it if the cache holds too few items or `fault` finds one.
fn read(
    location: &Location,
    file: &MnistFile,
    split: MnistSplit,
    item_shape: &[usize],
    fault: impl FnOnce(&Idx) -> Option<String>,
) -> Result<Idx, DatasetError> {
    let path = location.find(file, split)?;
    let unreadable = |source| DatasetError::Io { path: path.clone(), source };
    let damaged =
        |reason| DatasetError::Damaged { advice: location.advice(file, &path), path: path.clone(), reason };

    let opened = burn_io::open_file(&path).map_err(unreadable)?;
    let size = opened.metadata().map_err(unreadable)?.len();
    let idx = read_idx(&mut BufReader::new(opened), size, item_shape).map_err(damaged)?;

    let published = split.num_items();
    if matches!(location, Location::Cache { .. }) && idx.count != published {
        return Err(damaged(format!("it has {} items, not {published}", idx.count)));
    }
    fault(&idx).map_or(Ok(idx), |reason| Err(damaged(reason)))
}

impl Dataset<MnistItem> for MnistDataset {
    fn get(&self, index: usize) -> Option<MnistItem> {
        let label = *self.labels.get(index)?;
        let pixels = self.images.chunks_exact(SIDE * SIDE).nth(index)?;
        let image =
            std::array::from_fn(|row| std::array::from_fn(|column| pixels[SIDE * row + column].into()));
        Some(MnistItem { image, label })
    }

    fn len(&self) -> usize {
        self.labels.len()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::path::PathBuf;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tempfile::TempDir;

    use super::*;

    fn write(path: PathBuf, dims: &[u32], values: &[u8]) {
        let words = [0x0800 + dims.len() as u32].into_iter().chain(dims.iter().copied());
        let bytes: Vec<u8> = words.flat_map(u32::to_be_bytes).chain(values.iter().copied()).collect();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if path.extension().is_some_and(|extension| extension == "gz") {
            let mut encoder = GzEncoder::new(fs::File::create(path).unwrap(), Compression::fast());
            encoder.write_all(&bytes).unwrap();
            encoder.finish().unwrap();
        } else {
            fs::write(path, bytes).unwrap();
        }
    }

    /// Pixel `p` of image `i` is `i + p` modulo 256.
    fn images(count: usize) -> Vec<u8> {
        (0..count).flat_map(|image| (0..784).map(move |pixel| (image + pixel) as u8)).collect()
    }

    fn folder(images_name: &str, labels_name: &str) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path().join(images_name), &[3, 28, 28], &images(3));
        write(folder.path().join(labels_name), &[3], &[7, 0, 9]);
        folder
    }

    #[test]
    fn items_are_read_from_every_layout() {
        for (images, labels) in [
            ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"),
            ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
            ("train-images.idx3-ubyte", "train-labels.idx1-ubyte.gz"),
            ("train/train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte"),
        ] {
            let dataset = MnistDataset::from_dir(folder(images, labels).path(), MnistSplit::Train).unwrap();
            assert_eq!(dataset.len(), 3);
            let item = dataset.get(2).unwrap();
            assert_eq!(item.label, 9);
            assert_eq!(item.image[0][0], 2.0);
            assert_eq!(item.image[4][5], (4.0 * 28.0 + 5.0) + 2.0);
            assert_eq!(dataset.get(3), None);
        }
    }

    fn error(folder: &TempDir, split: MnistSplit) -> String {
        MnistDataset::from_dir(folder.path(), split).unwrap_err().to_string()
    }

    #[test]
    fn a_missing_file_is_named_with_the_way_to_get_it() {
        let folder = folder("train-images-idx3-ubyte", "train-labels-idx1-ubyte");
        let error = error(&folder, MnistSplit::Test);
        let place = folder.path().display().to_string();
        for part in ["t10k-images-idx3-ubyte.gz was not found in", &place, "Put https://"] {
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_damaged_file_is_named_with_what_was_found() {
        let folder = folder("train-images-idx3-ubyte", "train-labels-idx1-ubyte");
        let labels = folder.path().join("train-labels-idx1-ubyte");
        let images = folder.path().join("train-images-idx3-ubyte");

        write(labels.clone(), &[2], &[7, 0]);
        assert!(error(&folder, MnistSplit::Train).contains("it has 2 labels for 3 images"));
        write(labels.clone(), &[3], &[7, 10, 0]);
        assert!(error(&folder, MnistSplit::Train).contains("label 1 is 10, not a digit"));
        fs::write(&images, b"oops").unwrap();
        let error = error(&folder, MnistSplit::Train);
        for part in ["train-images-idx3-ubyte is damaged", "0x6f6f7073", "Replace it by https://"] {
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn the_cache_must_hold_the_published_number_of_images() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path().join("test/t10k-images-idx3-ubyte.gz"), &[3, 28, 28], &images(3));
        write(folder.path().join("test/t10k-labels-idx1-ubyte.gz"), &[3], &[1, 2, 3]);
        let location = Location::Cache { folder: folder.path().to_owned(), mirror: String::new() };

        let error = MnistDataset::open(&location, MnistSplit::Test).unwrap_err().to_string();
        assert!(error.contains("it has 3 items, not 10000"), "{error}");
    }

    #[cfg(not(feature = "download"))]
    #[test]
    fn an_empty_cache_says_how_to_fill_it() {
        let folder = tempfile::tempdir().unwrap();
        let mirror = "https://example.invalid/mnist/".to_owned();
        let location = Location::Cache { folder: folder.path().to_owned(), mirror };

        let error = MnistDataset::open(&location, MnistSplit::Train).unwrap_err().to_string();
        let url = "https://example.invalid/mnist/train-images-idx3-ubyte.gz";
        for part in [url, "BURN_MNIST_DIR", "enable the feature `download`"] {
            assert!(error.contains(part), "{error}");
        }
    }
}
