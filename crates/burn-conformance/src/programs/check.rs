use super::Program;
use super::interpret::Registers;
use super::literal::{CANCELLED, compare, is_near};
use crate::array::Array;
use crate::case::read;
use crate::gradient::Differentiable;
use crate::gradient::{total, values};
use crate::operations::evaluate;
use crate::subject::message;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{Backend, BinaryOp, DType, HasSpec, Operation, Shape, TensorData};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How far a gradient may be from that of PyTorch, relative to it.
const GRADIENT: f64 = 1e-8;

/// Results of one call do not cancel each other, except in a Fourier transform.
fn floor(program: &Program) -> f64 {
    match &program.calls[..] {
        [Operation::Spectral(_)] => CANCELLED,
        [_] => 0.0,
        _ => CANCELLED,
    }
}

fn guarded(program: &Program, check: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let outcome = catch_unwind(AssertUnwindSafe(check));
    let outcome = outcome.unwrap_or_else(|panic| Err(message(&*panic)));
    outcome.map_err(|error| format!("{}: {error}", program.name))
}

/// Runs the program on the backend of `device`, twice: with every tensor kept, and with tensors given away at
/// their last use.
///
/// # Errors
/// The first result that is not that of PyTorch.
pub fn check(program: &Program, device: &DynamicDevice) -> Result<(), String> {
    guarded(program, || {
        for registers in [Registers::Kept, Registers::Moved] {
            let results = program.interpret(program.upload(device), registers)?;
            let pairs = results.into_iter().zip(&program.results).zip(program.origins());
            for ((result, expected), origin) in pairs {
                let Some(result) = result else { continue };
                let found = Array::from(&read(result));
                compare(&found, expected, floor(program))
                    .map_err(|error| format!("{origin} ({registers:?}): {error}"))?;
            }
        }
        Ok(())
    })
}

/// Runs the program through the definitions of the suite.
///
/// # Errors
/// The first result that is not that of PyTorch.
pub fn check_definitions(program: &Program) -> Result<(), String> {
    guarded(program, || {
        let mut tensors = program.leaves.clone();
        for call in &program.calls {
            let results = evaluate(&call.map_ref(|&operand| tensors[operand].clone()));
            results.map(|result| tensors.push(Array::from(&result.array.to_data())));
        }
        let results = tensors.split_off(program.leaves.len());
        for ((found, expected), origin) in results.iter().zip(&program.results).zip(program.origins()) {
            compare(found, expected, floor(program)).map_err(|error| format!("{origin}: {error}"))?;
        }
        Ok(())
    })
}

/// Returns the weight of each result element in the differentiated sum.
fn weights(shape: &Shape) -> TensorData {
    let weight = |i: usize| ((7 * i % 11) as f64 - 5.5) / 4.0;
    TensorData::new((0..shape.num_elements()).map(weight).collect::<Vec<_>>(), shape)
}

/// Runs the program with every float leaf tracked, and goes back.
///
/// # Errors
/// The first gradient that is not that of PyTorch.
pub fn check_gradients(program: &Program, subject: &Differentiable) -> Result<(), String> {
    if program.gradients.iter().all(Option::is_none) {
        return Ok(());
    }
    guarded(program, || {
        let track = |x: DynamicTensor| {
            if x.spec().dtype == DType::F64 { Dynamic::set_require_grad(x, true) } else { x }
        };
        let leaves: Vec<_> = program.upload(&subject.device).into_iter().map(track).collect();
        // In the sum, so that there always is something to differentiate.
        let mut loss = track(Dynamic::from_data(TensorData::new([0.0], [1]), &subject.device));
        let results = program.interpret(leaves.clone(), Registers::Moved)?;
        let outputs = results.into_iter().flatten().filter(|result| result.spec().dtype == DType::F64);
        for result in outputs {
            let weights = Dynamic::from_data(weights(&result.spec().shape), &subject.device);
            let sum = total(Dynamic::binary(BinaryOp::Mul, result, weights));
            loss = Dynamic::binary(BinaryOp::Add, loss, Dynamic::reshape(sum, [1].into()));
        }
        let found = values(subject.gradients(loss, &leaves));
        for (leaf, (found, expected)) in found.into_iter().zip(&program.gradients).enumerate() {
            let count = program.leaves[leaf].values.len();
            let zeros = || vec![0.0; count];
            let (found, expected) = (found.unwrap_or_else(zeros), expected.clone().unwrap_or_else(zeros));
            if found.len() != count {
                return Err(format!("the gradient by leaf {leaf} has {} elements, not {count}", found.len()));
            }
            if let Some(at) = (0..count).find(|&at| !is_near(found[at], expected[at], GRADIENT, CANCELLED)) {
                let (found, expected) = (found[at], expected[at]);
                return Err(format!(
                    "the gradient by leaf {leaf}, element {at}, is {found:e}, PyTorch has {expected:e}"
                ));
            }
        }
        Ok(())
    })
}
