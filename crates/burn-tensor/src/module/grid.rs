use crate::check::ensure;
use crate::create::{fits, made};
use crate::{Bool, Int, Tensor, TensorError};
use burn_backend::{Backend, Shape, TensorData};
use burn_derive::fallible;

/// Interpolation mode of [`grid_sample_2d`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GridSampleMode {
    /// Bilinear interpolation of the four neighbouring pixels. PyTorch: `mode='bilinear'`.
    #[default]
    Bilinear,
    /// The pixel with the nearest centre, ties to the even index; the gradient of the grid is zero.
    /// PyTorch: `mode='nearest'`.
    Nearest,
}

/// Padding mode of [`grid_sample_2d`]: values outside of the image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GridSamplePadding {
    /// Zeros. PyTorch: `padding_mode='zeros'`.
    #[default]
    Zeros,
    /// The nearest pixel of the border. PyTorch: `padding_mode='border'`.
    Border,
    /// Reflection of the image at its border, repeated. PyTorch: `padding_mode='reflection'`.
    Reflection,
}

/// Options of [`grid_sample_2d`]; bilinear with zero padding by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GridSampleOptions {
    /// Interpolation mode.
    pub mode: GridSampleMode,
    /// Padding mode: values outside of the image.
    pub padding: GridSamplePadding,
    /// Whether -1 and 1 are the centres of the corner pixels; otherwise they are the outer edges of these
    /// pixels.
    pub align_corners: bool,
}

/// Samples `x: [batch, channels, height, width]` at the points of `grid: [batch, rows, columns, 2]`; the
/// result is `[batch, channels, rows, columns]`. PyTorch: `torch.nn.functional.grid_sample`.
///
/// The last dimension of the grid is `(x, y)`: from -1 at the left to 1 at the right, from -1 at the top to 1
/// at the bottom.
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, module::*};
/// fn rotated<B: Backend>(images: Tensor<B, 4>, rotations: Tensor<B, 3>) -> Tensor<B, 4> {
///     let grid = affine_grid(rotations, images.dims(), false);
///     grid_sample_2d(images, grid, GridSampleOptions::default())
/// }
/// ```
///
/// # Errors
/// When the batches differ, the last size of the grid is not 2, or the image has no pixel.
#[fallible]
pub fn try_grid_sample_2d<B: Backend>(
    x: Tensor<B, 4>,
    grid: Tensor<B, 4>,
    options: GridSampleOptions,
) -> Result<Tensor<B, 4>, TensorError> {
    let ([batch, channels, height, width], [grids, rows, columns, pair]) = (x.dims(), grid.dims());
    let (image, points) = (x.shape(), grid.shape());
    ensure!(
        pair == 2 && grids == batch,
        "grid_sample_2d",
        "wrong shape of the grid for images {image:?}; expected [{batch}, rows, columns, 2], got {points:?}"
    );
    ensure!(height > 0 && width > 0, "grid_sample_2d", "images {image:?} have no pixel");
    let count = rows * columns;
    let grid = grid.try_reshape([batch, count, 2])?;
    let pixels = |d: usize, size: usize| {
        let along = grid.clone().try_narrow(2, d, 1)?.try_reshape([batch, count])?;
        pixels(along, size, options)
    };
    let (across, down) = (pixels(0, width)?, pixels(1, height)?);
    let planes = x.try_reshape([batch, channels, height * width])?;
    let values = match options.mode {
        GridSampleMode::Bilinear => bilinear(planes, [height, width], down, across)?,
        GridSampleMode::Nearest => at(&planes, [height, width], down.round(), across.round())?,
    };
    values.try_reshape([batch, channels, rows, columns])
}

/// Converts coordinates in -1..1 to pixels, moved into the image by `Border` and `Reflection`.
#[track_caller]
fn pixels<B: Backend>(
    along: Tensor<B, 2>,
    size: usize,
    options: GridSampleOptions,
) -> Result<Tensor<B, 2>, TensorError> {
    let (size, last) = (size as f64, size as f64 - 1.0);
    let place = match options.align_corners {
        true => along.try_add_scalar(1)?.try_mul_scalar(last / 2.0)?,
        false => along.try_add_scalar(1)?.try_mul_scalar(size / 2.0)?.try_sub_scalar(0.5)?,
    };
    match options.padding {
        GridSamplePadding::Zeros => Ok(place),
        GridSamplePadding::Border => place.try_clamp(0.0, last),
        GridSamplePadding::Reflection => {
            let (low, span) = if options.align_corners { (0.0, last) } else { (-0.5, size) };
            if span == 0.0 {
                return place.try_mul_scalar(0);
            }
            // A triangle wave with the period of the image and its reflection.
            let round = place.try_sub_scalar(low)?.try_remainder_scalar(2.0 * span)?;
            let back = -round.try_sub_scalar(span)?.abs();
            back.try_add_scalar(span + low)?.try_clamp(0.0, last)
        }
    }
}

