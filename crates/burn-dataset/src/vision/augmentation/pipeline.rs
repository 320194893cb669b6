use super::color::{adjust, erase};
use super::geometry::{Crop, Flip};
use super::resize::resize;
use crate::random::Generator;
use crate::vision::ImageDatasetItem;

/// Random changes of an image, each with the annotation that belongs to it: boxes and masks move with the
/// pixels.
///
/// The steps follow each other in the order in which they are added. The random numbers come from outside, so
/// that the same image is changed in the same way in a resumed run: [`DataLoaderBuilder::augment`] gives
/// those of the epoch and the index.
///
/// [`DataLoaderBuilder::augment`]: crate::dataloader::DataLoaderBuilder::augment
///
/// ```
/// use burn::data::dataloader::DataLoaderBuilder;
/// use burn::data::dataset::vision::{ImageAugmentation, ImageDatasetItem};
///
/// let augmentation = ImageAugmentation::new().horizontal_flip(0.5).crop([32, 32], 4).brightness(0.8, 1.2);
/// let loader = DataLoaderBuilder::new(|items: Vec<ImageDatasetItem>| items)
///     .augment(move |item, random| augmentation.apply(item, random));
/// # let _ = loader;
/// ```
#[derive(Clone, Debug, Default)]
pub struct ImageAugmentation {
    steps: Vec<ImageAugmentationStep>,
}

#[derive(Clone, Debug)]
enum ImageAugmentationStep {
    HorizontalFlip(f64),
    VerticalFlip(f64),
    Crop { size: [usize; 2], padding: usize },
    Resize([usize; 2]),
    Brightness(f64, f64),
    Contrast(f64, f64),
    Erase { probability: f64, area: (f64, f64) },
}

impl ImageAugmentation {
    /// Starts without a step: an image stays as it is.
    pub fn new() -> Self {
        Self::default()
    }

    /// Turns left and right over, with this probability.
    pub fn horizontal_flip(self, probability: f64) -> Self {
        self.then(ImageAugmentationStep::HorizontalFlip(probability))
    }

    /// Turns top and bottom over, with this probability.
    pub fn vertical_flip(self, probability: f64) -> Self {
        self.then(ImageAugmentationStep::VerticalFlip(probability))
    }

    /// Pads every side with zeros and cuts out `[height, width]` at a random position.
    ///
    /// A side that is shorter than asked for is padded with more zeros, evenly. Boxes are cut at the edges;
    /// those that lie outside are dropped. Padding of a mask has class 0. torchvision: `RandomCrop`.
    ///
    /// # Panics
    /// If a size is zero.
    #[track_caller]
    pub fn crop(self, size: [usize; 2], padding: usize) -> Self {
        assert!(!size.contains(&0), "ImageAugmentation::crop: a size is at least 1, got {size:?}");
        self.then(ImageAugmentationStep::Crop { size, padding })
    }

    /// Resizes to `[height, width]`: pixels by bilinear interpolation, masks by the nearest pixel.
    ///
    /// The corners of both images are at the outer corners of their pixels. PyTorch:
    /// `interpolate(align_corners=False)`.
    ///
    /// # Panics
    /// If a size is zero.
    #[track_caller]
    pub fn resize(self, size: [usize; 2]) -> Self {
        assert!(!size.contains(&0), "ImageAugmentation::resize: a size is at least 1, got {size:?}");
        self.then(ImageAugmentationStep::Resize(size))
    }

    /// Multiplies the values with a random factor in `low..high`; alpha stays. torchvision:
    /// `ColorJitter(brightness)`.
    pub fn brightness(self, low: f64, high: f64) -> Self {
        self.then(ImageAugmentationStep::Brightness(low, high))
    }

    /// Multiplies the distance of the values from their mean with a random factor in `low..high`; alpha
    /// stays.
    pub fn contrast(self, low: f64, high: f64) -> Self {
        self.then(ImageAugmentationStep::Contrast(low, high))
    }

