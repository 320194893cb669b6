use std::path::Path;

use super::{MnistDataset, MnistItem, MnistSplit};
use crate::files::folder_from_environment;
use crate::{Dataset, DatasetError, Receive};

/// Where the files are published.
const PUBLISHER: &str = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com";

/// The variable that names a folder with the files.
const FOLDER_VARIABLE: &str = "BURN_FASHION_MNIST_DIR";

/// Fashion-MNIST, clothes in grey images of 28 x 28: 60,000 to train on and 10,000 to test, in the form of
/// MNIST.
///
/// The four files, with the names of MNIST's (`train-images-idx3-ubyte.gz` and so on), are looked for in the
/// folder that the environment variable `BURN_FASHION_MNIST_DIR` names, else in
/// `~/.cache/burn-dataset/fashion-mnist`; an error says where they are to be had.
///
/// Xiao, Rasul and Vollgraf, *Fashion-MNIST: a novel image dataset for benchmarking machine learning
/// algorithms*, 2017.
///
/// ```no_run
/// use burn::data::dataset::Dataset;
/// use burn::data::dataset::vision::{FashionMnistDataset, MnistSplit};
///
/// let clothes = FashionMnistDataset::open(MnistSplit::Train)?;
/// let first = clothes.get(0).unwrap();
/// println!("{}", FashionMnistDataset::CLASSES[usize::from(first.label)]);
/// # Ok::<(), burn::data::dataset::DatasetError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FashionMnistDataset(MnistDataset);

impl FashionMnistDataset {
    /// The names of the classes; a label is a position in this list.
    pub const CLASSES: [&'static str; 10] = [
        "T-shirt/top",
        "Trouser",
        "Pullover",
        "Dress",
        "Coat",
        "Sandal",
        "Shirt",
        "Sneaker",
        "Bag",
        "Ankle boot",
    ];

    /// Opens the images of a split.
    ///
    /// # Errors
    /// If a file is missing or damaged; the error says which, and how to get it.
    pub fn open(split: MnistSplit) -> Result<Self, DatasetError> {
        Self::from_dir(folder_from_environment("fashion-mnist", FOLDER_VARIABLE)?, split)
    }

    /// Opens the files of a split in a folder, or in its subfolder `train` or `test`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_dir<P: AsRef<Path>>(folder: P, split: MnistSplit) -> Result<Self, DatasetError> {
        MnistDataset::from_publisher(folder.as_ref(), PUBLISHER, split).map(Self)
    }
}

impl Dataset<MnistItem> for FashionMnistDataset {
    fn get(&self, index: usize) -> Option<MnistItem> {
        self.0.get(index)
    }

    fn read_many(&self, indices: &[usize], receive: &mut Receive<'_, MnistItem>) {
        self.0.read_many(indices, receive);
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_format_of_mnist_and_an_address_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let error = FashionMnistDataset::from_dir(folder.path(), MnistSplit::Test).unwrap_err().to_string();
        assert!(error.contains("t10k-images-idx3-ubyte.gz was not found in"), "{error}");
        assert!(error.contains("Put http://fashion-mnist."), "{error}");

        let images = [&[0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 28, 0, 0, 0, 28][..], &[9; 784]].concat();
        std::fs::write(folder.path().join("t10k-images-idx3-ubyte"), images).unwrap();
        std::fs::write(folder.path().join("t10k-labels-idx1-ubyte"), [0, 0, 8, 1, 0, 0, 0, 1, 7]).unwrap();
        let dataset = FashionMnistDataset::from_dir(folder.path(), MnistSplit::Test).unwrap();
        assert_eq!(dataset.len(), 1);
        assert_eq!(FashionMnistDataset::CLASSES[usize::from(dataset.get(0).unwrap().label)], "Sneaker");
    }
}