/// Samples bilinearly `planes: [batch, channels, height width]` at `[batch, points]` in pixels, zero outside:
/// `[batch, channels, points]`.
#[track_caller]
pub(super) fn bilinear<B: Backend>(
    planes: Tensor<B, 3>,
    size: [usize; 2],
    down: Tensor<B, 2>,
    across: Tensor<B, 2>,
) -> Result<Tensor<B, 3>, TensorError> {
    // Infinite coordinates would give NaN weights; everything beyond -1 and the size is zero anyway.
    let down = down.try_clamp(-2.0, size[0] as f64 + 1.0)?;
    let across = across.try_clamp(-2.0, size[1] as f64 + 1.0)?;
    let (top, left) = (down.clone().detach().floor(), across.clone().detach().floor());
    let (bottom, right) = (top.clone().try_add_scalar(1)?, left.clone().try_add_scalar(1)?);
    let (low, far) = (down.try_sub(top.clone())?, across.try_sub(left.clone())?);
    let (high, near) = ((-low.clone()).try_add_scalar(1)?, (-far.clone()).try_add_scalar(1)?);
    let corners = [
        (&top, &left, &high, &near),
        (&top, &right, &high, &far),
        (&bottom, &left, &low, &near),
        (&bottom, &right, &low, &far),
    ];
    let mut sum: Option<Tensor<B, 3>> = None;
    for (row, column, vertical, horizontal) in corners {
        let weight = vertical.clone().try_mul(horizontal.clone())?.try_unsqueeze_dim::<3>(1)?;
        let part = at(&planes, size, row.clone(), column.clone())?.try_mul(weight)?;
        sum = Some(match sum {
            Some(sum) => sum.try_add(part)?,
            None => part,
        });
    }
    Ok(sum.unwrap_or(planes))
}

/// Returns values at integer coordinates; zero outside.
#[track_caller]
fn at<B: Backend>(
    planes: &Tensor<B, 3>,
    [height, width]: [usize; 2],
    row: Tensor<B, 2>,
    column: Tensor<B, 2>,
) -> Result<Tensor<B, 3>, TensorError> {
    let [batch, channels, _] = planes.dims();
    let points = row.dims()[1];
    let outside = |place: &Tensor<B, 2>, size: usize| -> Result<Tensor<B, 2, Bool>, TensorError> {
        let inside = place.clone().greater_equal_elem(0);
        Ok(inside.try_bool_and(place.clone().lower_elem(size as f64))?.bool_not())
    };
    let outside = outside(&row, height)?.try_bool_or(outside(&column, width)?)?;
    // Int from here on: a flat index of a large image is not exact as a float.
    let place =
        |place: Tensor<B, 2>, size: usize| place.try_clamp(0.0, size as f64 - 1.0).map(|place| place.int());
    let row: Tensor<B, 2, Int> = place(row, height)?.try_mul_scalar(width)?;
    let index = row.try_add(place(column, width)?)?.try_unsqueeze_dim::<3>(1)?;
    let values = planes.clone().gather(2, index.try_expand([batch, channels, points])?);
    values.try_mask_fill(outside.try_unsqueeze_dim::<3>(1)?, 0)
}

/// Returns the sampling grid of affine transformations `theta: [batch, 2, 3]`, for [`grid_sample_2d`]:
/// `(x, y) = theta (column, row, 1)` in normalized coordinates. `size` is that of the result of the sampling,
/// `[batch, channels, height, width]`; the grid is `[batch, height, width, 2]`.
/// PyTorch: `torch.nn.functional.affine_grid`.
///
/// # Errors
/// When `theta` is not `[batch, 2, 3]`.
#[fallible]
pub fn try_affine_grid<B: Backend>(
    theta: Tensor<B, 3>,
    size: [usize; 4],
    align_corners: bool,
) -> Result<Tensor<B, 4>, TensorError> {
    let [batch, _, height, width] = size;
    let maps = theta.dims();
    ensure!(
        maps == [batch, 2, 3],
        "affine_grid",
        "wrong shape of theta; expected [{batch}, 2, 3], got {maps:?}"
    );
    fits("affine_grid", &Shape::from([batch, height, width, 3]), 4, theta.dtype())?;
    let along = |i: usize, size: usize| {
        let steps = if align_corners { size as f64 - 1.0 } else { size as f64 };
        let shift = if align_corners { 0.0 } else { 1.0 };
        if steps == 0.0 { 0.0 } else { (2.0 * i as f64 + shift) / steps - 1.0 }
    };
    let points = (0..height).flat_map(|row| (0..width).map(move |column| (row, column)));
    let points = points.flat_map(|(row, column)| [along(column, width), along(row, height), 1.0]);
    let shape = [1, height * width, 3];
    let data = TensorData::new(made(shape, points)?, shape);
    let points =
        Tensor::<B, 3>::from_handle(B::from_data(data.convert_dtype(theta.dtype()), &theta.device()));
    points.try_matmul(theta.try_transpose()?)?.try_reshape([batch, height, width, 2])
}
