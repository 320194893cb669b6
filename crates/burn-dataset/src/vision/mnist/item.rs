use serde::{Deserialize, Serialize};

/// One image of MNIST and the digit it shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MnistItem {
    /// The rows of the image, from 0 (paper) to 255 (ink).
    pub image: [[f32; 28]; 28],
    /// The digit, from 0 to 9.
    pub label: u8,
}

/// Another name of [`MnistItem`].
#[deprecated(note = "use `MnistItem`")]
pub type MNISTItem = MnistItem;
