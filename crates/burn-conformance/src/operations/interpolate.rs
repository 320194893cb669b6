//! Interpolation to other spatial sizes, and its gradient.

use super::*;
use std::f64::consts::PI;

/// Checks of [`Family::Interpolate`].
pub struct InterpolateChecks;

impl InterpolateChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, size: &Dims, options: &Interpolation) -> Outputs<Expected> {
        interpolate(x, size, options).into()
    }
}

impl OperationChecks for InterpolateChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(|name, dtype, layout, shape, size, options| {
            let x = ordinary(shape, dtype).laid_out(layout);
            emit(Case::new(
                name,
                dtype,
                Operation::Resize(Resize::Interpolate { x, size, options: Box::new(options) }),
            ));
        });
        // NaN and infinity reach only the results that read them.
        for dtype in floats() {
            for mode in InterpolateMode::ALL {
                let mut x = ordinary([1, 1, 6, 6], dtype).array();
                x.values[14] = Number::Float(f64::NAN);
                let options = Box::new(Interpolation { mode, align_corners: false, factors: vec![] });
                let (x, size) = (Input::new(x.to_data()), Dims::from([11, 13]));
                emit(Case::new(
                    format!("NaN, {mode:?}"),
                    dtype,
                    Operation::Resize(Resize::Interpolate { x, size, options }),
                ));
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        large(dtype, |options| {
            let (x, size) = (spec([1, 1, 2, 3], dtype), [2, 20_000].into());
            Operation::Resize(Resize::Interpolate { x, size, options })
        })
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients(|shape, size, options| {
            Operation::Resize(Resize::Interpolate { x: signed(shape), size, options })
        })
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let (x, size, options) = random(calls);
        Operation::Resize(Resize::Interpolate { x, size, options })
    }
}

/// Checks of [`Family::InterpolateGrad`].
pub struct InterpolateGradChecks;

impl InterpolateGradChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(grad: &Array, target: &Shape, options: &Interpolation) -> Outputs<Expected> {
        interpolate_grad(grad, target, options).into()
    }
}

impl OperationChecks for InterpolateGradChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(|name, dtype, layout, target, size, options| {
            let shape: Shape = target[..2].iter().chain(size.iter()).copied().collect();
            let grad = ordinary(shape, dtype).laid_out(layout);
            emit(Case::new(
                name,
                dtype,
                Operation::Resize(Resize::InterpolateGrad { grad, target, options: Box::new(options) }),
            ));
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        large(dtype, |options| {
            let (grad, target) = (spec([1, 1, 2, 20_000], dtype), [1, 1, 2, 3].into());
            Operation::Resize(Resize::InterpolateGrad { grad, target, options })
        })
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients(|target, size, options| {
            let grad: Shape = target[..2].iter().chain(size.iter()).copied().collect();
            Operation::Resize(Resize::InterpolateGrad { grad: signed(grad), target, options })
        })
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let (grad, size, options) = random(calls);
        let target = grad.shape.iter().take(2).copied().chain(size.iter().copied()).collect();
        Operation::Resize(Resize::InterpolateGrad { grad, target, options })
    }
}

fn sizes() -> [(Shape, Dims); 12] {
    [
        ([2, 3, 5].into(), [8].into()),
        ([1, 2, 9].into(), [4].into()),
        ([1, 2, 1].into(), [6].into()),
        ([1, 2, 7].into(), [1].into()),
        ([2, 3, 4, 6].into(), [8, 12].into()),
        ([1, 2, 7, 9].into(), [3, 4].into()),
        ([1, 2, 4, 9].into(), [11, 5].into()),
        ([1, 2, 9, 4].into(), [5, 11].into()),
        ([1, 2, 5, 5].into(), [5, 5].into()),
        ([1, 1, 2, 3].into(), [17, 1].into()),
        ([0, 2, 4, 4].into(), [2, 2].into()),
        ([2, 0, 4].into(), [9].into()),
    ]
}

