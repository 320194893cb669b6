//! Line search that finds a step of the strong Wolfe conditions (Nocedal and Wright 2006, algorithms 3.5 and
//! 3.6).

use burn_backend::dynamic::DynamicTensor;

/// Share of the expected decrease that a step must reach (Armijo condition).
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Share of the slope that may be left after a step (curvature condition).
const CURVATURE: f64 = 0.9;

/// A point on the line.
#[derive(Clone, Debug)]
pub struct LinePoint {
    pub step: f64,
    pub loss: f64,
    pub gradient: DynamicTensor,
    /// Directional derivative of the loss.
    pub slope: f64,
}

/// Limits at which a line search stops without a suitable point.
#[derive(Clone, Copy, Debug)]
pub struct LineSearchLimits {
    /// Number of evaluations after the first.
    pub evaluations: usize,
    /// Length of a bracket, as the largest change of an element.
    pub tolerance_change: f64,
    /// Largest absolute element of the direction.
    pub direction_size: f64,
}

/// Conditions on the points of a line.
struct Wolfe {
    loss: f64,
    slope: f64,
}

impl Wolfe {
    /// Returns whether the point satisfies the decrease condition; NaN does not.
    fn decreases(&self, point: &LinePoint) -> bool {
        point.loss <= self.loss + SUFFICIENT_DECREASE * point.step * self.slope
    }

    fn is_flat(&self, point: &LinePoint) -> bool {
        libm::fabs(point.slope) <= -CURVATURE * self.slope
    }
}

/// Returns the point that was found and the number of evaluations. `start` is the point with step 0, `step`
/// the first that is tried, `at` evaluates a step.
pub fn strong_wolfe(
    start: &LinePoint,
    step: f64,
    limits: LineSearchLimits,
    at: &mut dyn FnMut(f64) -> LinePoint,
) -> (LinePoint, usize) {
    let wolfe = Wolfe { loss: start.loss, slope: start.slope };
    let (mut previous, mut point, mut count) = (start.clone(), at(step), 0);
    let bracket = loop {
        if count >= limits.evaluations {
            break [start.clone(), point];
        }
        if !wolfe.decreases(&point) || (count > 1 && point.loss >= previous.loss) {
            break [previous, point];
        }
        if wolfe.is_flat(&point) {
            return (point, count + 1);
        }
        if point.slope >= 0.0 {
            break [previous, point];
        }
        let bounds = (point.step + 0.01 * (point.step - previous.step), point.step * 10.0);
        let next = at(cubic_minimum(&previous, &point, bounds));
        previous = core::mem::replace(&mut point, next);
        count += 1;
    };
    zoom(bracket, &wolfe, limits, count, at)
}

/// Shrinks a bracket until one of its points fits.
fn zoom(
    mut bracket: [LinePoint; 2],
    wolfe: &Wolfe,
    limits: LineSearchLimits,
    mut count: usize,
    at: &mut dyn FnMut(f64) -> LinePoint,
) -> (LinePoint, usize) {
    let lower = |bracket: &[LinePoint; 2]| usize::from(bracket[1].loss < bracket[0].loss);
    let (mut low, mut was_at_end) = (lower(&bracket), false);
    while count < limits.evaluations {
        let (left, right) = ordered(bracket[0].step, bracket[1].step);
        if (right - left) * limits.direction_size < limits.tolerance_change {
            break;
        }
        let trial = cubic_minimum(&bracket[0], &bracket[1], (left, right));
        let (step, is_at_end) = away_from_ends(trial, (left, right), was_at_end);
        was_at_end = is_at_end;
        let point = at(step);
        count += 1;
        let high = 1 - low;
        // NaN is not lower.
        let is_lower = point.loss < bracket[low].loss;
        if !(is_lower && wolfe.decreases(&point)) {
            bracket[high] = point;
            low = lower(&bracket);
            continue;
        }
        if wolfe.is_flat(&point) {
            return (point, count + 1);
        }
        if point.slope * (bracket[high].step - bracket[low].step) >= 0.0 {
            bracket[high] = bracket[low].clone();
        }
        bracket[low] = point;
    }
    let [first, second] = bracket;
    (if low == 0 { first } else { second }, count + 1)
}

/// Moves a trial step a tenth of the bracket away from its end, if it is there or was close to one twice in a
/// row. Also returns whether it is close to one.
fn away_from_ends(trial: f64, (left, right): (f64, f64), was_at_end: bool) -> (f64, bool) {
    let margin = 0.1 * (right - left);
    if (right - trial).min(trial - left) >= margin {
        return (trial, false);
    }
    if !(was_at_end || trial >= right || trial <= left) {
        return (trial, true);
    }
    let is_right = libm::fabs(trial - right) < libm::fabs(trial - left);
    (if is_right { right - margin } else { left + margin }, false)
}

/// Returns the minimum of the cubic through two points with their slopes, within bounds.
fn cubic_minimum(first: &LinePoint, second: &LinePoint, (least, most): (f64, f64)) -> f64 {
    let middle = (least + most) / 2.0;
    let (left, right) = if first.step <= second.step { (first, second) } else { (second, first) };
    let width = right.step - left.step;
    let bend = left.slope + right.slope - 3.0 * (left.loss - right.loss) / (left.step - right.step);
    let square = bend * bend - left.slope * right.slope;
    if square.is_nan() || square < 0.0 {
        return middle;
    }
    let root = libm::sqrt(square);
    let minimum =
        right.step - width * ((right.slope + root - bend) / (right.slope - left.slope + 2.0 * root));
    // Two equal points have none.
    if minimum.is_nan() { middle } else { minimum.max(least).min(most) }
}

fn ordered(lhs: f64, rhs: f64) -> (f64, f64) {
    if lhs <= rhs { (lhs, rhs) } else { (rhs, lhs) }
}
