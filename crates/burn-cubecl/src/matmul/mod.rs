//! Products of matrices: by the device's own library, or by one of several kernels.

mod call;
mod candidates;
mod form;
mod model;
mod plain;
mod tile;

pub use form::Form;

use crate::declined;
use crate::layout::contiguous;
use crate::library::{Answer, Epilogue};
use crate::tensor::CubeTensor;
use burn_backend::*;
use call::Call;

/// What the device's own library says of it, where there is one.
fn by_library(lhs: &CubeTensor, rhs: &CubeTensor, out: &CubeTensor, epilogue: Epilogue) -> Answer {
    let Some(library) = out.engine().library() else { return Answer::No };
    match library.product(lhs, rhs, out, epilogue) {
        Answer::IfContiguous => {
            let (lhs, rhs) = (contiguous(lhs.clone()), contiguous(rhs.clone()));
            library.product(&lhs, &rhs, out, epilogue)
        }
        answer @ (Answer::Done | Answer::No | Answer::Failed(_)) => answer,
    }
}

/// Memory for the product.
#[track_caller]
fn room(lhs: &CubeTensor, rhs: &CubeTensor) -> CubeTensor {
    let spec = output_specs(&Operation::Matmul { lhs, rhs }).unwrap_or_else(|error| panic!("{error}")).one();
    CubeTensor::empty(spec, lhs.engine())
}

/// The product with what is done to it, where the device's own library offers that. What it declines is no loss: the product alone may be its own.
pub fn with_epilogue(lhs: &CubeTensor, rhs: &CubeTensor, epilogue: Epilogue) -> Option<CubeTensor> {
    let out = room(lhs, rhs);
    (by_library(lhs, rhs, &out, epilogue) == Answer::Done).then_some(out)
}

#[track_caller]
pub fn matmul(lhs: &CubeTensor, rhs: &CubeTensor) -> CubeTensor {
    let out = room(lhs, rhs);
    let answer = by_library(lhs, rhs, &out, Epilogue::default());
    declined::tell(&answer, "matmul", &[lhs, rhs]);
    if answer != Answer::Done {
        let call = Call::new(lhs, rhs, &out);
        if !call.is_empty() {
            let answer = out.engine().tuner().choose(&call);
            call.launch(call.forms()[answer.candidate]);
            kernels::explain(|| answer.why.to_string());
        }
    }
    out
}

/// The product by a kernel of ours, to compare and to measure: what [`Form::all`] has, and the device room for.
///
/// # Panics
/// When the shapes do not fit, or the kernel is for other ones ([`Form::fits`]).
#[track_caller]
pub fn matmul_by(form: Form, lhs: &CubeTensor, rhs: &CubeTensor) -> CubeTensor {
    let out = room(lhs, rhs);
    let call = Call::new(lhs, rhs, &out);
    assert!(
        call.forms().contains(&form),
        "matmul {form} of {:?} and {:?}: the kernel is for other products",
        lhs.shape(),
        rhs.shape()
    );
    if !call.is_empty() {
        call.launch(form);
    }
    out
}
