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
    /// Annotation of the image.
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

    /// Returns the depth of the values.
    pub fn depth(&self) -> PixelDepth {
        match self {
            Self::U8(_) => PixelDepth::U8,
            Self::U16(_) => PixelDepth::U16,
            Self::F32(_) => PixelDepth::F32,
        }
    }

    /// Returns the number of values: `height * width * channels`.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(values) => values.len(),
            Self::U16(values) => values.len(),
            Self::F32(values) => values.len(),
        }
    }

    /// Returns whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the values at another depth: the range is kept, so white stays white.
    ///
    /// From floats, values are cut to `0..=1` and rounded to the nearest number; from 16 bits to 8,
    /// `round(value / 257)`.
    ///
    /// ```
    /// use burn::data::dataset::vision::{PixelDepth, Pixels};
    ///
    /// let deep = Pixels::U8(vec![0, 1, 255]).to_depth(PixelDepth::U16);
    /// assert_eq!(deep, Pixels::U16(vec![0, 257, 65_535]));
    /// assert_eq!(deep.to_depth(PixelDepth::U8), Pixels::U8(vec![0, 1, 255]));
    /// ```
    pub fn to_depth(&self, depth: PixelDepth) -> Self {
        let scaled = |most: f32| {
            self.to_unit_range().into_iter().map(move |value| (value.clamp(0.0, 1.0) * most).round())
        };
        match (self, depth) {
            (Self::U8(_), PixelDepth::U8) | (Self::U16(_), PixelDepth::U16) => self.clone(),
            (Self::U8(values), PixelDepth::U16) => {
                Self::U16(values.iter().map(|&value| u16::from(value) * 257).collect())
            }
            (Self::U16(_) | Self::F32(_), PixelDepth::U8) => {
                Self::U8(scaled(255.0).map(|value| value as u8).collect())
            }
            (Self::F32(_), PixelDepth::U16) => {
                Self::U16(scaled(65_535.0).map(|value| value as u16).collect())
            }
            (Self::U8(_) | Self::U16(_) | Self::F32(_), PixelDepth::F32) => Self::F32(self.to_unit_range()),
        }
    }
}

/// How many different values a channel of a pixel has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PixelDepth {
    /// 8 bits: from 0 to 255.
    U8,
    /// 16 bits: from 0 to 65,535.
    U16,
    /// 32-bit floats from 0 to 1.
    F32,
}

/// Annotation of an image; a class is a position in the list of classes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Annotation {
    /// Nothing is known of the image.
    Unlabelled,
    /// The class of the image.
    Label(usize),
    /// All classes of the image, in the order in which they were given.
    MultiLabel(Vec<usize>),
    /// The objects in the image, in the order in which they were given.
    BoundingBoxes(Vec<BoundingBox>),
    /// The class of each pixel.
    SegmentationMask(SegmentationMask),
}

/// Where an object is in an image, in pixels from the upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingBox {
    /// The left edge.
    pub x: f32,
    /// The upper edge.
    pub y: f32,
    /// From the left edge to the right one.
    pub width: f32,
    /// From the upper edge to the lower one.
    pub height: f32,
    /// The class of the object, a position in the list of classes.
    pub label: usize,
}

/// The class of each pixel of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentationMask {
    /// The classes row by row, `height * width` of them; each is a position in the list of classes.
    pub mask: Vec<usize>,
}
