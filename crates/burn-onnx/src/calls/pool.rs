//! Pooling over spatial dimensions.

use super::convolution::windows;
use super::declare::calls;
use super::{DimsList, Flag, Operand, Same};
use crate::error::{Outcome, require};
use crate::value::{Expr, Spec};
use burn_ir::DType;
#[cfg(feature = "run")]
use burn_tensor::ops::PoolOptions;

calls! {
    /// Largest element of each window.
    float ranked fn max_pool(x: Same, size: DimsList, strides: DimsList, pads: DimsList, dilations: DimsList) -> one pooled
        => x.try_max_pool(PoolOptions { kernel: size.into(), stride: strides.into(), padding: pads.into(), dilation: dilations.into() })?;
    /// Largest element of each window, and its index in the spatial dimensions.
    float ranked fn max_pool_with_indices(x: Same, size: DimsList, strides: DimsList, pads: DimsList, dilations: DimsList) -> many pooled_twice
        => x.try_max_pool_with_indices(PoolOptions { kernel: size.into(), stride: strides.into(), padding: pads.into(), dilation: dilations.into() })?;
    /// Mean of each window; padding counts as zeros, or not at all.
    float ranked fn avg_pool(x: Same, size: DimsList, strides: DimsList, pads: DimsList, dilations: DimsList, include: Flag) -> one pooled
        => x.try_avg_pool(PoolOptions { kernel: size.into(), stride: strides.into(), padding: pads.into(), dilation: dilations.into() }, include)?;
}

fn pooled(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let x = operands[0].tensor()?;
    let mut dims = x.held_dims().to_vec();
    let lists: Vec<Vec<usize>> = operands[1..5].iter().map(Operand::axes).collect::<Outcome<_>>()?;
    for (d, dim) in dims[2..].iter_mut().enumerate() {
        let (kernel, stride, padding, dilation) = (lists[0][d], lists[1][d], lists[2][d], lists[3][d]);
        require!(stride > 0, "the stride is 0");
        *dim = windows(dim, &Expr::from(kernel), stride, (padding, padding), dilation);
    }
    Ok(vec![Spec::new(x.dtype(), dims)])
}

fn pooled_twice(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let mut specs = pooled(operands)?;
    specs.push(Spec::new(DType::I64, specs[0].dims.clone()));
    Ok(specs)
}
