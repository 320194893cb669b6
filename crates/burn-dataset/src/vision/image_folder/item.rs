use std::path::PathBuf;

/// An image of an [`ImageFolderDataset`](super::ImageFolderDataset) and what is said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageDatasetItem {
    /// The pixels row by row, the channels of a pixel side by side.
    pub image: Pixels,
    /// The number of rows.
    pub height: usize,
    /// The number of columns.
    pub width: usize,
    /// The number of values of a pixel: 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha.
    pub channels: usize,
    /// What is said about the image.
    pub annotation: Annotation,
    /// The file of the image.
    pub image_path: PathBuf,
}

/// The values of an image at the depth of its file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Pixels {
    /// From 0 to 255.
    U8(Vec<u8>),
    /// From 0 to 65,535.
    U16(Vec<u16>),
    /// From 0 to 1.
    F32(Vec<f32>),
}

impl Pixels {
    /// Returns the values scaled to `0..=1`, whatever the depth of the file.
    ///
    /// ```
    /// use burn::data::dataset::vision::Pixels;
    ///
    /// assert_eq!(Pixels::U8(vec![0, 51, 255]).to_unit_range(), [0.0, 0.2, 1.0]);
    /// ```
    pub fn to_unit_range(&self) -> Vec<f32> {
        match self {
            Self::U8(values) => values.iter().map(|&value| f32::from(value) / 255.0).collect(),
            Self::U16(values) => values.iter().map(|&value| f32::from(value) / 65_535.0).collect(),
            Self::F32(values) => values.clone(),
        }
    }
}

/// What is said about an image; a class is a position in the list of classes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Annotation {
    /// The class of the image.
    Label(usize),
    /// All classes of the image, in the order in which they were given.
    MultiLabel(Vec<usize>),
}
