use super::dataset::DigitsDataset;
use super::item::DigitsItem;
use crate::transform::{Mapper, MapperDataset};
use crate::vision::MnistItem;

/// The part of the images that [`DigitsDataset::train_test_mnist`] trains on.
const TRAIN_FRACTION: f64 = 0.8;

/// The handwritten digits as items of MNIST.
pub type MnistDigits = MapperDataset<DigitsDataset, DigitsToMnist, DigitsItem>;

impl DigitsDataset {
    /// Splits all images 80 to 20 and scales them to the size and range of MNIST, so that a model
    /// for MNIST trains on them.
    ///
    /// ```
    /// use burn::data::dataset::Dataset;
    /// use burn::data::dataset::vision::{DigitsDataset, MnistItem};
    ///
    /// let (train, test) = DigitsDataset::train_test_mnist(42);
    /// assert_eq!((train.len(), test.len()), (1_438, 359));
    ///
    /// let MnistItem { image, label } = train.get(0).unwrap();
    /// assert!(label < 10);
    /// assert!(image.as_flattened().iter().all(|pixel| (0.0..=255.0).contains(pixel)));
    /// ```
    pub fn train_test_mnist(seed: u64) -> (MnistDigits, MnistDigits) {
        let (train, test) = Self::new().split(TRAIN_FRACTION, seed);
        (MapperDataset::new(train, DigitsToMnist), MapperDataset::new(test, DigitsToMnist))
    }
}

/// Scales an image of 8 x 8 from 0 to 16 to one of 28 x 28 from 0 to 255.
///
/// Between pixels it interpolates in both directions, the corners of both images being at the
/// corners of their outermost pixels, as PyTorch's `interpolate(mode="bilinear",
/// align_corners=False)` does: pixel `i` of 28 lies at `x = (i + 0.5) * 8 / 28 - 0.5`, cut to
/// `0..=7`, and takes the two pixels around `x` in proportion to their nearness.
#[derive(Clone, Copy, Debug, Default)]
pub struct DigitsToMnist;

impl Mapper<DigitsItem, MnistItem> for DigitsToMnist {
    fn map(&self, item: &DigitsItem) -> MnistItem {
        let wide =
            item.image.map(|row| resampled(|column| [row[column]]).map(|[pixel]| pixel * (255.0 / 16.0)));
        MnistItem { image: resampled(|row| wide[row]), label: item.label }
    }
}

/// Interpolates 28 rows between 8.
fn resampled<const N: usize>(row: impl Fn(usize) -> [f32; N]) -> [[f32; N]; 28] {
    std::array::from_fn(|index| {
        let position = ((index as f32 + 0.5) * (8.0 / 28.0) - 0.5).clamp(0.0, 7.0);
        let before = position as usize;
        let weight = position - before as f32;
        let (lower, upper) = (row(before), row((before + 1).min(7)));
        std::array::from_fn(|column| lower[column] * (1.0 - weight) + upper[column] * weight)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pixel `p`, counted row by row, is `p * p` modulo 17.
    fn item() -> DigitsItem {
        let pixel = |pixel: usize| (pixel * pixel % 17) as f32;
        DigitsItem {
            image: std::array::from_fn(|row| std::array::from_fn(|column| pixel(8 * row + column))),
            label: 4,
        }
    }

    #[test]
    fn pixels_are_those_of_pytorch() {
        let scaled = DigitsToMnist.map(&item());
        assert_eq!(scaled.label, 4);
        // torch.nn.functional.interpolate in float64, before the factor of 255 / 16.
        for ((row, column), expected) in [
            ((0, 0), 0.0),
            ((0, 5), 1.214_285_714_285_714_2),
            ((3, 14), 9.678_571_428_571_427),
            ((13, 13), 7.397_959_183_673_476),
            ((20, 7), 9.556_122_448_979_595),
            ((27, 27), 8.0),
            ((27, 0), 8.0),
            ((5, 26), 3.857_142_857_142_857),
        ] {
            let expected = expected * 255.0 / 16.0;
            let pixel = f64::from(scaled.image[row][column]);
            assert!((pixel - expected).abs() < 1e-3, "({row}, {column}): {pixel}, not {expected}");
        }
        let sum: f64 = scaled.image.as_flattened().iter().map(|&pixel| f64::from(pixel)).sum();
        assert!((sum - 6_296.5 * 255.0 / 16.0).abs() < 0.5);
    }

    #[test]
    fn full_ink_is_255() {
        let item = DigitsItem { image: [[16.0; 8]; 8], label: 1 };
        assert_eq!(DigitsToMnist.map(&item).image, [[255.0; 28]; 28]);
    }
}
