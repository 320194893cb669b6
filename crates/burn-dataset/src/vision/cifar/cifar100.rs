use std::path::Path;

use serde::{Deserialize, Serialize};

use super::records::{CifarSplit, Records};
use crate::files::folder_from_environment;
use crate::{Dataset, DatasetError};

/// The variable that names a folder with the files.
const FOLDER_VARIABLE: &str = "BURN_CIFAR100_DIR";

/// Where the files are published.
const ARCHIVE: &str = "https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz";

/// CIFAR-100, small photographs of a hundred kinds of things in twenty groups: 50,000 to train on and 10,000
/// to test.
///
/// The files of the binary version, `train.bin` and `test.bin`, are looked for in the folder that the
/// environment variable `BURN_CIFAR100_DIR` names, else in `~/.cache/burn-dataset/cifar-100`; an error says
/// where they are to be had.
///
/// Krizhevsky, *Learning multiple layers of features from tiny images*, 2009.
///
/// ```no_run
/// use burn::data::dataset::Dataset;
/// use burn::data::dataset::vision::{Cifar100Dataset, CifarSplit};
///
/// let train = Cifar100Dataset::open(CifarSplit::Train)?;
/// println!("{}", Cifar100Dataset::FINE_CLASSES[usize::from(train.get(0).unwrap().fine_label)]);
/// # Ok::<(), burn::data::dataset::DatasetError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cifar100Dataset {
    records: Records<2>,
}

/// An image of [`Cifar100Dataset`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cifar100Item {
    /// The red, green and blue values, each 32 rows of 32 columns, from 0 to 255.
    pub image: [[[u8; 32]; 32]; 3],
    /// The group, a position in [`Cifar100Dataset::COARSE_CLASSES`].
    pub coarse_label: u8,
    /// The class, a position in [`Cifar100Dataset::FINE_CLASSES`].
    pub fine_label: u8,
}

impl Cifar100Dataset {
    /// The names of the groups.
    pub const COARSE_CLASSES: [&'static str; 20] = [
        "aquatic_mammals",
        "fish",
        "flowers",
        "food_containers",
        "fruit_and_vegetables",
        "household_electrical_devices",
        "household_furniture",
        "insects",
        "large_carnivores",
        "large_man-made_outdoor_things",
        "large_natural_outdoor_scenes",
        "large_omnivores_and_herbivores",
        "medium_mammals",
        "non-insect_invertebrates",
        "people",
        "reptiles",
        "small_mammals",
        "trees",
        "vehicles_1",
        "vehicles_2",
    ];

    /// The names of the classes.
    pub const FINE_CLASSES: [&'static str; 100] = [
        "apple",
        "aquarium_fish",
        "baby",
        "bear",
        "beaver",
        "bed",
        "bee",
        "beetle",
        "bicycle",
        "bottle",
        "bowl",
        "boy",
        "bridge",
        "bus",
        "butterfly",
        "camel",
        "can",
        "castle",
        "caterpillar",
        "cattle",
        "chair",
        "chimpanzee",
        "clock",
        "cloud",
        "cockroach",
        "couch",
        "crab",
        "crocodile",
        "cup",
        "dinosaur",
        "dolphin",
        "elephant",
        "flatfish",
        "forest",
        "fox",
        "girl",
        "hamster",
        "house",
        "kangaroo",
        "keyboard",
        "lamp",
        "lawn_mower",
        "leopard",
        "lion",
        "lizard",
        "lobster",
        "man",
        "maple_tree",
        "motorcycle",
        "mountain",
        "mouse",
        "mushroom",
        "oak_tree",
        "orange",
        "orchid",
        "otter",
        "palm_tree",
        "pear",
        "pickup_truck",
        "pine_tree",
        "plain",
        "plate",
        "poppy",
        "porcupine",
        "possum",
        "rabbit",
        "raccoon",
        "ray",
        "road",
        "rocket",
        "rose",
        "sea",
        "seal",
        "shark",
        "shrew",
        "skunk",
        "skyscraper",
        "snail",
        "snake",
        "spider",
        "squirrel",
        "streetcar",
        "sunflower",
        "sweet_pepper",
        "table",
        "tank",
        "telephone",
        "television",
        "tiger",
        "tractor",
        "train",
        "trout",
        "tulip",
        "turtle",
        "wardrobe",
        "whale",
        "willow_tree",
        "wolf",
        "woman",
        "worm",
    ];

    /// Opens the images of a split.
    ///
    /// # Errors
    /// If a file is missing or damaged; the error says which, and how to get it.
    pub fn open(split: CifarSplit) -> Result<Self, DatasetError> {
        Self::from_dir(folder_from_environment("cifar-100", FOLDER_VARIABLE)?, split)
    }

    /// Opens the files of a split in a folder, or in its subfolder `cifar-100-binary`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_dir<P: AsRef<Path>>(folder: P, split: CifarSplit) -> Result<Self, DatasetError> {
        let files: &[&str] = match split {
            CifarSplit::Train => &["train.bin"],
            CifarSplit::Test => &["test.bin"],
        };
        let records = Records::read(folder.as_ref(), "cifar-100-binary", files, [20, 100], ARCHIVE)?;
        Ok(Self { records })
    }
}

impl Dataset<Cifar100Item> for Cifar100Dataset {
    fn get(&self, index: usize) -> Option<Cifar100Item> {
        let (labels, image) = self.records.get(index)?;
        let [coarse_label, fine_label] = labels;
        Some(Cifar100Item { image, coarse_label, fine_label })
    }

    fn len(&self) -> usize {
        self.records.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_two_labels() {
        let folder = tempfile::tempdir().unwrap();
        let record = |coarse: u8, fine: u8| [vec![coarse, fine], vec![200; 3072]].concat();
        let path = folder.path().join("test.bin");
        std::fs::write(&path, [record(4, 0), record(19, 99)].concat()).unwrap();
        let test = Cifar100Dataset::from_dir(folder.path(), CifarSplit::Test).unwrap();
        let item = test.get(1).unwrap();
        assert_eq!((item.coarse_label, item.fine_label, item.image[2][31][31]), (19, 99, 200));
        let first = test.get(0).unwrap();
        assert_eq!(Cifar100Dataset::FINE_CLASSES[usize::from(first.fine_label)], "apple");
        assert_eq!(Cifar100Dataset::COARSE_CLASSES[usize::from(first.coarse_label)], "fruit_and_vegetables");

        std::fs::write(&path, record(20, 0)).unwrap();
        let error = Cifar100Dataset::from_dir(folder.path(), CifarSplit::Test).unwrap_err().to_string();
        assert!(error.contains("image 0 has the label 20 of 20 classes"), "{error}");
    }
}
