use crate::check::ensure;
use crate::create::{fits, made};
use crate::{Int, Numeric, Tensor, TensorError};
use burn_backend::{Backend, ConvOptions, Scalar, Shape, TensorData};
use burn_derive::fallible;

/// Options of [`unfold4d`] and [`fold4d`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnfoldOptions {
    /// Kernel size: height and width of a window.
    pub kernel: [usize; 2],
    /// Stride: distance between neighbouring windows.
    pub stride: [usize; 2],
    /// Zero padding added to both sides of each spatial dimension.
    pub padding: [usize; 2],
    /// Dilation: distance between the elements of a window.
    pub dilation: [usize; 2],
}

impl UnfoldOptions {
    /// Returns stride 1, no padding and dilation 1 for windows of size `kernel`.
    pub fn new(kernel: [usize; 2]) -> Self {
        UnfoldOptions { kernel, stride: [1, 1], padding: [0, 0], dilation: [1, 1] }
    }

    /// Returns the number of windows along each dimension.
    #[track_caller]
    fn windows(&self, operation: &'static str, size: [usize; 2]) -> Result<[usize; 2], TensorError> {
        let UnfoldOptions { kernel, stride, padding, dilation } = *self;
        let options = ConvOptions {
            stride: stride.into(),
            padding: padding.into(),
            dilation: dilation.into(),
            groups: 1,
        };
        let count = |d: usize| options.output_size(d, size[d], kernel[d]);
        match (count(0), count(1)) {
            (Some(rows), Some(columns)) => Ok([rows, columns]),
            _ => {
                let message = format_args!("the window is larger than the padded input {size:?}: {self:?}");
                Err(TensorError::argument(operation, message))
            }
        }
    }

    /// Returns the indices into the padded dimension `d`, for each element of a window and each window.
    fn places<B: Backend>(
        &self,
        d: usize,
        windows: usize,
        device: &B::Device,
    ) -> Result<Tensor<B, 1, Int>, TensorError> {
        let (kernel, stride, dilation) = (self.kernel[d], self.stride[d], self.dilation[d]);
        let places = (0..kernel).flat_map(|k| (0..windows).map(move |i| (k * dilation + i * stride) as i64));
        let shape = [kernel * windows];
        Tensor::try_from_data(TensorData::new(made(shape, places)?, shape), device)
    }
}

/// Extracts sliding windows as columns (im2col): `[batch, channels, height, width]` to
/// `[batch, channels kernel_h kernel_w, windows]`. PyTorch: `torch.nn.functional.unfold`.
///
/// # Errors
/// When a window is larger than the padded input, or a stride is 0.
#[fallible]
pub fn try_unfold4d<B: Backend, K: Numeric>(
    x: Tensor<B, 4, K>,
    options: UnfoldOptions,
) -> Result<Tensor<B, 3, K>, TensorError> {
    let ([batch, channels, height, width], device) = (x.dims(), x.device());
    let [rows, columns] = options.windows("unfold4d", [height, width])?;
    let ([kernel_h, kernel_w], [pad_h, pad_w]) = (options.kernel, options.padding);
    let sizes = [batch, channels, kernel_h, rows, kernel_w, columns];
    fits("unfold4d", &Shape::from(sizes), 6, x.dtype())?;
    let x = x.try_pad([(pad_h, pad_h), (pad_w, pad_w)], 0)?;
    let x = x.select(2, options.places::<B>(0, rows, &device)?);
    let x = x.select(3, options.places::<B>(1, columns, &device)?);
    let x = x.try_reshape(sizes)?.try_permute([0, 1, 2, 4, 3, 5])?;
    x.try_reshape([batch, channels * kernel_h * kernel_w, rows * columns])
}

/// Combines the columns of [`unfold4d`] into an image (col2im): `[batch, channels kernel_h kernel_w,
/// windows]` to `[batch, channels, height, width]`, where `size` is height and width. Overlapping windows are
/// added up. PyTorch: `torch.nn.functional.fold`.
///
/// # Errors
/// When `x` does not have the columns and windows of an image of this size.
#[fallible]
pub fn try_fold4d<B: Backend, K: Numeric>(
    x: Tensor<B, 3, K>,
    size: [usize; 2],
    options: UnfoldOptions,
) -> Result<Tensor<B, 4, K>, TensorError> {
    let ([batch, blocks, found], device) = (x.dims(), x.device());
    let [rows, columns] = options.windows("fold4d", size)?;
    let [kernel_h, kernel_w] = options.kernel;
    let block = kernel_h.saturating_mul(kernel_w);
    ensure!(
        rows.checked_mul(columns) == Some(found) && block > 0 && blocks.is_multiple_of(block),
        "fold4d",
        "wrong shape of the columns; expected [batch, channels {block}, {rows} x {columns}], got {:?}",
        x.shape()
    );
    let channels = blocks / block;
    let [height, width] = [0, 1].map(|d| size[d] + 2 * options.padding[d]);
    let x = x.try_reshape([batch, channels, kernel_h, kernel_w, rows, columns])?;
    let x = x.try_permute([0, 1, 2, 4, 3, 5])?;
    let x = x.try_reshape([batch, channels, kernel_h * rows, kernel_w * columns])?;
    let x = zeros(&x, 2, height)?.select_assign(2, options.places::<B>(0, rows, &device)?, x);
    let x = zeros(&x, 3, width)?.select_assign(3, options.places::<B>(1, columns, &device)?, x);
    x.try_narrow(2, options.padding[0], size[0])?.try_narrow(3, options.padding[1], size[1])
}

/// Returns zeros like `x`, with another size of one dimension.
#[track_caller]
fn zeros<B: Backend, K: Numeric>(
    x: &Tensor<B, 4, K>,
    dim: usize,
    size: usize,
) -> Result<Tensor<B, 4, K>, TensorError> {
    let spec = fits("fold4d", &x.shape().with(dim, size), 4, x.dtype())?;
    Ok(Tensor::from_handle(B::full(spec, Scalar::Int(0), &x.device())))
}