    /// Sets a random rectangle to zero, with this probability: its area is a part in `low..high` of that of
    /// the image, and its sides have the ratio of those of the image.
    ///
    /// Zhong, Zheng, Kang, Li and Yang, *Random erasing data augmentation*, 2017.
    pub fn erase(self, probability: f64, low: f64, high: f64) -> Self {
        self.then(ImageAugmentationStep::Erase { probability, area: (low, high) })
    }

    /// Changes an image with these random numbers.
    pub fn apply(&self, item: ImageDatasetItem, random: &mut Generator) -> ImageDatasetItem {
        self.steps.iter().fold(item, |item, step| step.apply(item, random))
    }

    fn then(mut self, step: ImageAugmentationStep) -> Self {
        self.steps.push(step);
        self
    }
}

impl ImageAugmentationStep {
    fn apply(&self, item: ImageDatasetItem, random: &mut Generator) -> ImageDatasetItem {
        match *self {
            Self::HorizontalFlip(probability) if random.chance(probability) => Flip::Horizontal.apply(item),
            Self::VerticalFlip(probability) if random.chance(probability) => Flip::Vertical.apply(item),
            Self::HorizontalFlip(_) | Self::VerticalFlip(_) => item,
            Self::Crop { size, padding } => Crop::at_random(&item, size, padding, random).apply(item),
            Self::Resize(size) => resize(item, size),
            Self::Brightness(low, high) => {
                let factor = random.uniform(low, high) as f32;
                adjust(item, |value, _| value * factor)
            }
            Self::Contrast(low, high) => {
                let factor = random.uniform(low, high) as f32;
                adjust(item, |value, mean| mean + (value - mean) * factor)
            }
            Self::Erase { probability, area: (low, high) } => {
                if !random.chance(probability) {
                    return item;
                }
                let side = random.uniform(low, high).clamp(0.0, 1.0).sqrt();
                let sizes =
                    [item.height, item.width].map(|size| ((size as f64 * side).round() as usize).min(size));
                let top = random.below(item.height - sizes[0] + 1);
                let left = random.below(item.width - sizes[1] + 1);
                erase(item, [top, left], sizes)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vision::{Annotation, BoundingBox, Pixels, SegmentationMask};

    fn item(pixels: Vec<u8>, height: usize, width: usize) -> ImageDatasetItem {
        let channels = pixels.len() / (height * width);
        ImageDatasetItem {
            image: Pixels::U8(pixels),
            height,
            width,
            channels,
            annotation: Annotation::Label(3),
            image_path: "x.png".into(),
        }
    }

    fn apply(augmentation: ImageAugmentation, item: ImageDatasetItem) -> ImageDatasetItem {
        augmentation.apply(item, &mut Generator::new(9))
    }

    #[test]
    fn flips_turn_pixels_boxes_and_masks_over() {
        let mut image = item(vec![1, 2, 3, 4, 5, 6], 2, 3);
        image.annotation = Annotation::SegmentationMask(SegmentationMask { mask: vec![0, 1, 2, 3, 4, 5] });
        let flipped = apply(ImageAugmentation::new().horizontal_flip(1.0), image.clone());
        assert_eq!(flipped.image, Pixels::U8(vec![3, 2, 1, 6, 5, 4]));
        let mask = SegmentationMask { mask: vec![2, 1, 0, 5, 4, 3] };
        assert_eq!(flipped.annotation, Annotation::SegmentationMask(mask));
        let upside_down = apply(ImageAugmentation::new().vertical_flip(1.0), image.clone());
        assert_eq!(upside_down.image, Pixels::U8(vec![4, 5, 6, 1, 2, 3]));
        assert_eq!(
            apply(ImageAugmentation::new().horizontal_flip(0.0).vertical_flip(0.0), image.clone()),
            image
        );

        let boxed = BoundingBox { x: 0.5, y: 0.0, width: 1.0, height: 2.0, label: 7 };
        image.annotation = Annotation::BoundingBoxes(vec![boxed]);
        let flipped = apply(ImageAugmentation::new().horizontal_flip(1.0), image);
        assert_eq!(flipped.annotation, Annotation::BoundingBoxes(vec![BoundingBox { x: 1.5, ..boxed }]));
    }

    #[test]
    fn colours_of_a_pixel_stay_together() {
        let flipped =
            apply(ImageAugmentation::new().horizontal_flip(1.0), item(vec![1, 2, 3, 4, 5, 6], 1, 2));
        assert_eq!(flipped.image, Pixels::U8(vec![4, 5, 6, 1, 2, 3]));
    }

    #[test]
    fn every_place_of_a_crop_comes_up_and_holds_what_is_there() {
        let image = item((0..12).collect(), 3, 4);
        let augmentation = ImageAugmentation::new().crop([2, 2], 0);
        let mut random = Generator::new(4);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let cropped = augmentation.apply(image.clone(), &mut random);
            assert_eq!((cropped.height, cropped.width), (2, 2));
            let Pixels::U8(pixels) = cropped.image else { panic!("the depth stays") };
            assert_eq!(pixels, [0, 1, 4, 5].map(|place| pixels[0] + place));
            seen.insert(pixels[0]);
        }
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 1, 2, 4, 5, 6]);
    }

