use crate::check::ensure;
use crate::{Tensor, TensorError};
use alloc::vec::Vec;
use burn_backend::{Backend, ConvOptions, Dims, Shape};
use burn_derive::fallible;

macro_rules! convolutions {
    ($($(#[$docs:meta])* $name:ident, $rank:literal;)*) => {$(
        $(#[$docs])*
        ///
        /// # Errors
        /// When channels or ranks do not fit, or the kernel is larger than the padded input.
        #[fallible]
        pub fn $name<B: Backend>(
            x: Tensor<B, $rank>,
            weight: Tensor<B, $rank>,
            bias: Option<Tensor<B, 1>>,
            options: ConvOptions,
        ) -> Result<Tensor<B, $rank>, TensorError> {
            x.try_conv(weight, bias, options)
        }
    )*};
}

convolutions! {
    /// Computes a one-dimensional convolution: `[batch, channels_in, length]` to `[batch, channels_out,
    /// length_out]`. See [`Tensor::conv`]. PyTorch: `torch.nn.functional.conv1d`.
    try_conv1d, 3;
    /// Computes a two-dimensional convolution: `[batch, channels_in, height, width]` to `[batch,
    /// channels_out, height_out, width_out]`. See [`Tensor::conv`]. PyTorch: `torch.nn.functional.conv2d`.
    try_conv2d, 4;
    /// Computes a three-dimensional convolution: `[batch, channels_in, depth, height, width]` to `[batch,
    /// channels_out, depth_out, height_out, width_out]`. See [`Tensor::conv`]. PyTorch:
    /// `torch.nn.functional.conv3d`.
    try_conv3d, 5;
}

/// Options of a transposed convolution; one entry per spatial dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvTransposeOptions {
    /// Stride of the convolution whose gradient this is: distance between the output positions of
    /// neighbouring input elements.
    pub stride: Dims,
    /// Padding of the convolution whose gradient this is: elements removed from both sides of the output.
    pub padding: Dims,
    /// Output padding: additional size of the output at the end of each dimension, less than the stride or
    /// the dilation. A strided convolution gives one output size for several input sizes; this chooses among
    /// them.
    pub padding_out: Dims,
    /// Dilation: distance between kernel elements.
    pub dilation: Dims,
    /// Number of groups; input and output channels are split into that many independent convolutions.
    pub groups: usize,
}

impl ConvTransposeOptions {
    /// Returns stride 1, no padding, dilation 1 and one group for `spatial` dimensions.
    pub fn new(spatial: usize) -> Self {
        let (ones, zeros) = (Dims::repeat(1, spatial), Dims::repeat(0, spatial));
        ConvTransposeOptions {
            stride: ones.clone(),
            padding: zeros.clone(),
            padding_out: zeros,
            dilation: ones,
            groups: 1,
        }
    }

    /// Computes `(input - 1) stride - 2 padding + dilation (kernel - 1) + padding_out + 1`.
    fn output_size(&self, spatial: usize, input: usize, kernel: usize) -> Option<usize> {
        let spread = input.checked_sub(1)?.checked_mul(self.stride[spatial])?;
        let reach = kernel.checked_sub(1)?.checked_mul(self.dilation[spatial])?;
        let whole = spread.checked_add(reach)?.checked_add(self.padding_out[spatial])?.checked_add(1)?;
        whole.checked_sub(self.padding[spatial].checked_mul(2)?)
    }

    fn target(&self, x: &[usize], weight: &[usize]) -> Option<Shape> {
        let mut target = Shape::from(x.to_vec());
        target[1] = weight[1].checked_mul(self.groups)?;
        for d in 2..x.len() {
            target[d] = self.output_size(d - 2, x[d], weight[d])?;
        }
        Some(target)
    }
}

#[track_caller]
fn transposed<B: Backend, const D: usize>(
    operation: &'static str,
    x: Tensor<B, D>,
    weight: Tensor<B, D>,
    bias: Option<Tensor<B, 1>>,
    options: ConvTransposeOptions,
) -> Result<Tensor<B, D>, TensorError> {
    let lists = [&options.stride, &options.padding, &options.padding_out, &options.dilation];
    let complete = lists.iter().all(|list| list.len() == D - 2);
    ensure!(complete, operation, "{options:?} are not options of {} dimensions", D - 2);
    let (own, kernel) = (x.shape(), weight.shape());
    let ConvTransposeOptions { stride, padding_out, dilation, groups, .. } = &options;
    let positive = stride.iter().chain(dilation.iter()).all(|&step| step > 0);
    ensure!(positive, operation, "stride {stride:?} and dilation {dilation:?} should be at least 1");
    ensure!(
        (0..D - 2).all(|d| padding_out[d] < stride[d].max(dilation[d])),
        operation,
        "padding_out {padding_out:?} is below neither the stride {stride:?} nor the dilation {dilation:?}"
    );
    ensure!(
        *groups > 0 && own[1].is_multiple_of(*groups),
        operation,
        "the channels of the input, dimension 1 of {own:?}, are not {groups} groups"
    );
    ensure!(
        own[1] == kernel[0],
        operation,
        "channels differ: dimension 1 of the input {own:?} is {}, dimension 0 of the weight {kernel:?} is {}",
        own[1],
        kernel[0]
    );
    let Some(target) = options.target(&own, &kernel) else {
        let message = format_args!("input {own:?}, weight {kernel:?} and {options:?} leave nothing");
        return Err(TensorError::argument(operation, message));
    };
    let channels = target[1];
    let y = spread(x, weight, &target, options)?;
    let Some(bias) = bias else { return Ok(y) };
    let [found] = bias.dims();
    ensure!(found == channels, operation, "{found} numbers of bias for {channels} channels");
    y.try_add(bias.try_reshape(Shape::from([1; D]).with(1, channels))?)
}

/// Computes the transposed convolution without the bias. Where `padding_out` is below the stride it is the
/// gradient of a convolution. Along other dimensions it is a slice of the unpadded one, with zeros where no
/// kernel element reaches.
fn spread<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    weight: Tensor<B, D>,
    target: &Shape,
    options: ConvTransposeOptions,
) -> Result<Tensor<B, D>, TensorError> {
    let ConvTransposeOptions { stride, mut padding, mut padding_out, dilation, groups } = options;
    let cut: Vec<usize> = (0..D - 2).filter(|&d| padding_out[d] >= stride[d]).collect();
    let before = padding.clone();
    for &d in &cut {
        (padding[d], padding_out[d]) = (0, 0);
    }
    let (own, kernel) = (x.shape(), weight.shape());
    let options = ConvTransposeOptions { stride, padding, padding_out, dilation, groups };
    let mut whole = target.clone();
    for &d in &cut {
        // It is no larger than what `target` was computed from.
        whole[d + 2] = options.output_size(d, own[d + 2], kernel[d + 2]).unwrap_or(0);
    }
    let ConvTransposeOptions { stride, padding, dilation, groups, .. } = options;
    let mut y =
        x.try_conv_transpose(weight, whole.clone(), ConvOptions { stride, padding, dilation, groups })?;
    for d in cut {
        let (size, start) = (target[d + 2], before[d].min(whole[d + 2]));
        let kept = size.min(whole[d + 2] - start);
        y = y.try_narrow(d + 2, start, kept)?;
        let mut ends = [(0, 0); D];
        ends[d + 2].1 = size - kept;
        y = y.try_pad(ends.to_vec(), 0)?;
    }
    Ok(y)
}

