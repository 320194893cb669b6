use super::call::GradientCall;
use super::differentiable::{Differentiable, first_result, total, values};
use crate::array::Array;
use crate::input::{Input, spread};
use crate::number::Number;
use crate::operations::evaluate;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, BinaryOp, DType, HasSpec, Operation, Shape};

/// A step small enough for the fourth-order difference quotient, and large enough for the digits of an `f64`.
const STEP: f64 = 1e-3;
const TOLERANCE: f64 = 1e-7;

/// `f'(0)`, but for terms in the fourth power of the step.
pub fn slope(f: impl Fn(f64) -> f64) -> f64 {
    let near = f(STEP) - f(-STEP);
    let far = f(2.0 * STEP) - f(-2.0 * STEP);
    (8.0 * near - far) / (12.0 * STEP)
}

pub fn is_near(found: f64, expected: f64, tolerance: f64) -> bool {
    (found - expected).abs() <= tolerance * expected.abs().max(1.0)
}

/// Returns the weight of each result element in the loss.
pub fn weights(shape: &Shape) -> Input {
    spread(shape, DType::F64, 0.5, 1.5)
}

/// `sum(weights * result)` by definition.
fn loss(op: &Operation<Array>) -> f64 {
    let result = evaluate(op).first().array.clone();
    let weights = weights(result.shape()).array();
    result.values.iter().zip(weights.values).map(|(x, weight)| x.to_f64() * weight.to_f64()).sum()
}

/// Uploads operands; floats whose position `is_tracked` ask for a gradient.
pub fn track(
    subject: &Differentiable,
    call: &GradientCall,
    is_tracked: impl Fn(usize) -> bool,
) -> (Operation<DynamicTensor>, Vec<DynamicTensor>) {
    let mut operands: Vec<DynamicTensor> = Vec::new();
    let op = call.op.map_ref(|input| {
        let tensor = match operands.first() {
            Some(first) if call.alias => first.clone(),
            _ => {
                let tensor = input.upload(&subject.device);
                let tracked = input.data.dtype.is_float() && is_tracked(operands.len());
                if tracked { Dynamic::set_require_grad(tensor, true) } else { tensor }
            }
        };
        operands.push(tensor.clone());
        tensor
    });
    (op, operands)
}

/// # Errors
/// The first gradient that differs from the difference quotient.
pub fn check(subject: &Differentiable, call: &GradientCall) -> Result<(), String> {
    let mut floats = Vec::new();
    let mut position = 0;
    call.op.visit(|input| {
        let has_gradient = input.data.dtype.is_float() && input.data.num_elements() > 0;
        floats.extend((has_gradient && call.without_gradient != Some(position)).then_some(position));
        position += 1;
    });
    if !call.differentiable {
        let (op, _) = track(subject, call, |_| true);
        // A tracked tensor keeps its node of the tape; an untracked one becomes a leaf.
        let asked = Dynamic::set_require_grad(first_result(op), true);
        return match Dynamic::is_require_grad(&asked) {
            true => Ok(()),
            false => Err("the result of a call without gradient is tracked".into()),
        };
    }
    check_tracked(subject, call, &floats)?;
    // Each operand alone: the others are not tracked, and a rule may save less.
    if floats.len() > 1 && !call.alias {
        floats.iter().try_for_each(|&position| check_tracked(subject, call, &[position]))?;
    }
    Ok(())
}

/// Whether each operand that can be tracked has a gradient, by position: of those that are not floats, none
/// can.
pub fn tracked_operands(subject: &Differentiable, call: &GradientCall) -> Vec<(usize, bool)> {
    let (op, operands) = track(subject, call, |_| true);
    let gradients = subject.gradients(total(first_result(op)), &operands);
    let floats = operands.iter().zip(gradients).enumerate();
    let floats = floats.filter(|(_, (operand, _))| operand.dtype().is_float());
    floats.map(|(position, (_, gradient))| (position, gradient.is_some())).collect()
}

fn check_tracked(subject: &Differentiable, call: &GradientCall, tracked: &[usize]) -> Result<(), String> {
    let (op, operands) = track(subject, call, |position| tracked.contains(&position));
    let result = first_result(op);
    let weights = weights(&result.spec().shape).upload(&subject.device);
    let loss_tensor = total(Dynamic::binary(BinaryOp::Mul, result, weights));
    let found = values(subject.gradients(loss_tensor, &operands));
    for &position in tracked {
        let expected = differences(call, position);
        // None is zero: an operand may only choose, such as the input of a pooling's gradient.
        let found = found[position].clone().unwrap_or_else(|| vec![0.0; expected.len()]);
        if found.len() != expected.len() {
            return Err(format!("operand {position} has a gradient of {} elements", found.len()));
        }
        for (at, (&found, &expected)) in found.iter().zip(&expected).enumerate() {
            if !is_near(found, expected, TOLERANCE) {
                let who = format!("operand {position} (tracked: {tracked:?}), element {at}");
                return Err(format!("{who}: found {found}, expected {expected}"));
            }
        }
    }
    Ok(())
}

/// The gradient by one operand, from the definition of the operation alone.
fn differences(call: &GradientCall, position: usize) -> Vec<f64> {
    let mut count = 0;
    let mut current = 0;
    call.op.visit(|input| {
        count = if current == position { input.data.num_elements() } else { count };
        current += 1;
    });
    let at = |element: usize, delta: f64| {
        let mut current = 0;
        let op = call.op.map_ref(|input| {
            let mut array = input.array();
            if current == position || call.alias {
                let moved = array.values[element].to_f64() + delta;
                array.values[element] = Number::Float(moved);
            }
            current += 1;
            array
        });
        loss(&op)
    };
    (0..count).map(|element| slope(|delta| at(element, delta))).collect()
}
