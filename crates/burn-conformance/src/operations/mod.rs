//! Checks of every operation: the calls that backends run, the definition that results are compared with, and
//! calls for gradients, for random programs and for measurements of memory. One file holds all of that for
//! operations that belong together. A rule of the repository (`conformance_files.rs`) refuses other files
//! that name them, but for the list and the known gaps of backends.
//!
//! The definitions are naive loops over numbers in full precision. They stand on
//! [`UnaryOp::eval_f64`](burn_backend::UnaryOp::eval_f64) and its like. A slip in one of them shows as a
//! failure of the minimal backend and of `NdArray` alike, which were written apart from it.

pub mod attention;
pub mod binary;
pub mod block_format;
pub mod cached_attention;
pub mod compare;
pub mod conv;
pub mod elementwise;
pub mod fft;
pub mod index;
pub mod interpolate;
pub mod layout;
pub mod linalg;
mod list;
pub mod mask;
pub mod matmul;
pub mod norm;
mod operation_checks;
pub mod order;
pub mod pool;
pub mod quantization;
pub mod quantized_attention;
pub mod quantized_product;
pub mod recurrent;
pub mod reduce;
pub mod softmax;

use crate::array::{Array, broadcast, indices, replace};
use crate::expected::Expected;
pub(crate) use crate::fuzz::Calls;
use crate::fuzz::Random;
use crate::gradient::call::{
    ClosedForm, F, GradientCall, bool_values, call, constant, index_values, positive, signed, values,
};
use crate::input::{Input, MemoryLayout, given, list, ordinary, repetitive, spread};
use crate::large_operands::{COLS, ROWS, half_of_rows, matrix, spec};
use crate::number::{self, Number};
use crate::subject::Report;
use crate::tolerance::{self, Tolerance};
use crate::values::classes;
use crate::{Case, Family, Subject};
use burn_backend::*;
pub use operation_checks::{Emit, Op, OperationChecks};
use operation_checks::{FEW_DTYPES, LARGE, floats, ints, is_large, moved_two, numbers, operands};

/// Writes [`checks`] and [`evaluate`] from the list of operations.
macro_rules! checks {
    (operations { $(
        $test:ident $variant:ident = $family:ident,
        $module:ident::$checks:ident $({ $($field:ident),* })? $(($args:ident))?;
    )* }) => {
        /// Returns the checks of the operation of a family; none where it is not one.
        pub(crate) fn checks(family: Family) -> Option<&'static dyn OperationChecks> {
            match family {
                $(Family::$variant => Some(&$module::$checks),)*
                Family::DTypes | Family::Creation | Family::Random => None,
                Family::Argwhere | Family::Dropped | Family::Threads => None,
            }
        }

        /// Returns the results of `op`, which has been checked, by its definition.
        pub fn evaluate(op: &Operation<Array>) -> Outputs<Expected> {
            match op {
                $(Operation::$family(burn_backend::$family::$variant $({ $($field),* })? $(($args))?) => {
                    $module::$checks::evaluate($($($field),*)? $($args)?)
                })*
            }
        }
    };
}

crate::each_operation!(checks {});

/// Emits every case of `family`; those that are no operation have tests of their own.
pub fn each(family: Family, emit: Emit<'_>) {
    if let Some(checks) = checks(family) {
        checks.cases(emit);
    }
}
