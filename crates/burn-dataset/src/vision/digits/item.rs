use serde::{Deserialize, Serialize};

/// One image of the handwritten digits and the digit it shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DigitsItem {
    /// The rows of the image, from 0 (paper) to 16 (ink).
    pub image: [[f32; 8]; 8],
    /// The digit, from 0 to 9.
    pub label: u8,
}