fn sweep(mut f: impl FnMut(String, DType, MemoryLayout, Shape, Dims, Interpolation)) {
    for dtype in floats() {
        for mode in InterpolateMode::ALL {
            for align_corners in [false, true] {
                for (shape, size) in sizes() {
                    let options = Interpolation { mode, align_corners, factors: vec![] };
                    for layout in MemoryLayout::ALL {
                        let name = format!("{shape:?} to {size:?}, {options:?}, {layout:?}");
                        f(name, dtype, layout, shape.clone(), size.clone(), options.clone());
                    }
                }
            }
            // Factors that the sizes do not follow from, one of them far beyond the edge.
            for factors in [vec![1.7, 0.6], vec![0.1, 30.0]] {
                let options = Interpolation { mode, align_corners: false, factors };
                let name = format!("{options:?}");
                f(name, dtype, MemoryLayout::Contiguous, [1, 2, 5, 6].into(), [8, 3].into(), options);
            }
            if dtype == DType::F32 {
                for size in [[90, 61], [20, 30]] {
                    let options = Interpolation { mode, align_corners: false, factors: vec![] };
                    let name = format!("large, {size:?}, {options:?}");
                    f(name, dtype, MemoryLayout::Contiguous, [2, 3, 40, 33].into(), size.into(), options);
                }
            }
        }
    }
}

/// Returns the weight of an element at this distance.
fn influence(mode: InterpolateMode, distance: f64) -> f64 {
    let x = distance.abs();
    match mode {
        InterpolateMode::Nearest | InterpolateMode::NearestExact => unreachable!("has no influence"),
        InterpolateMode::Linear => (1.0 - x).max(0.0),
        // Keys, equation 15 with a = -3/4.
        InterpolateMode::Cubic if x <= 1.0 => 1.25 * x.powi(3) - 2.25 * x.powi(2) + 1.0,
        InterpolateMode::Cubic if x < 2.0 => -0.75 * (x - 1.0) * (x - 2.0).powi(2),
        InterpolateMode::Lanczos if x == 0.0 => 1.0,
        InterpolateMode::Lanczos if x < 3.0 => {
            // From the nearest zero, where sines are small.
            let sine = |x: f64| (PI * (x - x.round())).sin().abs() * if x % 2.0 < 1.0 { 1.0 } else { -1.0 };
            3.0 * sine(x) * sine(x / 3.0) / (PI * x).powi(2)
        }
        InterpolateMode::Cubic | InterpolateMode::Lanczos => 0.0,
    }
}

/// Where each of `input` elements counts for how much in element `i` of `output`.
fn shares(options: &Interpolation, d: usize, input: usize, output: usize, i: usize) -> Vec<(usize, f64)> {
    let last = input - 1;
    let scale = options.factors.get(d).map_or(input as f64 / output as f64, |factor| 1.0 / factor);
    let shift = match options.mode {
        InterpolateMode::Nearest => Some(0.0),
        InterpolateMode::NearestExact => Some(0.5),
        InterpolateMode::Linear | InterpolateMode::Cubic | InterpolateMode::Lanczos => None,
    };
    if let Some(shift) = shift {
        // The quotient first: a product of whole numbers and one that is rounded could fall short of a whole
        // one.
        let at = match options.factors.get(d) {
            Some(factor) => (i as f64 + shift) / factor,
            None => (i as f64 + shift) * input as f64 / output as f64,
        };
        return vec![((at.floor() as usize).min(last), 1.0)];
    }
    let mut centre = match options.align_corners {
        true if output == 1 => 0.0,
        true => i as f64 * last as f64 / (output - 1) as f64,
        false => (i as f64 + 0.5) * scale - 0.5,
    };
    if options.mode == InterpolateMode::Linear {
        centre = centre.clamp(0.0, last as f64);
    }
    // Elements beyond the edges are the edges.
    let near = centre.floor() as i64;
    let mut shares = vec![0.0; input];
    for at in near - 3..=near + 4 {
        shares[at.clamp(0, last as i64) as usize] += influence(options.mode, centre - at as f64);
    }
    let sum: f64 = if options.mode == InterpolateMode::Lanczos { shares.iter().sum() } else { 1.0 };
    let reach = options.mode.taps() as i64;
    let met = |at: i64| (near - reach / 2 + 1..=near + reach / 2).any(|i| i.clamp(0, last as i64) == at);
    (0..input).filter(|&at| met(at as i64)).map(|at| (at, shares[at] / sum)).collect()
}

