use burn_tensor::{Backend, Bool, Distribution, Int, Tensor};

use crate::{affine_images, erase_rectangles, flip_images, scale_brightness, scale_contrast};

/// Random changes of a batch of images, drawn for each image on its own, on the device that has them.
///
/// The steps follow each other in the order in which they are added. The random numbers are those of the
/// backend: a seed fixes them, and they differ from batch to batch. For changes that are fixed by epoch and
/// index, or that move boxes and masks, see `ImageAugmentation` of the datasets.
///
/// ```
/// use burn::prelude::*;
/// use burn::vision::BatchAugmentation;
///
/// /// What a training step does first; validation leaves images as they are.
/// fn augment<B: Backend>(images: Tensor<B, 4>) -> Tensor<B, 4> {
///     BatchAugmentation::new().horizontal_flip(0.5).shift(0.1, 0.1).erase(0.25, 0.02, 0.2).apply(images)
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct BatchAugmentation {
    steps: Vec<BatchAugmentationStep>,
}

#[derive(Clone, Debug)]
enum BatchAugmentationStep {
    Flip { dim: usize, probability: f64 },
    Affine { radians: f64, scale: (f64, f64), right: f64, down: f64 },
    Brightness(f64, f64),
    Contrast(f64, f64),
    Erase { probability: f64, area: (f64, f64) },
}

impl BatchAugmentation {
    /// Starts without a step: images stay as they are.
    pub fn new() -> Self {
        Self::default()
    }

    /// Turns left and right over, with this probability.
    pub fn horizontal_flip(self, probability: f64) -> Self {
        self.then(BatchAugmentationStep::Flip { dim: 3, probability })
    }

    /// Turns top and bottom over, with this probability.
    pub fn vertical_flip(self, probability: f64) -> Self {
        self.then(BatchAugmentationStep::Flip { dim: 2, probability })
    }

    /// Turns around the centre by up to `degrees` to either side.
    pub fn rotation(self, degrees: f64) -> Self {
        self.then(BatchAugmentationStep::Affine {
            radians: degrees.to_radians(),
            scale: (1.0, 1.0),
            right: 0.0,
            down: 0.0,
        })
    }

    /// Shows everything `low` to `high` times as large.
    pub fn zoom(self, low: f64, high: f64) -> Self {
        self.then(BatchAugmentationStep::Affine { radians: 0.0, scale: (low, high), right: 0.0, down: 0.0 })
    }

    /// Shifts by up to these parts of the width and the height to either side; zeros come in.
    pub fn shift(self, width: f64, height: f64) -> Self {
        self.then(BatchAugmentationStep::Affine {
            radians: 0.0,
            scale: (1.0, 1.0),
            right: width,
            down: height,
        })
    }

    /// Multiplies the values of an image with a factor in `low..high`.
    pub fn brightness(self, low: f64, high: f64) -> Self {
        self.then(BatchAugmentationStep::Brightness(low, high))
    }

    /// Multiplies the distance of the values of an image from their mean with a factor in `low..high`.
    pub fn contrast(self, low: f64, high: f64) -> Self {
        self.then(BatchAugmentationStep::Contrast(low, high))
    }

    /// Sets a rectangle to zero, with this probability: its area is a part in `low..high` of that of the
    /// image, and its sides have the ratio of those of the image (Zhong et al. 2017).
    pub fn erase(self, probability: f64, low: f64, high: f64) -> Self {
        self.then(BatchAugmentationStep::Erase { probability, area: (low, high) })
    }

    /// Changes the images, `[batch, channels, height, width]`.
    pub fn apply<B: Backend>(&self, images: Tensor<B, 4>) -> Tensor<B, 4> {
        self.steps.iter().fold(images, |images, step| step.apply(images))
    }

    fn then(mut self, step: BatchAugmentationStep) -> Self {
        self.steps.push(step);
        self
    }
}

