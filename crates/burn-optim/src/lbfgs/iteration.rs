use super::config::{LbfgsConfig, LineSearch};
use super::line_search::{LinePoint, LineSearchLimits, strong_wolfe};
use super::state::{CurvaturePair, LastIteration, LbfgsState};
use super::vector::{add_scaled, add_scaled_by, dot, max_abs, sum_abs};
use crate::arithmetic::{read_scalar, scale};
use crate::param_state::StateTensor;
use alloc::vec::Vec;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_backend::{Backend, HasSpec, UnaryOp, ops};

/// Function that computes the loss and its gradient for a vector of parameters.
pub type Evaluate<'a> = &'a mut dyn FnMut(&DynamicTensor) -> (f64, DynamicTensor);

/// Point that an iteration starts from or ends at.
struct Iterate {
    x: DynamicTensor,
    loss: f64,
    gradient: DynamicTensor,
}

/// Line that an iteration follows.
struct Line<'a> {
    direction: &'a DynamicTensor,
    /// Directional derivative of the loss at the start.
    slope: f64,
    /// First step that is tried.
    step: f64,
}

/// Performs one step: up to `max_iter` iterations from the parameters `x`. Returns the parameters after it
/// and the loss before it.
pub fn minimize(
    config: &LbfgsConfig,
    state: &mut LbfgsState,
    lr: f64,
    x: DynamicTensor,
    evaluate: Evaluate<'_>,
) -> (DynamicTensor, f64) {
    let max_evaluations = config.max_eval.unwrap_or(config.max_iter * 5 / 4);
    let (first_loss, gradient) = evaluate(&x);
    let mut evaluations = 1;
    state.evaluations += 1;
    if max_abs(&gradient) <= config.tolerance_grad {
        return (x, first_loss);
    }
    let mut iterate = Iterate { x, loss: first_loss, gradient };
    for iteration in 1..=config.max_iter {
        state.iterations += 1;
        let gradient = &iterate.gradient;
        let (direction, hessian_scale) = next_direction(config, state, gradient);
        let step = if state.iterations == 1 { lr * (1.0 / sum_abs(gradient)).min(1.0) } else { lr };
        let slope = read_scalar(dot(gradient, &direction));
        let mut keep = |gradient: DynamicTensor, step: f64| {
            state.last = Some(LastIteration {
                direction: StateTensor::Live(direction.clone()),
                gradient: StateTensor::Live(gradient),
                step,
                scale: hessian_scale,
            });
        };
        if slope > -config.tolerance_change {
            keep(iterate.gradient, step);
            break;
        }
        let (before, last_loss) = (iterate.gradient.clone(), iterate.loss);
        let is_last = iteration == config.max_iter;
        let line = Line { direction: &direction, slope, step };
        let (step, count);
        (iterate, step, count) = match config.line_search {
            Some(LineSearch::StrongWolfe) => {
                search_line(config, iterate, &line, max_evaluations.saturating_sub(evaluations), evaluate)
            }
            // The loss after the last iteration is not used.
            None => take_step(iterate, &line, !is_last, evaluate),
        };
        keep(before, step);
        evaluations += count;
        state.evaluations += count;
        let is_done = is_last
            || evaluations >= max_evaluations
            || max_abs(&iterate.gradient) <= config.tolerance_grad
            || max_abs(&direction) * libm::fabs(step) <= config.tolerance_change
            || libm::fabs(iterate.loss - last_loss) < config.tolerance_change;
        if is_done {
            break;
        }
    }
    (iterate.x, first_loss)
}

/// Moves to a point of the line that satisfies the strong Wolfe conditions. Returns it with its step and the
/// number of evaluations.
fn search_line(
    config: &LbfgsConfig,
    iterate: Iterate,
    line: &Line<'_>,
    max_evaluations: usize,
    evaluate: Evaluate<'_>,
) -> (Iterate, f64, usize) {
    let Iterate { x, loss, gradient } = iterate;
    let start = LinePoint { step: 0.0, loss, gradient, slope: line.slope };
    let limits = LineSearchLimits {
        evaluations: max_evaluations,
        tolerance_change: config.tolerance_change,
        direction_size: max_abs(line.direction),
    };
    let mut at = |step| {
        let (loss, gradient) = evaluate(&add_scaled(x.clone(), step, line.direction));
        let slope = read_scalar(dot(&gradient, line.direction));
        LinePoint { step, loss, gradient, slope }
    };
    let (LinePoint { step, loss, gradient, .. }, count) = strong_wolfe(&start, line.step, limits, &mut at);
    (Iterate { x: add_scaled(x, step, line.direction), loss, gradient }, step, count)
}

/// Moves by the step of the line. Returns the point with its step and the number of evaluations.
fn take_step(
    mut iterate: Iterate,
    line: &Line<'_>,
    evaluates: bool,
    evaluate: Evaluate<'_>,
) -> (Iterate, f64, usize) {
    iterate.x = add_scaled(iterate.x, line.step, line.direction);
    if evaluates {
        (iterate.loss, iterate.gradient) = evaluate(&iterate.x);
    }
    (iterate, line.step, usize::from(evaluates))
}

/// Adds the last change to the history and returns the direction of this iteration, and the scale of the
/// initial inverse Hessian.
fn next_direction(
    config: &LbfgsConfig,
    state: &mut LbfgsState,
    gradient: &DynamicTensor,
) -> (DynamicTensor, f64) {
    let negative = Dynamic::unary(UnaryOp::Neg, gradient.clone());
    let Some(last) = state.last.take() else { return (negative, 1.0) };
    let (device, dtype) = (Dynamic::device(gradient), gradient.dtype());
    let on = |tensor: StateTensor| tensor.on(&device, dtype);
    let y = ops::sub::<Dynamic>(gradient.clone(), on(last.gradient));
    let s = scale(on(last.direction), last.step);
    let curvature = read_scalar(dot(&y, &s));
    let mut hessian_scale = last.scale;
    if curvature > 1e-10 {
        if state.history.len() == config.history_size {
            state.history.pop_front();
        }
        hessian_scale = curvature / read_scalar(dot(&y, &y));
        let (s, y) = (StateTensor::Live(s), StateTensor::Live(y));
        state.history.push_back(CurvaturePair { s, y, inverse: 1.0 / curvature });
    }
    let pairs: Vec<(DynamicTensor, DynamicTensor, f64)> =
        state.history.iter().map(|pair| (on(pair.s.clone()), on(pair.y.clone()), pair.inverse)).collect();
    (inverse_hessian_product(&pairs, negative, hessian_scale), hessian_scale)
}

/// Multiplies a vector with the approximate inverse Hessian (Nocedal and Wright 2006, algorithm 7.4), without
/// reading from the device.
fn inverse_hessian_product(
    pairs: &[(DynamicTensor, DynamicTensor, f64)],
    mut x: DynamicTensor,
    hessian_scale: f64,
) -> DynamicTensor {
    let mut factors = Vec::with_capacity(pairs.len());
    for (s, y, inverse) in pairs.iter().rev() {
        let factor = scale(dot(s, &x), *inverse);
        x = add_scaled_by(x, Dynamic::unary(UnaryOp::Neg, factor.clone()), y);
        factors.push(factor);
    }
    let mut x = scale(x, hessian_scale);
    for ((s, y, inverse), factor) in pairs.iter().zip(factors.into_iter().rev()) {
        let other = scale(dot(y, &x), *inverse);
        x = add_scaled_by(x, ops::sub::<Dynamic>(factor, other), s);
    }
    x
}