/// Calls `f` with each result of a plane, each element it is made of, and what that counts for.
fn for_shares(options: &Interpolation, from: &Shape, to: &Shape, mut f: impl FnMut(&[usize], &[usize], f64)) {
    for i in indices(to) {
        let mut elements = vec![(i[..2].to_vec(), 1.0)];
        for d in 0..to.rank() - 2 {
            let along = shares(options, d, from[d + 2], to[d + 2], i[d + 2]);
            let joined = elements.iter().flat_map(|(at, weight)| {
                along.iter().map(move |(next, share)| ([&at[..], &[*next]].concat(), weight * share))
            });
            elements = joined.collect();
        }
        elements.iter().for_each(|(at, weight)| f(&i, at, *weight));
    }
}

/// The sums of products that `for_shares` names.
struct Sums {
    value: Array,
    magnitude: Array,
}

impl Sums {
    fn new(shape: &Shape, x: &Array) -> Self {
        let value = Array::build(shape.clone(), x.dtype(), |_| Number::zero(x.dtype()));
        Sums { magnitude: value.clone(), value }
    }

    fn add(&mut self, at: &[usize], part: f64) {
        let value = self.value.at_mut(at);
        *value = value.add(Number::Float(part));
        let magnitude = self.magnitude.at_mut(at);
        *magnitude = magnitude.add(Number::Float(part.abs()));
    }

    fn expected(self, terms: usize) -> Expected {
        let magnitudes = self.magnitude.values.iter().map(|x| x.to_f64()).collect();
        Expected { array: self.value, tolerance: Tolerance::Sum { magnitudes, terms } }
    }
}

fn interpolate(x: &Array, size: &[usize], options: &Interpolation) -> Expected {
    let shape: Shape = x.shape()[..2].iter().chain(size).copied().collect();
    let mut sums = Sums::new(&shape, x);
    for_shares(options, x.shape(), &shape, |i, at, share| sums.add(i, x.at(at).to_f64() * share));
    // Weights are rounded too.
    sums.expected(2 * options.mode.taps().pow(size.len() as u32))
}

fn interpolate_grad(grad: &Array, target: &Shape, options: &Interpolation) -> Expected {
    let mut sums = Sums::new(target, grad);
    for_shares(options, target, grad.shape(), |i, at, share| sums.add(at, grad.at(i).to_f64() * share));
    sums.expected(2 * grad.shape()[2..].iter().product::<usize>().max(1))
}

fn large(dtype: DType, call: impl Fn(Box<Interpolation>) -> Op) -> Vec<Op> {
    // Tables have one width, for elements of every width.
    let modes = if dtype == DType::F32 { &InterpolateMode::ALL[..] } else { &[] };
    let options = |&mode| Box::new(Interpolation { mode, align_corners: false, factors: Vec::new() });
    modes.iter().map(|mode| call(options(mode))).collect()
}

/// Returns a call of each mode and of these shapes: of the operand and of the size that it gets.
fn gradients(op: impl Fn(Shape, Dims, Box<Interpolation>) -> Operation<Input>) -> Vec<GradientCall> {
    let sizes: [(Shape, Dims); 3] = [
        ([1, 2, 3].into(), [5].into()),
        ([1, 1, 3, 4].into(), [5, 2].into()),
        ([1, 1, 4, 2].into(), [3, 5].into()),
    ];
    let of = |mode: InterpolateMode| {
        sizes.clone().map(|(shape, size)| {
            let options = Box::new(Interpolation { mode, align_corners: false, factors: vec![] });
            call(format!("{mode:?}"), op(shape, size, options))
        })
    };
    InterpolateMode::ALL.into_iter().flat_map(of).collect()
}

fn random(calls: &mut Calls<'_>) -> (TensorSpec, Dims, Box<Interpolation>) {
    let spatial = calls.random.pick(&[1, 1, 2, 2, 3]);
    let x = calls.float_of_rank(spatial + 2);
    let size = calls.random.numbers(spatial, 4);
    let factors = match calls.random.below(4) {
        0 => (0..spatial).map(|_| calls.random.pick(&[0.5, 1.7, 1e30, 1e-30, 0.0, -1.0, f64::NAN])).collect(),
        1 => vec![2.0],
        _ => Vec::new(),
    };
    let mode = calls.random.pick(&InterpolateMode::ALL);
    (x, size, Box::new(Interpolation { mode, align_corners: calls.flag(), factors }))
}
