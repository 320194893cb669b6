use super::grid::bilinear;
use crate::check::ensure;
use crate::create::made;
use crate::{Tensor, TensorError};
use burn_backend::{Backend, ConvArgs, ConvOptions, Convolution, Operation, TensorData, output_specs};
use burn_derive::fallible;

/// Computes a deformable convolution (Dai et al. 2017; with a mask, Zhu et al. 2018): each kernel element
/// samples the input at its position plus a learned offset, by bilinear interpolation; samples outside of the
/// image are zero. PyTorch: `torchvision.ops.deform_conv2d`.
///
/// ```text
/// y[p] = sum over k of weight[k] mask[k, p] x[p stride - padding + k dilation + offset[k, p]] + bias
/// ```
///
/// `x: [batch, channels_in, height, width]`, `weight: [channels_out, channels_in / groups, kernel_h,
/// kernel_w]`, `offset: [batch, offset_groups kernel_h kernel_w 2, out_h, out_w]` in pixels, vertical before
/// horizontal, `mask: [batch, offset_groups kernel_h kernel_w, out_h, out_w]`, `bias: [channels_out]`. The
/// input channels are split into `offset_groups` groups that share offsets; their number follows from the
/// channels of `offset`.
///
/// # Errors
/// When the shapes of the operands do not fit each other, or the kernel is larger than the padded input.
#[fallible]
pub fn try_deform_conv2d<B: Backend>(
    x: Tensor<B, 4>,
    offset: Tensor<B, 4>,
    weight: Tensor<B, 4>,
    mask: Option<Tensor<B, 4>>,
    bias: Option<Tensor<B, 1>>,
    options: ConvOptions,
) -> Result<Tensor<B, 4>, TensorError> {
    let specs = ConvArgs {
        x: x.spec(),
        weight: weight.spec(),
        bias: bias.as_ref().map(|bias| bias.spec()),
        options: options.clone(),
    };
    let target = output_specs(&Operation::Convolution(Convolution::Conv(specs.into())))?.one().shape;
    let ([batch, channels, height, width], [outputs, inputs, kernel_h, kernel_w]) = (x.dims(), weight.dims());
    let (rows, columns, groups) = (target[2], target[3], options.groups);
    let (kernel, places) = (kernel_h * kernel_w, rows * columns);
    let found = offset.dims();
    let fields = if kernel == 0 { 0 } else { found[1] / (2 * kernel) };
    ensure!(
        fields > 0 && found == [batch, fields * 2 * kernel, rows, columns] && channels.is_multiple_of(fields),
        "deform_conv2d",
        "wrong shape of the offsets; expected [{batch}, 2 offset_groups {kernel}, {rows}, {columns}] with offset_groups \
         dividing the {channels} channels, got {found:?}"
    );
    let offset = offset.try_reshape([batch * fields, kernel, 2, places])?;
    let (dtype, device) = (x.dtype(), x.device());
    let place = |d: usize| {
        let stays = (0..kernel).flat_map(|k| (0..places).map(move |p| (k, p)));
        let stays = stays.map(|(k, p)| {
            let (k, p) = if d == 0 { (k / kernel_w, p / columns) } else { (k % kernel_w, p % columns) };
            (p * options.stride[d] + k * options.dilation[d]) as f64 - options.padding[d] as f64
        });
        let shape = [1, kernel * places];
        let data = TensorData::new(made(shape, stays)?, shape).convert_dtype(dtype);
        let moves = offset.clone().try_narrow(2, d, 1)?.try_reshape([batch * fields, kernel * places])?;
        moves.try_add(Tensor::from_handle(B::from_data(data, &device)))
    };
    let (down, across) = (place(0)?, place(1)?);
    let planes = x.try_reshape([batch * fields, channels / fields, height * width])?;
    let mut samples = bilinear(planes, [height, width], down, across)?;
    if let Some(mask) = mask {
        let (found, wanted) = (mask.dims(), [batch, fields * kernel, rows, columns]);
        ensure!(
            found == wanted,
            "deform_conv2d",
            "wrong shape of the mask; expected {wanted:?}, got {found:?}"
        );
        samples = samples.try_mul(mask.try_reshape([batch * fields, 1, kernel * places])?)?;
    }
    let samples = samples.try_reshape([batch, groups, inputs * kernel, places])?;
    let weight = weight.try_reshape([1, groups, outputs / groups, inputs * kernel])?;
    let y = weight.try_matmul(samples)?.try_reshape([batch, outputs, rows, columns])?;
    match bias {
        Some(bias) => y.try_add(bias.try_reshape([1, outputs, 1, 1])?),
        None => Ok(y),
    }
}
