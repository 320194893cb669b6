use std::io::Read;
use std::sync::OnceLock;

use flate2::read::GzDecoder;

use super::item::DigitsItem;
use crate::Dataset;
use crate::random::permutation;

const FILE: &[u8] = include_bytes!("digits.csv.gz");

/// Handwritten digits inside the program: 1,797 grey images of 8 x 8, no file or network needed.
///
/// This is the test set of *Optical recognition of handwritten digits* from the UCI Machine Learning
/// Repository (Alpaydin and Kaynak, 1998), in the form in which scikit-learn distributes it. Thirteen
/// people wrote the digits. Licences: see the `README.md` beside the data.
///
/// ```
/// use burn::data::dataset::Dataset;
/// use burn::data::dataset::vision::DigitsDataset;
///
/// let digits = DigitsDataset::new();
/// assert_eq!(digits.len(), 1_797);
///
/// let first = digits.get(0).unwrap();
/// assert_eq!(first.label, 0);
/// assert_eq!(first.image[0], [0.0, 0.0, 5.0, 13.0, 9.0, 1.0, 0.0, 0.0]);
///
/// let (train, test) = digits.split(0.8, 42);
/// assert_eq!((train.len(), test.len()), (1_438, 359));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigitsDataset {
    /// The lines of the file that belong to this dataset.
    lines: Vec<usize>,
}

impl DigitsDataset {
    /// Takes all images, in the order of the file.
    pub fn new() -> Self {
        Self { lines: (0..digits().len()).collect() }
    }

    /// Splits the images at random, always the same for one seed.
    ///
    /// `train_fraction` is cut to `0..=1`; the number of images to train on is rounded.
    pub fn split(&self, train_fraction: f64, seed: u64) -> (Self, Self) {
        let train = (self.lines.len() as f64 * train_fraction.clamp(0.0, 1.0)).round() as usize;
        let order = permutation(self.lines.len(), seed, 0);
        let (train, test) = order.split_at(train);
        (self.select(train), self.select(test))
    }

    fn select(&self, positions: &[usize]) -> Self {
        Self { lines: positions.iter().map(|&position| self.lines[position]).collect() }
    }
}

impl Default for DigitsDataset {
    fn default() -> Self {
        Self::new()
    }
}

impl Dataset<DigitsItem> for DigitsDataset {
    fn get(&self, index: usize) -> Option<DigitsItem> {
        digits().get(*self.lines.get(index)?).cloned()
    }

    fn len(&self) -> usize {
        self.lines.len()
    }
}

/// Returns all images, unpacked at the first call.
fn digits() -> &'static [DigitsItem] {
    static DIGITS: OnceLock<Vec<DigitsItem>> = OnceLock::new();
    DIGITS.get_or_init(|| {
        let mut text = String::new();
        GzDecoder::new(FILE).read_to_string(&mut text).expect("the file inside the program is whole");
        text.lines().map(parse).collect::<Option<_>>().expect("every line inside the program is an image")
    })
}

/// Reads a line of 64 pixels and a label.
fn parse(line: &str) -> Option<DigitsItem> {
    let mut numbers = line.split(',').map(|number| number.parse::<u8>().ok());
    let mut image = [[0.0; 8]; 8];
    for pixel in image.as_flattened_mut() {
        *pixel = numbers.next()??.into();
    }
    let label = numbers.next()??;
    numbers.next().is_none().then_some(DigitsItem { image, label })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_images_are_those_that_scikit_learn_describes() {
        let digits = DigitsDataset::new();
        let (mut counts, mut sum) = ([0; 10], 0.0_f64);
        for item in digits.iter() {
            counts[usize::from(item.label)] += 1;
            sum += item.image.as_flattened().iter().map(|&pixel| f64::from(pixel)).sum::<f64>();
            assert!(item.image.as_flattened().iter().all(|pixel| (0.0..=16.0).contains(pixel)));
        }
        // Counts and mean as printed by scikit-learn's `load_digits`.
        assert_eq!(counts, [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
        assert!((sum / (1_797.0 * 64.0) - 4.884_164_579_855_314).abs() < 1e-12);
    }

    #[test]
    fn a_split_holds_every_image_once() {
        let (train, test) = DigitsDataset::new().split(0.7, 3);
        assert_eq!((train.len(), test.len()), (1_258, 539));
        assert_eq!(DigitsDataset::new().split(0.7, 3), (train.clone(), test.clone()));
        assert_ne!(DigitsDataset::new().split(0.7, 4).0, train);

        let mut lines = [train.lines, test.lines].concat();
        lines.sort_unstable();
        assert_eq!(lines, DigitsDataset::new().lines);
    }

    #[test]
    fn odd_fractions_are_cut() {
        let split = |fraction| DigitsDataset::new().split(fraction, 1).0.len();
        assert_eq!([-1.0, 0.0, 1.0, 7.0, f64::NAN].map(split), [0, 0, 1_797, 1_797, 0]);
    }

    #[test]
    fn a_split_can_be_split_again() {
        let (train, _) = DigitsDataset::new().split(0.8, 1);
        let (first, second) = train.split(0.5, 1);
        assert_eq!((first.len(), second.len()), (719, 719));
        assert!(first.lines.iter().all(|line| train.lines.contains(line)));
    }

    #[test]
    fn lines_that_are_no_image_are_refused() {
        let pixels = vec!["1"; 64].join(",");
        assert_eq!(parse(&format!("{pixels},3")).map(|item| item.label), Some(3));
        for line in ["", "1,2,3", &pixels, &format!("{pixels},3,4"), &format!("{pixels},x")] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
