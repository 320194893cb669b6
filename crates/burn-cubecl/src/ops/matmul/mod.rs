//! Products of matrices: by the device's own library, or by one of several kernels.

mod call;
mod candidates;
mod few_rows;
mod form;
mod left_factor;
mod matrices;
mod model;
mod output;
mod plain;
mod shared_lhs;
mod subtract;
mod tile;

pub use call::{EpilogueArgs, MatmulCall};
pub use few_rows::{are_few as has_few_rows, is_known as is_of_few_rows, product as of_few_rows};
pub use form::Form;
pub use left_factor::LeftFactor;
pub use matrices::{Matrices, MatricesExpand, View, ViewExpand, first_of};
pub use shared_lhs::products;
pub use subtract::{Factor, subtract_product};

use crate::device::library::{Answer, Epilogue, Library};
use crate::device::library_warning;
use crate::launch::tensor::CubeTensor;
use crate::ops::layout::contiguous;
use burn_backend::*;
use output::room;
use std::slice;

/// Offers a product to the library, with contiguous operands if it asks for them.
fn asked(
    library: &dyn Library,
    lhs: &CubeTensor,
    rhs: &CubeTensor,
    out: &CubeTensor,
    epilogue: Epilogue,
) -> Answer {
    match library.product(lhs, rhs, out, epilogue) {
        Answer::IfContiguous => {
            let (lhs, rhs) = (contiguous(lhs.clone()), contiguous(rhs.clone()));
            library.product(&lhs, &rhs, out, epilogue)
        }
        answer @ (Answer::Done | Answer::No | Answer::Failed(_)) => answer,
    }
}

/// Computes the product with its epilogue by the device's own library, if that supports it. Where it
/// declines, the product alone may still be supported.
pub fn with_epilogue(lhs: &CubeTensor, rhs: &CubeTensor, epilogue: Epilogue) -> Option<CubeTensor> {
    let library = lhs.engine().library()?;
    let out = room(lhs.spec(), rhs);
    (asked(library, lhs, rhs, &out, epilogue) == Answer::Done).then_some(out)
}

/// Computes the product by the kernel for few rows or the device's own library, if one of them supports it.
#[track_caller]
pub fn by_library(lhs: &CubeTensor, rhs: &CubeTensor) -> Option<CubeTensor> {
    if few_rows::is_known(lhs.spec(), rhs) {
        return Some(of_rows(LeftFactor::Matrix(lhs), rhs));
    }
    let library = lhs.engine().library()?;
    let out = room(lhs.spec(), rhs);
    is_by_library(library, lhs, rhs, &out).then_some(out)
}

/// Computes a product of few rows that the kernel for them knows.
#[track_caller]
pub fn of_rows(lhs: LeftFactor, rhs: &CubeTensor) -> CubeTensor {
    let out = room(lhs.spec(), rhs);
    few_rows::product(lhs, slice::from_ref(rhs), EpilogueArgs::none(&[&out]));
    out
}

/// Whether the library took the product.
fn is_by_library(library: &dyn Library, lhs: &CubeTensor, rhs: &CubeTensor, out: &CubeTensor) -> bool {
    let answer = asked(library, lhs, rhs, out, Epilogue::default());
    library_warning::warn_once(&answer, "matmul", &[lhs, rhs]);
    answer == Answer::Done
}

/// Computes the product by one of our kernels.
#[track_caller]
pub fn by_kernel(lhs: &CubeTensor, rhs: &CubeTensor) -> CubeTensor {
    let out = room(lhs.spec(), rhs);
    let call = MatmulCall::new(lhs, rhs, &out.spec().shape);
    if !call.is_empty() {
        by_the_best(&call, EpilogueArgs::none(&[&out]));
    }
    out
}

/// Computes the product and its epilogue by the fastest kernel for these sizes.
pub fn by_the_best(call: &MatmulCall, epilogue: EpilogueArgs) {
    let answer = call.engine().tuner().choose(call);
    call.launch(call.forms()[answer.candidate], epilogue);
    kernels::explain(|| answer.why.to_string());
}

/// Writes the product of two matrices to `out`, which is contiguous and whose buffer no factor lies in.
pub fn product_into(lhs: &CubeTensor, rhs: &CubeTensor, out: &CubeTensor) {
    if lhs.engine().library().is_some_and(|library| is_by_library(library, lhs, rhs, out)) {
        return;
    }
    let call = MatmulCall::new(lhs, rhs, &out.spec().shape);
    if !call.is_empty() {
        by_the_best(&call, EpilogueArgs::none(&[out]));
    }
}

#[track_caller]
pub fn matmul(lhs: &CubeTensor, rhs: &CubeTensor) -> CubeTensor {
    by_library(lhs, rhs).unwrap_or_else(|| by_kernel(lhs, rhs))
}

/// Computes the product by one kernel of [`Form::all`], for comparisons and measurements.
///
/// # Panics
/// When the shapes do not fit, or the kernel is for other ones ([`Form::fits`]).
#[track_caller]
pub fn matmul_by(form: Form, lhs: &CubeTensor, rhs: &CubeTensor) -> CubeTensor {
    let out = room(lhs.spec(), rhs);
    let call = MatmulCall::new(lhs, rhs, &out.spec().shape);
    assert!(
        call.forms().contains(&form),
        "matmul {form} of {:?} and {:?}: the kernel is for other products",
        lhs.shape(),
        rhs.shape()
    );
    if !call.is_empty() {
        call.launch(form, EpilogueArgs::none(&[&out]));
    }
    out
}
