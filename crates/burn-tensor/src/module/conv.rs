use crate::check::ensure;
use crate::{Tensor, TensorError};
use burn_backend::{Backend, ConvOptions, Dims, Shape};
use burn_derive::fallible;

/// One-dimensional convolution: `[batch, channels, length]`. See [`Tensor::conv`].
/// PyTorch: `torch.nn.functional.conv1d`.
#[fallible]
pub fn try_conv1d<B: Backend>(
    x: Tensor<B, 3>,
    weight: Tensor<B, 3>,
    bias: Option<Tensor<B, 1>>,
    options: ConvOptions,
) -> Result<Tensor<B, 3>, TensorError> {
    x.try_conv(weight, bias, options)
}

/// Two-dimensional convolution: `[batch, channels, height, width]`. See [`Tensor::conv`].
/// PyTorch: `torch.nn.functional.conv2d`.
#[fallible]
pub fn try_conv2d<B: Backend>(
    x: Tensor<B, 4>,
    weight: Tensor<B, 4>,
    bias: Option<Tensor<B, 1>>,
    options: ConvOptions,
) -> Result<Tensor<B, 4>, TensorError> {
    x.try_conv(weight, bias, options)
}

/// Three-dimensional convolution: `[batch, channels, depth, height, width]`. See [`Tensor::conv`].
/// PyTorch: `torch.nn.functional.conv3d`.
///
/// # Errors
/// When channels or ranks do not fit, or the kernel is larger than the padded input.
#[fallible]
pub fn try_conv3d<B: Backend>(
    x: Tensor<B, 5>,
    weight: Tensor<B, 5>,
    bias: Option<Tensor<B, 1>>,
    options: ConvOptions,
) -> Result<Tensor<B, 5>, TensorError> {
    x.try_conv(weight, bias, options)
}

/// Options of a transposed convolution; one entry per spatial dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvTransposeOptions {
    /// How far apart the input elements are spread.
    pub stride: Dims,
    /// How much is cut off at both sides.
    pub padding: Dims,
    /// How much of the cut comes back at the end, less than the stride: a strided convolution gives one output size for
    /// several inputs, and this says which of them to go back to.
    pub padding_out: Dims,
    /// Distance between elements of the kernel.
    pub dilation: Dims,
    /// Independent groups of channels.
    pub groups: usize,
}

impl ConvTransposeOptions {
    /// Stride 1, no padding, no dilation, one group.
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

    /// `(input - 1) stride - 2 padding + dilation (kernel - 1) + padding_out + 1`.
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
    let fits = options.padding_out.iter().zip(options.stride.iter()).all(|(out, stride)| out < stride);
    ensure!(
        fits,
        operation,
        "padding_out {:?} is not below the stride {:?}",
        options.padding_out,
        options.stride
    );
    let Some(target) = options.target(&own, &kernel) else {
        let message = format_args!("input {own:?}, weight {kernel:?} and {options:?} leave nothing");
        return Err(TensorError::argument(operation, message));
    };
    let channels = target[1];
    let ConvTransposeOptions { stride, padding, padding_out: _, dilation, groups } = options;
    let y = x.try_conv_transpose(weight, target, ConvOptions { stride, padding, dilation, groups })?;
    let Some(bias) = bias else { return Ok(y) };
    let [found] = bias.dims();
    ensure!(found == channels, operation, "{found} numbers of bias for {channels} channels");
    y.try_add(bias.try_reshape(Shape::from([1; D]).with(1, channels))?)
}

macro_rules! transposed {
    ($($name:ident, $operation:literal, $rank:literal, $shape:literal, $torch:literal;)*) => {$(
        #[doc = concat!("Transposed convolution of `", $shape, "`: the gradient of a convolution by its input.")]
        ///
        /// `weight: [channels_in, channels_out / groups, ..]`, `bias: [channels_out]`. Each spatial size becomes
        /// `(size - 1) stride - 2 padding + dilation (kernel - 1) + padding_out + 1`.
        #[doc = concat!("PyTorch: `torch.nn.functional.", $torch, "`.")]
        ///
        /// # Errors
        /// When channels do not fit, nothing is left, or `padding_out` is not below the stride.
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
