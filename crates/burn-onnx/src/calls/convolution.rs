//! Convolutions.

use super::declare::calls;
use super::{Count, Counts, DimsList, Fixed, Maybe, Operand, Same};
use crate::error::{Outcome, require};
use crate::value::{Expr, Spec};
#[cfg(feature = "run")]
use burn_tensor::{module, ops::ConvOptions};

/// Windows of a convolution, by spatial dimension, and its groups. Paddings are one entry for each dimension,
/// or two.
#[derive(Clone, Copy, Debug)]
pub struct ConvWindow<'a> {
    pub strides: &'a [usize],
    pub pads: &'a [usize],
    pub dilations: &'a [usize],
    pub group: usize,
}

calls! {
    /// Convolution over the spatial dimensions.
    float ranked fn conv(x: Same, weight: Same, bias: Maybe<Fixed<1>>; window: ConvWindow { strides: DimsList, pads: DimsList, dilations: DimsList, group: Count }) -> one convolved
        => x.try_conv(weight, bias, ConvOptions { stride: strides.into(), padding: pads.into(), dilation: dilations.into(), groups: group })?;
    /// Convolution whose kernel elements are moved by offsets and weighted by a mask.
    float erased fn deform_conv2d(x: Fixed<4>, weight: Fixed<4>, offset: Fixed<4>, mask: Maybe<Fixed<4>>, bias: Maybe<Fixed<1>>; window: ConvWindow { strides: DimsList, pads: DimsList, dilations: DimsList, group: Count }) -> one deformed
        => module::try_deform_conv2d(x, offset, weight, mask, bias, ConvOptions { stride: strides.into(), padding: pads.into(), dilation: dilations.into(), groups: group })?;
    /// Transposed convolution over the spatial dimensions, to the shape of the result.
    float ranked fn conv_transpose(x: Same, weight: Same, target: Counts; window: ConvWindow { strides: DimsList, pads: DimsList, dilations: DimsList, group: Count }) -> one transposed
        => x.try_conv_transpose(weight, target, ConvOptions { stride: strides.into(), padding: pads.into(), dilation: dilations.into(), groups: group })?;
}

fn convolved(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (x, weight) = (operands[0].tensor()?, operands[1].tensor()?);
    let (sizes, kernel) = (x.held_dims(), weight.held_dims());
    require!(
        sizes.len() == kernel.len() && sizes.len() >= 3,
        "expected a kernel of the rank of {sizes:?}, got {kernel:?}"
    );
    let (strides, pads, dilations) = (operands[3].axes()?, operands[4].axes()?, operands[5].axes()?);
    let mut dims = vec![sizes[0].clone(), kernel[0].clone()];
    let after = pads.len() - strides.len();
    for d in 0..sizes.len() - 2 {
        require!(strides[d] > 0, "the stride is 0");
        dims.push(windows(
            &sizes[d + 2],
            &kernel[d + 2],
            strides[d],
            (pads[d], pads[after + d]),
            dilations[d],
        ));
    }
    Ok(vec![Spec::new(x.dtype(), dims)])
}

fn deformed(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let absent = Operand::Absent;
    let [x, weight, _, _, _, strides, pads, dilations, ..] = operands else { return convolved(operands) };
    convolved(&[x.clone(), weight.clone(), absent, strides.clone(), pads.clone(), dilations.clone()])
}

/// How often a kernel fits: `(size + padding - dilation (kernel - 1) - 1) / stride + 1`.
pub(crate) fn windows(
    size: &Expr,
    kernel: &Expr,
    stride: usize,
    padding: (usize, usize),
    dilation: usize,
) -> Expr {
    let reach = (kernel.clone() - 1) * dilation + 1;
    let room = size.clone() + padding.0 + padding.1 - reach;
    room / stride + 1
}

fn transposed(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    Ok(vec![Spec::new(operands[0].tensor()?.dtype(), operands[2].numbers()?)])
}
