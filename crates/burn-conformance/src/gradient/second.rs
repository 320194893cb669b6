use super::call::GradientCall;
use super::differentiable::{Differentiable, first_result, total, values};
use super::first::{is_near, slope, track, weights};
use crate::input::Input;
use crate::number::Number;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, BinaryOp, HasSpec, Operation};

/// Difference quotients of gradients, which are themselves good to all digits.
const TOLERANCE: f64 = 1e-6;

/// `sum(weights * result^2)`: squared, so that linear operations have a second derivative too.
fn loss(subject: &Differentiable, op: Operation<DynamicTensor>) -> DynamicTensor {
    let result = first_result(op);
    let weights = weights(&result.spec().shape).upload(&subject.device);
    let square = Dynamic::binary(BinaryOp::Mul, result.clone(), result);
    total(Dynamic::binary(BinaryOp::Mul, square, weights))
}

/// The sum over all operands of `sum(weights * gradient)`, by a backend that differentiates once.
fn gradient_sum(subject: &Differentiable, call: &GradientCall) -> f64 {
    let (op, operands) = track(subject, call, |_| true);
    let gradients = values(subject.gradients(loss(subject, op), distinct(call, &operands)));
    let sum = |gradient: Vec<f64>| {
        let weights = weights(&[gradient.len()].into()).data.to_f64();
        gradient.iter().zip(weights).map(|(x, weight)| x * weight).sum::<f64>()
    };
    gradients.into_iter().flatten().map(sum).sum()
}

/// Operands, each tensor once.
fn distinct<'a>(call: &GradientCall, operands: &'a [DynamicTensor]) -> &'a [DynamicTensor] {
    if call.alias { &operands[..1] } else { operands }
}

/// Second derivatives by `outer` around `inner`, against differences of the first ones of `inner`.
///
/// # Errors
/// The first one that differs.
pub fn check(outer: &Differentiable, inner: &Differentiable, call: &GradientCall) -> Result<(), String> {
    let (_, leaves) = track(inner, call, |_| true);
    let mut position = 0;
    let mut lifted = Vec::new();
    let op = call.op.map_ref(|input| {
        let leaf = &leaves[position];
        position += 1;
        let tensor = match lifted.first() {
            Some(first) if call.alias => DynamicTensor::clone(first),
            _ => outer.lift(leaf.clone()),
        };
        let wanted = input.data.dtype.is_float() && !(call.alias && position > 1);
        let tensor = if wanted { Dynamic::set_require_grad(tensor, true) } else { tensor };
        lifted.push(tensor.clone());
        tensor
    });
    let gradients = outer.gradients(loss(outer, op), distinct(call, &lifted));
    let weighted = |gradient: DynamicTensor| {
        let shape = gradient.spec().shape.clone();
        let list = weights(&[shape.num_elements()].into());
        let weights = Dynamic::reshape(list.upload(&inner.device), shape);
        let sum = total(Dynamic::binary(BinaryOp::Mul, gradient, weights));
        Dynamic::reshape(sum, [].into())
    };
    let sums = gradients.into_iter().flatten().map(weighted);
    let Some(sum) = sums.reduce(|x, y| Dynamic::binary(BinaryOp::Add, x, y)) else {
        return Err("there is no gradient".into());
    };
    let found = values(inner.gradients(sum, distinct(call, &leaves)));
    for (position, found) in found.into_iter().enumerate() {
        let moved = |element: usize, delta: f64| gradient_sum(inner, &nudged(call, position, element, delta));
        for (element, found) in found.into_iter().flatten().enumerate() {
            let expected = slope(|delta| moved(element, delta));
            if !is_near(found, expected, TOLERANCE) {
                return Err(format!(
                    "operand {position}, element {element}: found {found}, expected {expected}"
                ));
            }
        }
    }
    Ok(())
}

/// The call with one element moved by `delta`.
fn nudged(call: &GradientCall, position: usize, element: usize, delta: f64) -> GradientCall {
    let mut current = 0;
    let op = call.op.map_ref(|input| {
        let mut array = input.array();
        if current == position {
            array.values[element] = Number::Float(array.values[element].to_f64() + delta);
        }
        current += 1;
        Input { data: array.to_data(), layout: input.layout }
    });
    GradientCall { op, ..call.clone() }
}
