//! New tensors.

use super::declare::calls;
use super::{Count, IntData, Number, Operand, Size, Type, Whole};
use crate::error::{Outcome, require};
use crate::value::{Expr, Spec};
#[cfg(feature = "run")]
use burn_tensor::{Bool, Float, Int, Tensor};

calls! {
    /// A list of integers of the host.
    int erased fn ints[device](values: IntData, dtype: Type) -> one listed => Tensor::<B, 1, Int>::try_from_data(values, (device, dtype))?;
    /// A list of numbers of the host.
    float erased fn floats[device](values: IntData, dtype: Type) -> one listed => Tensor::<B, 1, Float>::try_from_data(values, (device, dtype))?;
    /// One float everywhere.
    float erased fn full_list[device](size: Size, value: Number, dtype: Type) -> one list => Tensor::<B, 1, Float>::try_full([size], value, (device, dtype))?;
    /// One integer everywhere.
    int erased fn full_int_list[device](size: Size, value: Number, dtype: Type) -> one list => Tensor::<B, 1, Int>::try_full([size], value, (device, dtype))?;
    /// One boolean everywhere.
    bool erased fn full_bool_list[device](size: Size, value: Number, dtype: Type) -> one list => Tensor::<B, 1, Bool>::try_full([size], value, (device, dtype))?;
    /// Integers from `start` to before `end`.
    int erased fn arange[device](start: Whole, end: Whole, step: Count, dtype: Type) -> one range
        => Tensor::<B, 1, Int>::try_arange_step(start..end, step, (device, dtype))?;
}

fn listed(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    Ok(vec![Spec::new(operands[1].dtype()?, [operands[0].numbers()?.len().into()])])
}

fn list(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    Ok(vec![Spec::new(operands[2].dtype()?, [operands[0].number()?.clone()])])
}

fn range(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (start, end, step) = (operands[0].number()?, operands[1].number()?, operands[2].count()?);
    require!(step > 0, "the step is {step}");
    let length = (end.clone() - start.clone()).max(0).div_ceil(step);
    Ok(vec![Spec::new(operands[3].dtype()?, [length])])
}

/// A tensor of any sizes with one value.
impl crate::builder::Builder {
    /// Creates a tensor filled with one value.
    ///
    /// # Errors
    /// When the device has no room.
    pub fn full(
        &mut self,
        dims: &[Expr],
        value: Expr,
        dtype: burn_ir::DType,
    ) -> Outcome<crate::value::Tensor> {
        let one = if dtype.is_float() {
            self.full_list(Expr::Int(1), value, dtype)?
        } else if dtype.is_int() {
            self.full_int_list(Expr::Int(1), value, dtype)?
        } else {
            self.full_bool_list(Expr::Int(1), value, dtype)?
        };
        if dims.is_empty() {
            return Ok(one.as_scalar(true));
        }
        let ones = vec![Expr::Int(1); dims.len()];
        let one = self.reshape(&one, &ones)?;
        self.expand(&one, dims)
    }
}
