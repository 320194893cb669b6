//! Calls whose operands are large beside what every call takes, for measurements of memory: each operation,
//! in element types of every width.

use crate::Family;
use crate::operations::checks;
use burn_backend::{DType, Operation, TensorSpec, output_specs};

/// Returns calls of `family` with operands of about a mebibyte; none of what is no operation. Operands may
/// have any values, but those of integers are to be 1.
pub fn calls(family: Family) -> Vec<Operation<TensorSpec>> {
    let Some(checks) = checks(family) else { return Vec::new() };
    let dtypes = [DType::F32, DType::BF16, DType::U8, DType::F64, DType::I64, DType::Bool];
    let calls = dtypes.into_iter().flat_map(|dtype| checks.large(dtype));
    calls.filter(|call| output_specs(call).is_ok()).collect()
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