impl BatchAugmentationStep {
    fn apply<B: Backend>(&self, images: Tensor<B, 4>) -> Tensor<B, 4> {
        let ([batch, _, height, width], device) = (images.dims(), images.device());
        let draw = |low: f64, high: f64| -> Tensor<B, 1> {
            Tensor::random([batch], Distribution::Default, &device) * (high - low) + low
        };
        let chance = |probability: f64| -> Tensor<B, 1, Bool> { draw(0.0, 1.0).lower_elem(probability) };
        match *self {
            Self::Flip { dim, probability } => flip_images(images, chance(probability), dim),
            Self::Affine { radians, scale: (low, high), right, down } => {
                let shifts = [draw(-right, right), draw(-down, down)];
                affine_images(images, draw(-radians, radians), draw(low, high), shifts)
            }
            Self::Brightness(low, high) => scale_brightness(images, draw(low, high)),
            Self::Contrast(low, high) => scale_contrast(images, draw(low, high)),
            Self::Erase { probability, area: (low, high) } => {
                let side = draw(low.clamp(0.0, 1.0), high.clamp(0.0, 1.0)).sqrt();
                // Nothing has no side.
                let side = side * chance(probability).float();
                let length =
                    |size: usize| -> Tensor<B, 1, Int> { (side.clone() * size as f64).round().int() };
                let (rows, columns) = (length(height), length(width));
                let begin = |size: usize, length: Tensor<B, 1, Int>| -> Tensor<B, 1, Int> {
                    let room = (length.float() - size as f64).neg() + 1.0;
                    (draw(0.0, 1.0) * room).floor().int()
                };
                let (top, left) = (begin(height, rows.clone()), begin(width, columns.clone()));
                let ends = [top.clone() + rows, left.clone() + columns];
                erase_rectangles(images, [top, left], ends)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_ndarray::NdArray;
    use burn_tensor::TensorData;

    type B = NdArray;

    const SIDE: usize = 8;
    const BATCH: usize = 64;

    /// Every image has the same different values.
    fn images() -> Tensor<B, 4> {
        let values: Vec<f32> =
            (0..BATCH * SIDE * SIDE).map(|value| 1.0 + (value % (SIDE * SIDE)) as f32).collect();
        Tensor::from_data(TensorData::new(values, [BATCH, 1, SIDE, SIDE]), &Default::default())
    }

    fn apply(augmentation: BatchAugmentation) -> Vec<Vec<f32>> {
        let values: Vec<f32> = augmentation.apply(images()).into_data().iter::<f32>().collect();
        values.chunks_exact(SIDE * SIDE).map(<[f32]>::to_vec).collect()
    }

    #[test]
    fn each_image_is_flipped_on_its_own() {
        let images = apply(BatchAugmentation::new().horizontal_flip(0.5));
        let flipped = images.iter().filter(|image| image[0] == 8.0 && image[7] == 1.0).count();
        let kept = images.iter().filter(|image| image[0] == 1.0 && image[7] == 8.0).count();
        assert_eq!(flipped + kept, BATCH);
        // All or none of 64 have odds of 1 in 2^63.
        assert!(flipped > 0 && kept > 0);
        assert!(apply(BatchAugmentation::new().vertical_flip(1.0)).iter().all(|image| image[0] == 57.0));
    }

    #[test]
    fn steps_without_room_change_nothing() {
        let still = BatchAugmentation::new()
            .horizontal_flip(0.0)
            .rotation(0.0)
            .zoom(1.0, 1.0)
            .shift(0.0, 0.0)
            .brightness(1.0, 1.0)
            .contrast(1.0, 1.0)
            .erase(0.0, 0.1, 0.5);
        for image in apply(still) {
            assert!(
                image.iter().enumerate().all(|(place, value)| (value - 1.0 - place as f32).abs() < 1e-3),
                "{image:?}"
            );
        }
    }

    #[test]
    fn rectangles_lie_within_the_image_and_differ() {
        let images = apply(BatchAugmentation::new().erase(1.0, 0.25, 0.25));
        let mut corners = std::collections::BTreeSet::new();
        for image in &images {
            let zeros: Vec<usize> = (0..SIDE * SIDE).filter(|place| image[*place] == 0.0).collect();
            // A quarter of the area: half of each side.
            assert_eq!(zeros.len(), 16);
            corners.insert(zeros[0]);
        }
        assert!(corners.len() > 1 && corners.iter().all(|corner| corner % SIDE <= 4 && corner / SIDE <= 4));
    }

    #[test]
    fn factors_lie_in_their_range() {
        let images = apply(BatchAugmentation::new().brightness(0.5, 2.0));
        assert!(images.iter().all(|image| (0.5..=2.0).contains(&image[0])));
        assert!(images.iter().any(|image| image[0] != images[0][0]));
    }
}
