use std::path::Path;

use serde::{Deserialize, Serialize};

use super::records::{CifarSplit, Records};
use crate::files::folder_from_environment;
use crate::{Dataset, DatasetError};

/// The variable that names a folder with the files.
const FOLDER_VARIABLE: &str = "BURN_CIFAR10_DIR";

/// Where the files are published.
const ARCHIVE: &str = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz";

/// CIFAR-10, small photographs of ten kinds of things: 50,000 to train on and 10,000 to test.
///
/// The files of the binary version, `data_batch_1.bin` and so on, are looked for in the folder that the
/// environment variable `BURN_CIFAR10_DIR` names, else in `~/.cache/burn-dataset/cifar-10`; an error says
/// where they are to be had.
///
/// Krizhevsky, *Learning multiple layers of features from tiny images*, 2009.
///
/// ```no_run
/// use burn::data::dataset::Dataset;
/// use burn::data::dataset::vision::{Cifar10Dataset, CifarSplit};
///
/// let train = Cifar10Dataset::open(CifarSplit::Train)?;
/// println!("{}", Cifar10Dataset::CLASSES[usize::from(train.get(0).unwrap().label)]);
/// # Ok::<(), burn::data::dataset::DatasetError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cifar10Dataset {
    records: Records<1>,
}

/// An image of [`Cifar10Dataset`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cifar10Item {
    /// The red, green and blue values, each 32 rows of 32 columns, from 0 to 255.
    pub image: [[[u8; 32]; 32]; 3],
    /// The class, a position in [`Cifar10Dataset::CLASSES`].
    pub label: u8,
}

impl Cifar10Dataset {
    /// The names of the classes; a label is a position in this list.
    pub const CLASSES: [&'static str; 10] =
        ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"];

    /// Opens the images of a split.
    ///
    /// # Errors
    /// If a file is missing or damaged; the error says which, and how to get it.
    pub fn open(split: CifarSplit) -> Result<Self, DatasetError> {
        Self::from_dir(folder_from_environment("cifar-10", FOLDER_VARIABLE)?, split)
    }

    /// Opens the files of a split in a folder, or in its subfolder `cifar-10-batches-bin`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_dir<P: AsRef<Path>>(folder: P, split: CifarSplit) -> Result<Self, DatasetError> {
        let files: &[&str] = match split {
            CifarSplit::Train => &[
                "data_batch_1.bin",
                "data_batch_2.bin",
                "data_batch_3.bin",
                "data_batch_4.bin",
                "data_batch_5.bin",
            ],
            CifarSplit::Test => &["test_batch.bin"],
        };
        let records = Records::read(folder.as_ref(), "cifar-10-batches-bin", files, [10], ARCHIVE)?;
        Ok(Self { records })
    }
}

impl Dataset<Cifar10Item> for Cifar10Dataset {
    fn get(&self, index: usize) -> Option<Cifar10Item> {
        self.records.get(index).map(|([label], image)| Cifar10Item { image, label })
    }

    fn len(&self) -> usize {
        self.records.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record: a label, and pixels that count up from it.
    fn record(label: u8) -> Vec<u8> {
        (0..3073).map(|byte| label.wrapping_add((byte % 256) as u8)).collect()
    }

    #[test]
    fn records_of_all_files_are_images_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("cifar-10-batches-bin");
        std::fs::create_dir(&inner).unwrap();
        for batch in 1..=5_u8 {
            let content = [record(batch), record(batch + 4)].concat();
            std::fs::write(inner.join(format!("data_batch_{batch}.bin")), content).unwrap();
        }
        let train = Cifar10Dataset::from_dir(folder.path(), CifarSplit::Train).unwrap();
        let labels: Vec<u8> = train.iter().map(|item| item.label).collect();
        assert_eq!(labels, [1, 5, 2, 6, 3, 7, 4, 8, 5, 9]);
        let item = train.get(2).unwrap();
        // Green, row 3, column 4 is byte 1 + 1024 + 3 * 32 + 4 of the record.
        assert_eq!(item.image[1][3][4], 2 + ((1 + 1024 + 100) % 256) as u8);
        assert_eq!((train.get(10), train.get(usize::MAX)), (None, None));
    }

    #[test]
    fn missing_and_damaged_files_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = || Cifar10Dataset::from_dir(folder.path(), CifarSplit::Test).unwrap_err().to_string();
        assert!(error().contains("test_batch.bin was not found in"), "{}", error());
        assert!(error().contains("Unpack https://"), "{}", error());
        let path = folder.path().join("test_batch.bin");
        for (content, expected) in [
            (vec![], "it has 0 bytes"),
            (record(3)[1..].to_vec(), "it has 3072 bytes, no multiple of 3073"),
            ([record(3), record(10)].concat(), "image 1 has the label 10 of 10 classes"),
        ] {
            std::fs::write(&path, content).unwrap();
            assert!(
                error().contains("test_batch.bin is damaged") && error().contains(expected),
                "{}",
                error()
            );
        }
    }
}