macro_rules! transposed {
    ($($name:ident, $operation:literal, $rank:literal, $shape:literal, $torch:literal;)*) => {$(
        #[doc = concat!("Transposed convolution of `", $shape, "`: the gradient of a convolution with respect to its input.")]
        ///
        /// `weight: [channels_in, channels_out / groups, ..]`, `bias: [channels_out]`. Each spatial size
        /// becomes `(size - 1) stride - 2 padding + dilation (kernel - 1) + padding_out + 1`.
        #[doc = concat!("PyTorch: `torch.nn.functional.", $torch, "`.")]
        ///
        /// # Errors
        /// When channels do not fit, nothing is left, or `padding_out` is below neither the stride nor the
        /// dilation.
        #[fallible]
        pub fn $name<B: Backend>(
            x: Tensor<B, $rank>,
            weight: Tensor<B, $rank>,
            bias: Option<Tensor<B, 1>>,
            options: ConvTransposeOptions,
        ) -> Result<Tensor<B, $rank>, TensorError> {
            transposed($operation, x, weight, bias, options)
        }
    )*};
}

transposed! {
    try_conv_transpose1d, "conv_transpose1d", 3, "[batch, channels_in, length]", "conv_transpose1d";
    try_conv_transpose2d, "conv_transpose2d", 4, "[batch, channels_in, height, width]", "conv_transpose2d";
    try_conv_transpose3d, "conv_transpose3d", 5, "[batch, channels_in, depth, height, width]", "conv_transpose3d";
}
