//! Calls whose operands are large beside what every call takes, for measurements of memory: each operation,
//! in element types of every width.

use crate::Family;
use burn_backend::{DType, Operation, Shape, Slice, Slices, TensorSpec, output_specs};

/// Number of rows of a matrix whose bytes are almost a power of two, as the blocks of allocators are.
pub(crate) const ROWS: usize = 512;
/// Number of columns of that matrix.
pub(crate) const COLS: usize = 511;

/// Returns calls of `family` with operands of about a mebibyte; none of what is no operation. Operands may
/// have any values, but those of integers are to be 1.
pub fn calls(family: Family) -> Vec<Operation<TensorSpec>> {
    let Some(checks) = family.checks() else { return Vec::new() };
    let dtypes = [DType::F32, DType::BF16, DType::U8, DType::F64, DType::I64, DType::Bool];
    // Variants of elementwise operations share what walks over the elements.
    let count = if matches!(family, Family::Unary | Family::Binary | Family::BinaryScalar) { 3 } else { 6 };
    let calls = dtypes[..count].iter().flat_map(|&dtype| checks.large(dtype));
    calls.filter(|call| output_specs(call).is_ok()).collect()
}

pub(crate) fn spec(shape: impl Into<Shape>, dtype: DType) -> TensorSpec {
    TensorSpec::new(shape, dtype)
}

/// A matrix of [`ROWS`] and [`COLS`].
pub(crate) fn matrix(dtype: DType) -> TensorSpec {
    spec([ROWS, COLS], dtype)
}

/// The first half of the rows of that matrix.
pub(crate) fn half_of_rows() -> Slices {
    [Slice::from(0..ROWS / 2)].into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::calls;
    use crate::Family;

    #[test]
    fn every_operation_has_a_large_call() {
        for family in &Family::ALL[..Family::OPERATIONS] {
            assert!(!calls(*family).is_empty(), "{family:?}");
        }
    }
}
