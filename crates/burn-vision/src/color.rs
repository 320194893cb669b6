use burn_tensor::{Backend, Int, Tensor};

/// Multiplies the values of each image with a factor of its own.
///
/// `images` is `[batch, channels, height, width]`, `factors` is `[batch]`; values are not cut. torchvision:
/// `adjust_brightness`.
///
/// # Panics
/// If the batches differ.
#[track_caller]
pub fn scale_brightness<B: Backend>(images: Tensor<B, 4>, factors: Tensor<B, 1>) -> Tensor<B, 4> {
    let batch = images.dims()[0];
    images * factors.reshape([batch, 1, 1, 1])
}

/// Multiplies the distance of the values of each image from their mean with a factor of its own.
///
/// `images` is `[batch, channels, height, width]`, `factors` is `[batch]`; the mean is that of all channels,
/// and values are not cut.
///
/// # Panics
/// If the batches differ.
#[track_caller]
pub fn scale_contrast<B: Backend>(images: Tensor<B, 4>, factors: Tensor<B, 1>) -> Tensor<B, 4> {
    let size @ [batch, ..] = images.dims();
    let mean = images.clone().reshape([batch as i64, -1]).mean_dim(1).reshape([batch, 1, 1, 1]).expand(size);
    mean.clone() + (images - mean) * factors.reshape([batch, 1, 1, 1])
}

/// Sets a rectangle of each image to zero.
///
/// `images` is `[batch, channels, height, width]`; `begins` has the first row and the first column of each
/// rectangle, `ends` those after it, each `[batch]`.
///
/// # Panics
/// If the batches differ.
#[track_caller]
pub fn erase_rectangles<B: Backend>(
    images: Tensor<B, 4>,
    begins: [Tensor<B, 1, Int>; 2],
    ends: [Tensor<B, 1, Int>; 2],
) -> Tensor<B, 4> {
    let [batch, channels, height, width] = images.dims();
    let device = images.device();
    let [top, left] = begins;
    let [bottom, right] = ends;
    let inside = |size: usize, begin: Tensor<B, 1, Int>, end: Tensor<B, 1, Int>| {
        let places =
            Tensor::<B, 1, Int>::arange(0..size as i64, &device).reshape([1, size]).expand([batch, size]);
        let column = |edge: Tensor<B, 1, Int>| edge.reshape([batch, 1]).expand([batch, size]);
        places.clone().greater_equal(column(begin)).bool_and(places.lower(column(end)))
    };
    let rows =
        inside(height, top, bottom).reshape([batch, 1, height, 1]).expand([batch, channels, height, width]);
    let columns =
        inside(width, left, right).reshape([batch, 1, 1, width]).expand([batch, channels, height, width]);
    images.mask_fill(rows.bool_and(columns), 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_ndarray::NdArray;

    type B = NdArray;

    fn images() -> Tensor<B, 4> {
        let values = [1.0, 2.0, 3.0, 6.0, 0.0, 4.0, 4.0, 8.0];
        Tensor::<B, 1>::from_data(values, &Default::default()).reshape([2, 1, 2, 2])
    }

    fn values(tensor: Tensor<B, 4>) -> Vec<f32> {
        tensor.into_data().iter::<f32>().collect()
    }

    #[test]
    fn each_image_has_its_factor() {
        let factors = Tensor::<B, 1>::from_data([2.0, 0.5], &Default::default());
        let brighter = scale_brightness(images(), factors.clone());
        assert_eq!(values(brighter), [2.0, 4.0, 6.0, 12.0, 0.0, 2.0, 2.0, 4.0]);
        // The means are 3 and 4.
        let contrast = scale_contrast(images(), factors);
        assert_eq!(values(contrast), [-1.0, 1.0, 3.0, 9.0, 2.0, 4.0, 4.0, 6.0]);
    }

    #[test]
    fn each_image_has_its_rectangle() {
        let places = |values: [i64; 2]| Tensor::<B, 1, Int>::from_data(values, &Default::default());
        let erased =
            erase_rectangles(images(), [places([0, 1]), places([1, 0])], [places([2, 1]), places([2, 2])]);
        // The second column of the first image; of the second one nothing, for its rectangle has no row.
        assert_eq!(values(erased), [1.0, 0.0, 3.0, 0.0, 0.0, 4.0, 4.0, 8.0]);
    }
}
