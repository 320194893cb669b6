use burn_tensor::module::{GridSampleOptions, affine_grid, grid_sample_2d};
use burn_tensor::{Backend, Bool, Tensor};

/// Turns over those images of a batch for which `chosen` is true, along a dimension: 2 for top and bottom, 3
/// for left and right.
///
/// `images` is `[batch, channels, height, width]`, `chosen` is `[batch]`.
///
/// ```
/// use burn::prelude::*;
/// use burn::vision::flip_images;
///
/// fn second_flipped<B: Backend>(images: Tensor<B, 4>) -> Tensor<B, 4> {
///     let chosen = Tensor::<B, 1, Bool>::from_data([false, true], &images.device());
///     flip_images(images, chosen, 3)
/// }
/// ```
///
/// # Panics
/// If the batches differ or `dim` is not a dimension.
#[track_caller]
pub fn flip_images<B: Backend>(images: Tensor<B, 4>, chosen: Tensor<B, 1, Bool>, dim: usize) -> Tensor<B, 4> {
    let batch = images.dims()[0];
    let flipped = images.clone().flip([dim]);
    images.mask_where(chosen.reshape([batch, 1, 1, 1]), flipped)
}

/// Rotates, scales and translates the images of a batch around their centres; pixels from outside of an image
/// are zero.
///
/// `images` is `[batch, channels, height, width]`. Each of the others is `[batch]`: `angles` in radians,
/// counted against the clock; `scales`, where 2 shows everything at twice its size; `shifts`, how far to the
/// right and down, as parts of the width and the height. Pixels are interpolated bilinearly. torchvision:
/// `affine`.
///
/// A pixel at `p` of the result, counted from the centre in pixels, is that at `R(p - s) / scale` of the
/// image, with the shift `s` and the rotation `R`.
///
/// # Panics
/// If the batches differ.
#[track_caller]
pub fn affine_images<B: Backend>(
    images: Tensor<B, 4>,
    angles: Tensor<B, 1>,
    scales: Tensor<B, 1>,
    shifts: [Tensor<B, 1>; 2],
) -> Tensor<B, 4> {
    let size @ [batch, _, height, width] = images.dims();
    let (cosine, sine) = (angles.clone().cos() / scales.clone(), angles.sin() / scales);
    // The grid counts from -1 to 1 along both sides, so a rotation of an image that is no square has their
    // ratio in it.
    let ratio = height.max(1) as f64 / width.max(1) as f64;
    let [right, down] = shifts.map(|shift| shift * 2.0);
    let (across, upright) = (sine.clone() * -ratio, sine / ratio);
    let start_x = -(cosine.clone() * right.clone() + across.clone() * down.clone());
    let start_y = -(upright.clone() * right + cosine.clone() * down);
    let rows = [cosine.clone(), across, start_x, upright, cosine, start_y];
    let theta = Tensor::stack::<2>(rows.to_vec(), 1).reshape([batch, 2, 3]);
    grid_sample_2d(images, affine_grid(theta, size, false), GridSampleOptions::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_ndarray::NdArray;
    use burn_tensor::TensorData;

    type B = NdArray;

    fn images() -> Tensor<B, 4> {
        Tensor::<B, 1>::from_data([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], &Default::default())
            .reshape([2, 1, 2, 2])
    }

    fn vector(values: [f32; 2]) -> Tensor<B, 1> {
        Tensor::from_data(values, &Default::default())
    }

    fn near(result: Tensor<B, 4>, expected: &[f32]) {
        let result: Vec<f32> = result.into_data().iter::<f32>().collect();
        let is_near = result.iter().zip(expected).all(|(result, expected)| (result - expected).abs() < 1e-5);
        assert!(result.len() == expected.len() && is_near, "{result:?}, not {expected:?}");
    }

    #[test]
    fn only_chosen_images_are_flipped() {
        let chosen = Tensor::<B, 1, Bool>::from_data([false, true], &Default::default());
        near(flip_images(images(), chosen.clone(), 3), &[1.0, 2.0, 3.0, 4.0, 6.0, 5.0, 8.0, 7.0]);
        near(flip_images(images(), chosen.bool_not(), 2), &[3.0, 4.0, 1.0, 2.0, 5.0, 6.0, 7.0, 8.0]);
    }

    #[test]
    fn nothing_changes_without_turn_scale_and_shift() {
        let still =
            affine_images(images(), vector([0.0; 2]), vector([1.0; 2]), [vector([0.0; 2]), vector([0.0; 2])]);
        near(still, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    }

    #[test]
    fn a_quarter_turn_is_against_the_clock() {
        let quarter = std::f32::consts::FRAC_PI_2;
        let turned = affine_images(
            images(),
            vector([quarter, 0.0]),
            vector([1.0; 2]),
            [vector([0.0; 2]), vector([0.0; 2])],
        );
        // numpy.rot90 of [[1, 2], [3, 4]] is [[2, 4], [1, 3]].
        near(turned, &[2.0, 4.0, 1.0, 3.0, 5.0, 6.0, 7.0, 8.0]);
    }

    #[test]
    fn a_half_turn_of_an_oblong_image_turns_both_sides_over() {
        let image = Tensor::<B, 1>::from_data([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &Default::default());
        let one = |value: f32| Tensor::<B, 1>::from_data([value], &Default::default());
        let turned = affine_images(
            image.reshape([1, 1, 2, 3]),
            one(std::f32::consts::PI),
            one(1.0),
            [one(0.0), one(0.0)],
        );
        near(turned, &[6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
    }

    #[test]
    fn a_shift_moves_to_the_right_and_down_and_leaves_zeros() {
        let shifted = affine_images(
            images(),
            vector([0.0; 2]),
            vector([1.0; 2]),
            [vector([0.5, 0.0]), vector([0.0, 0.5])],
        );
        near(shifted, &[0.0, 1.0, 0.0, 3.0, 0.0, 0.0, 5.0, 6.0]);
    }

    #[test]
    fn a_scale_of_two_shows_the_middle() {
        let values: Vec<f32> = (0..16).map(|value| value as f32).collect();
        let image = Tensor::<B, 4>::from_data(TensorData::new(values, [1, 1, 4, 4]), &Default::default());
        let one = |value: f32| Tensor::<B, 1>::from_data([value], &Default::default());
        let zoomed = affine_images(image, one(0.0), one(2.0), [one(0.0), one(0.0)]);
        // Row r, column c of the result lies at 0.75 + r / 2, 0.75 + c / 2 of the image, whose value is 4 row
        // + column.
        let expected: Vec<f32> = (0..16)
            .map(|place| 4.0 * (0.75 + (place / 4) as f32 / 2.0) + 0.75 + (place % 4) as f32 / 2.0)
            .collect();
        near(zoomed, &expected);
    }
}
