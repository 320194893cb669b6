//! Elements chosen by indices and by masks.

use super::declare::calls;
use super::{Count, Erased, Fixed, FixedIndex, Index, Mask, Number, Operand, Same, rules};
use crate::builder::UNKNOWN;
use crate::error::{Outcome, require};
use crate::value::Spec;
use burn_ir::DType;
#[cfg(feature = "run")]
use burn_tensor::module;

calls! {
    /// Whole slices of a dimension, in the order of indices.
    any erased fn select(x: Erased, dim: Count, indices: FixedIndex<1>) -> one selected => x.try_select(dim, indices)?;
    /// Rows of a matrix at indices.
    float erased fn embedding(weights: Fixed<2>, indices: FixedIndex<2>) -> one embedded
        => module::try_embedding(weights, indices)?;
    /// Elements along a dimension at indices of the shape of the result.
    any ranked fn gather(x: Same, dim: Count, indices: Index) -> one gathered => x.try_gather(dim, indices)?;
    /// `x` with values written at indices along a dimension.
    any ranked fn scatter_assign(x: Same, dim: Count, indices: Index, values: Same) -> one rules::first
        => x.try_scatter_assign(dim, indices, values)?;
    /// `x` with values added at indices along a dimension.
    num ranked fn scatter_add(x: Same, dim: Count, indices: Index, values: Same) -> one rules::first
        => x.try_scatter_add(dim, indices, values)?;
    /// `x` multiplied by values at indices along a dimension.
    num ranked fn scatter_multiply(x: Same, dim: Count, indices: Index, values: Same) -> one rules::first
        => x.try_scatter_multiply(dim, indices, values)?;
    /// The smaller of `x` and of values at indices along a dimension.
    num ranked fn scatter_min(x: Same, dim: Count, indices: Index, values: Same) -> one rules::first
        => x.try_scatter_min(dim, indices, values)?;
    /// The larger of `x` and of values at indices along a dimension.
    num ranked fn scatter_max(x: Same, dim: Count, indices: Index, values: Same) -> one rules::first
        => x.try_scatter_max(dim, indices, values)?;
    /// A table with rows written at indices.
    any erased fn select_replace(x: Fixed<2>, dim: Count, indices: FixedIndex<1>, values: Fixed<2>) -> one rules::first
        => x.try_select_replace(dim, indices, values)?;
    /// A table with rows added at indices.
    num erased fn select_add(x: Fixed<2>, dim: Count, indices: FixedIndex<1>, values: Fixed<2>) -> one rules::first
        => x.try_select_add(dim, indices, values)?;
    /// A table multiplied by rows at indices.
    num erased fn select_multiply(x: Fixed<2>, dim: Count, indices: FixedIndex<1>, values: Fixed<2>) -> one rules::first
        => x.try_select_multiply(dim, indices, values)?;
    /// The smaller of a table and of rows at indices.
    num erased fn select_min(x: Fixed<2>, dim: Count, indices: FixedIndex<1>, values: Fixed<2>) -> one rules::first
        => x.try_select_min(dim, indices, values)?;
    /// The larger of a table and of rows at indices.
    num erased fn select_max(x: Fixed<2>, dim: Count, indices: FixedIndex<1>, values: Fixed<2>) -> one rules::first
        => x.try_select_max(dim, indices, values)?;
    /// Values where the mask is true, `x` elsewhere; shapes broadcast.
    any ranked fn mask_where(x: Same, mask: Mask, values: Same) -> one masked => x.try_mask_where(mask, values)?;
    /// A number where the mask is true, `x` elsewhere.
    any ranked fn mask_fill(x: Same, mask: Mask, value: Number) -> one masked => x.try_mask_fill(mask, value)?;
    /// Indices of what is true, a row for each.
    bool ranked fn argwhere(x: Same) -> one places => x.try_argwhere()?;
}

fn selected(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let mut spec = operands[0].tensor()?.spec.clone();
    let (axis, indices) = (operands[1].count()?, operands[2].tensor()?);
    require!(axis < spec.dims.len(), "dimension {axis} does not exist in {:?}", spec.dims);
    spec.dims[axis] = indices.held_dims()[0].clone();
    spec.is_scalar = false;
    Ok(vec![spec])
}

fn gathered(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (x, indices) = (operands[0].tensor()?, operands[2].tensor()?);
    Ok(vec![Spec { dtype: x.dtype(), ..indices.spec.clone() }])
}

fn masked(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (x, mask) = (operands[0].tensor()?, operands[1].tensor()?);
    let mut dims = rules::broadcast_dims(x.held_dims(), mask.held_dims())?;
    let mut is_scalar = x.is_scalar() && mask.is_scalar();
    if let Some(Operand::Tensor(values)) = operands.get(2) {
        require!(
            values.dtype() == x.dtype(),
            "expected one element type, got {} and {}",
            x.dtype(),
            values.dtype()
        );
        dims = rules::broadcast_dims(&dims, values.held_dims())?;
        is_scalar &= values.is_scalar();
    }
    Ok(vec![Spec { dtype: x.dtype(), dims, is_scalar }])
}

fn places(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let rank = operands[0].tensor()?.held_dims().len();
    Ok(vec![Spec::new(DType::I64, [UNKNOWN, rank.into()])])
}

fn embedded(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (weights, indices) = (operands[0].tensor()?, operands[1].tensor()?);
    let mut dims = indices.held_dims().to_vec();
    dims.push(weights.held_dims()[1].clone());
    Ok(vec![Spec::new(weights.dtype(), dims)])
}
