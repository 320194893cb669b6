use super::Expected;
use crate::array::{Array, indices};
use crate::number::Number;
use crate::tolerance::Tolerance;
use burn_backend::{DType, Dims, HasSpec, PoolArgs, PoolGradArgs, PoolKind, PoolOptions, Shape};

fn pooled(x: &Shape, options: &PoolOptions) -> Shape {
    let size = |d: usize| {
        let reach = options.dilation[d] * (options.kernel[d] - 1) + 1;
        (x[d + 2] + 2 * options.padding[d] - reach) / options.stride[d] + 1
    };
    x[..2].iter().copied().chain((0..options.kernel.len()).map(size)).collect()
}

/// The indices that the window at `i` covers, without padding.
fn window(i: &[usize], x: &Shape, options: &PoolOptions) -> Vec<Dims> {
    let taps = indices(&Shape::from(options.kernel.clone()));
    let inside = |tap: Dims| {
        let place = |d: usize| {
            let padded = i[d + 2] * options.stride[d] + tap[d] * options.dilation[d];
            padded.checked_sub(options.padding[d]).filter(|&at| at < x[d + 2])
        };
        let place = (0..tap.len()).map(place).collect::<Option<Vec<_>>>()?;
        Some(i[..2].iter().copied().chain(place).collect())
    };
    taps.filter_map(inside).collect()
}

/// The largest element of a window, of equals the first; NaN wins.
fn winner(window: &[Dims], x: &Array) -> Dims {
    let better = |a: &Dims, b: &Dims| x.at(a).order(x.at(b)).is_gt();
    window.iter().fold(&window[0], |best, at| if better(at, best) { at } else { best }).clone()
}

fn divisor(count_include_pad: bool, window: &[Dims], options: &PoolOptions) -> f64 {
    if count_include_pad { options.kernel.iter().product::<usize>() as f64 } else { window.len() as f64 }
}

/// The mean over `window`, and that of the magnitudes.
fn mean(window: &[Dims], x: &Array, divisor: f64) -> (f64, f64) {
    let sum: f64 = window.iter().map(|at| x.at(at).to_f64()).sum();
    let magnitude: f64 = window.iter().map(|at| x.at(at).to_f64().abs()).sum();
    (sum / divisor, magnitude / divisor)
}

pub fn pool(args: &PoolArgs<Array>) -> Expected {
    let PoolArgs { kind, x, options } = args;
    let shape = pooled(x.shape(), options);
    let count_include_pad = match kind {
        PoolKind::Max => {
            let array = Array::build(shape, x.dtype(), |i| x.at(&winner(&window(i, x.shape(), options), x)));
            return Expected { array, tolerance: Tolerance::RoundedAnyZero };
        }
        PoolKind::Avg { count_include_pad } => *count_include_pad,
    };
    let mut magnitudes = Vec::new();
    let array = Array::build(shape, x.dtype(), |i| {
        let window = window(i, x.shape(), options);
        let (value, magnitude) = mean(&window, x, divisor(count_include_pad, &window, options));
        magnitudes.push(magnitude);
        Number::Float(value)
    });
    Expected { array, tolerance: Tolerance::Sum { magnitudes, terms: options.kernel.iter().product() } }
}

pub fn max_with_indices(x: &Array, options: &PoolOptions, index: DType) -> (Array, Array) {
    let shape = pooled(x.shape(), options);
    let winner = |i: &[usize]| winner(&window(i, x.shape(), options), x);
    let flat = |at: &[usize]| (2..at.len()).fold(0, |flat, d| flat * x.shape()[d] + at[d]);
    let places = Array::build(shape.clone(), index, |i| Number::Int(flat(&winner(i)) as i128));
    (Array::build(shape, x.dtype(), |i| x.at(&winner(i))), places)
}

/// Shares of `grad`, added up; so are their magnitudes.
struct Shares {
    value: Array,
    magnitude: Array,
}

impl Shares {
    fn new(target: &Shape, grad: &Array) -> Self {
        let value = Array::build(target.clone(), grad.dtype(), |_| Number::zero(grad.dtype()));
        Shares { magnitude: value.clone(), value }
    }

    fn add(&mut self, at: &[usize], share: f64) {
        let value = self.value.at_mut(at);
        *value = value.add(Number::Float(share));
        let magnitude = self.magnitude.at_mut(at);
        *magnitude = magnitude.add(Number::Float(share.abs()));
    }

    fn expected(self, terms: usize) -> Expected {
        let magnitudes = self.magnitude.values.iter().map(|x| x.to_f64()).collect();
        Expected { array: self.value, tolerance: Tolerance::Sum { magnitudes, terms } }
    }
}

pub fn pool_grad(args: &PoolGradArgs<Array>) -> Expected {
    let PoolGradArgs { kind, grad, x, target, options } = args;
    let mut shares = Shares::new(target, grad);
    for i in indices(grad.shape()) {
        let window = window(&i, target, options);
        let grad = grad.at(&i).to_f64();
        match (kind, x) {
            (PoolKind::Max, Some(x)) => shares.add(&winner(&window, x), grad),
            (PoolKind::Max, None) => panic!("the gradient of a maximum needs the input"),
            (PoolKind::Avg { count_include_pad }, _) => {
                let share = grad / divisor(*count_include_pad, &window, options);
                window.iter().for_each(|at| shares.add(at, share));
            }
        }
    }
    shares.expected(options.kernel.iter().product())
}

/// The indices that the adaptive window at `i` covers.
fn adaptive_window(i: &[usize], x: &Shape, size: &[usize]) -> Vec<Dims> {
    let start = |d: usize| i[d + 2] * x[d + 2] / size[d];
    let end = |d: usize| ((i[d + 2] + 1) * x[d + 2]).div_ceil(size[d]);
    let lengths: Shape = (0..size.len()).map(|d| end(d) - start(d)).collect();
    let place = |tap: Dims| {
        let inside = (0..tap.len()).map(|d| start(d) + tap[d]);
        i[..2].iter().copied().chain(inside).collect()
    };
    indices(&lengths).map(place).collect()
}

pub fn adaptive_avg(x: &Array, size: &Dims) -> Expected {
    let shape: Shape = x.shape()[..2].iter().chain(size.iter()).copied().collect();
    let (mut magnitudes, mut terms) = (Vec::new(), 1);
    let array = Array::build(shape, x.dtype(), |i| {
        let window = adaptive_window(i, x.shape(), size);
        let (value, magnitude) = mean(&window, x, window.len() as f64);
        magnitudes.push(magnitude);
        terms = terms.max(window.len());
        Number::Float(value)
    });
    Expected { array, tolerance: Tolerance::Sum { magnitudes, terms } }
}

pub fn adaptive_avg_grad(grad: &Array, target: &Shape) -> Expected {
    let mut shares = Shares::new(target, grad);
    let size = Dims::from(&grad.shape()[2..]);
    for i in indices(grad.shape()) {
        let window = adaptive_window(&i, target, &size);
        let share = grad.at(&i).to_f64() / window.len() as f64;
        window.iter().for_each(|at| shares.add(at, share));
    }
    shares.expected(size.iter().product())
}