    #[test]
    fn a_crop_larger_than_the_image_has_zeros_around_it() {
        let mut image = item(vec![7], 1, 1);
        let boxed = BoundingBox { x: 0.0, y: 0.0, width: 1.0, height: 1.0, label: 0 };
        image.annotation = Annotation::BoundingBoxes(vec![boxed]);
        let padded = apply(ImageAugmentation::new().crop([3, 3], 0), image);
        assert_eq!(padded.image, Pixels::U8(vec![0, 0, 0, 0, 7, 0, 0, 0, 0]));
        let moved = BoundingBox { x: 1.0, y: 1.0, ..boxed };
        assert_eq!(padded.annotation, Annotation::BoundingBoxes(vec![moved]));
    }

    #[test]
    fn colours_are_scaled_and_alpha_is_kept() {
        let image = item(vec![100, 50, 200, 7, 40, 0, 30, 9], 1, 2);
        let brighter = apply(ImageAugmentation::new().brightness(2.0, 2.0), image.clone());
        assert_eq!(brighter.image, Pixels::U8(vec![200, 100, 255, 7, 80, 0, 60, 9]));
        // The mean of the six colours is 70.
        let flat = apply(ImageAugmentation::new().contrast(0.0, 0.0), image);
        assert_eq!(flat.image, Pixels::U8(vec![70, 70, 70, 7, 70, 70, 70, 9]));
    }

    #[test]
    fn a_rectangle_is_erased() {
        let erased = apply(ImageAugmentation::new().erase(1.0, 0.25, 0.25), item(vec![9; 64], 8, 8));
        let Pixels::U8(pixels) = erased.image else { panic!("the depth stays") };
        let zeros: Vec<usize> = (0..64).filter(|place| pixels[*place] == 0).collect();
        assert_eq!(zeros.len(), 16);
        let (top, left) = (zeros[0] / 8, zeros[0] % 8);
        assert!(zeros.iter().all(|place| place / 8 < top + 4 && (left..left + 4).contains(&(place % 8))));
        let whole = item(vec![9; 6], 2, 3);
        assert_eq!(apply(ImageAugmentation::new().erase(0.0, 0.1, 0.9), whole.clone()), whole);
    }

    #[test]
    fn resized_pixels_are_those_of_pytorch() {
        let mut image = item(vec![0, 60, 120, 30, 90, 238], 2, 3);
        image.annotation = Annotation::SegmentationMask(SegmentationMask { mask: vec![0, 1, 2, 3, 4, 5] });
        let resized = apply(ImageAugmentation::new().resize([3, 2]), image);
        // torch.nn.functional.interpolate(mode="bilinear", align_corners=False), rounded.
        assert_eq!(resized.image, Pixels::U8(vec![15, 105, 30, 153, 45, 201]));
        // mode="nearest-exact".
        let mask = SegmentationMask { mask: vec![0, 2, 3, 5, 3, 5] };
        assert_eq!(resized.annotation, Annotation::SegmentationMask(mask));
    }
}
