//! A folder of images to start with: handwritten digits.

use std::error::Error;
use std::fs;
use std::path::Path;

use burn::data::dataset::Dataset;
use burn::data::dataset::vision::DigitsDataset;
use image::GrayImage;

/// The names of the classes.
const NAMES: [&str; 10] = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/// Writes the first `count` of the digits inside the program as PNG images of 8 x 8 into `root`:
/// `root/seven/0042.png`.
///
/// # Errors
/// If the folder cannot be written.
pub fn write_digits(root: &Path, count: usize) -> Result<(), Box<dyn Error>> {
    for (index, digit) in DigitsDataset::new().iter().take(count).enumerate() {
        let folder = root.join(NAMES[usize::from(digit.label)]);
        fs::create_dir_all(&folder)?;
        // From 0 to 16 there, from 0 to 255 here.
        let pixels = digit.image.as_flattened().iter().map(|pixel| (pixel * 255.0 / 16.0) as u8).collect();
        let image = GrayImage::from_raw(8, 8, pixels).ok_or("a digit has 8 x 8 pixels")?;
        image.save(folder.join(format!("{index:04}.png")))?;
    }
    Ok(())
}
