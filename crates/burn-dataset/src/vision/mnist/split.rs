use super::file::{MnistFile, TEST_FILES, TRAIN_FILES};

/// A part of MNIST.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MnistSplit {
    /// The 60,000 images to train on.
    Train,
    /// The 10,000 images to test on.
    Test,
}

impl MnistSplit {
    /// Returns the number of images in the published files.
    pub fn num_items(self) -> usize {
        match self {
            Self::Train => 60_000,
            Self::Test => 10_000,
        }
    }

    /// Returns the name of the folder of the split.
    pub(super) fn folder(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Test => "test",
        }
    }

    /// Returns the files of the images and of the labels.
    pub(super) fn files(self) -> &'static [MnistFile; 2] {
        match self {
            Self::Train => &TRAIN_FILES,
            Self::Test => &TEST_FILES,
        }
    }
}
