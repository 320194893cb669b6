//! Comparisons.

use super::declare::calls;
use super::{Erased, Number, Same, rules};

calls! {
    /// `a = b`.
    any erased fn equal(a: Erased, b: Erased) -> one rules::broadcast_truth => a.try_equal(b)?;
    /// `a > b`.
    num erased fn greater(a: Erased, b: Erased) -> one rules::broadcast_truth => a.try_greater(b)?;
    /// `a >= b`.
    num erased fn greater_equal(a: Erased, b: Erased) -> one rules::broadcast_truth => a.try_greater_equal(b)?;
    /// `a < b`.
    num erased fn lower(a: Erased, b: Erased) -> one rules::broadcast_truth => a.try_lower(b)?;
    /// `a <= b`.
    num erased fn lower_equal(a: Erased, b: Erased) -> one rules::broadcast_truth => a.try_lower_equal(b)?;
    /// `x = value`.
    any ranked fn equal_elem(x: Same, value: Number) -> one rules::truth => x.equal_elem(value);
    /// `x > value`.
    num ranked fn greater_elem(x: Same, value: Number) -> one rules::truth => x.greater_elem(value);
    /// `x >= value`.
    num ranked fn greater_equal_elem(x: Same, value: Number) -> one rules::truth => x.greater_equal_elem(value);
    /// `x < value`.
    num ranked fn lower_elem(x: Same, value: Number) -> one rules::truth => x.lower_elem(value);
    /// `x <= value`.
    num ranked fn lower_equal_elem(x: Same, value: Number) -> one rules::truth => x.lower_equal_elem(value);
}
