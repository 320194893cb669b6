//! Reductions, whose dimensions stay with size 1.

use super::declare::calls;
use super::{Axes, Count, Erased, Operand, Same, rules};
use crate::error::Outcome;
use crate::value::Spec;
use burn_ir::DType;

calls! {
    /// Sum over dimensions.
    num erased fn sum_dims(x: Erased, dims: Axes) -> one rules::reduced => x.try_sum_dims(&dims)?;
    /// Mean over dimensions.
    float erased fn mean_dims(x: Erased, dims: Axes) -> one rules::reduced => x.try_mean_dims(&dims)?;
    /// Product over dimensions.
    num erased fn prod_dims(x: Erased, dims: Axes) -> one rules::reduced => x.try_prod_dims(&dims)?;
    /// Maximum over dimensions.
    num erased fn max_dims(x: Erased, dims: Axes) -> one rules::reduced => x.try_max_dims(&dims)?;
    /// Minimum over dimensions.
    num erased fn min_dims(x: Erased, dims: Axes) -> one rules::reduced => x.try_min_dims(&dims)?;
    /// Whether any is true.
    any erased fn any_dims(x: Erased, dims: Axes) -> one any_all => x.try_any_dims(&dims)?;
    /// Whether all are true.
    any erased fn all_dims(x: Erased, dims: Axes) -> one any_all => x.try_all_dims(&dims)?;
    /// Index of the largest along a dimension, of equals the first.
    num ranked fn argmax(x: Same, dim: Count) -> one place => x.try_argmax(dim)?;
    /// Index of the smallest along a dimension, of equals the first.
    num ranked fn argmin(x: Same, dim: Count) -> one place => x.try_argmin(dim)?;
    /// Running sum along a dimension.
    num ranked fn cumsum(x: Same, dim: Count) -> one rules::first => x.try_cumsum(dim)?;
    /// Running product along a dimension.
    num ranked fn cumprod(x: Same, dim: Count) -> one rules::first => x.try_cumprod(dim)?;
    /// Elements in ascending order along a dimension, and where they were.
    num ranked fn sort_with_indices(x: Same, dim: Count) -> many sorted => x.try_sort_with_indices(dim)?;
    /// Elements in descending order along a dimension, and where they were.
    num ranked fn sort_descending_with_indices(x: Same, dim: Count) -> many sorted
        => x.try_sort_descending_with_indices(dim)?;
}

fn any_all(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let specs = rules::reduced(operands)?;
    Ok(specs.into_iter().map(|spec| Spec { dtype: DType::Bool, ..spec }).collect())
}

fn place(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let specs = rules::reduced_dim(operands)?;
    Ok(specs.into_iter().map(|spec| Spec { dtype: DType::I64, ..spec }).collect())
}

fn sorted(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let spec = operands[0].tensor()?.spec.clone();
    Ok(vec![spec.clone(), Spec { dtype: DType::I64, ..spec }])
}
