//! Pooling over windows, adaptive pooling, and their gradients.

use super::*;

/// Checks of [`Family::Pool`].
pub struct PoolChecks;

impl PoolChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(args: &PoolArgs<Array>) -> Outputs<Expected> {
        pool(args).into()
    }
}

impl OperationChecks for PoolChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(|name, dtype, _, x, options| {
            for kind in PoolKind::ALL {
                let op = Operation::Pooling(Pooling::Pool(Box::new(PoolArgs {
                    kind,
                    x: x.clone(),
                    options: options.clone(),
                })));
                emit(Case::new(format!("{kind:?} {name}"), dtype, op));
            }
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let planes = spec([4, 16, 64, 63], dtype);
        PoolKind::ALL
            .map(|kind| {
                Operation::Pooling(Pooling::Pool(Box::new(PoolArgs {
                    kind,
                    x: planes.clone(),
                    options: large_options(),
                })))
            })
            .into()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients(|kind, shape, options| {
            Operation::Pooling(Pooling::Pool(Box::new(PoolArgs { kind, x: signed(shape), options })))
        })
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { kind, x, options, .. } = RandomArgs::new(calls);
        Operation::Pooling(Pooling::Pool(Box::new(PoolArgs { kind, x, options })))
    }

    fn closed_forms(&self) -> Vec<ClosedForm> {
        let x = Input::new(TensorData::new([1.0, 1.0, 0.0, 2.0], [1, 1, 4]));
        let args = PoolArgs { kind: PoolKind::Max, x, options: PoolOptions::new([2].into()) };
        let pool = Operation::Pooling(Pooling::Pool(Box::new(args)));
        vec![("of equals in a window the first", pool, vec![1.0, 0.0, 0.0, 1.0])]
    }
}

/// Checks of [`Family::PoolGrad`].
pub struct PoolGradChecks;

impl PoolGradChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(args: &PoolGradArgs<Array>) -> Outputs<Expected> {
        pool_grad(args).into()
    }
}

impl OperationChecks for PoolGradChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(|name, dtype, layout, x, options| {
            let target = x.data.shape.clone();
            let grad = ordinary(pooled(&target, &options), dtype).laid_out(layout);
            for kind in PoolKind::ALL {
                let x = (kind == PoolKind::Max).then(|| x.clone());
                let (grad, target, options) = (grad.clone(), target.clone(), options.clone());
                let op = Operation::Pooling(Pooling::PoolGrad(Box::new(PoolGradArgs {
                    kind,
                    grad,
                    x,
                    target,
                    options,
                })));
                emit(Case::new(format!("{kind:?} {name}"), dtype, op));
            }
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let planes = spec([4, 16, 64, 63], dtype);
        PoolKind::ALL
            .map(|kind| {
                let (grad, target) = (spec([4, 16, 32, 31], dtype), planes.shape.clone());
                let (x, options) = (Some(planes.clone()), large_options());
                Operation::Pooling(Pooling::PoolGrad(Box::new(PoolGradArgs {
                    kind,
                    grad,
                    x,
                    target,
                    options,
                })))
            })
            .into()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients(|kind, target, options| {
            let size = |d: usize| options.output_size(d, target[d + 2]).expect("a window fits");
            let spatial = (0..options.kernel.len()).map(size);
            let grad = positive(target[..2].iter().copied().chain(spatial).collect::<Shape>());
            let x = (kind == PoolKind::Max).then(|| signed(&target));
            Operation::Pooling(Pooling::PoolGrad(Box::new(PoolGradArgs { kind, grad, x, target, options })))
        })
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { kind, x, options, .. } = RandomArgs::new(calls);
        let target = x.shape.clone();
        let args = PoolArgs { kind, x: x.clone(), options: options.clone() };
        let shape = output_specs(&Operation::Pooling(Pooling::Pool(Box::new(args))))
            .map_or_else(|_| x.shape.clone(), |specs| specs.first().shape.clone());
        let grad = calls.exactly(shape, x.dtype);
        let x = calls.random.chance(80).then(|| calls.exactly(target.clone(), x.dtype));
        Operation::Pooling(Pooling::PoolGrad(Box::new(PoolGradArgs { kind, grad, x, target, options })))
    }
}

/// Checks of [`Family::MaxPoolWithIndices`].
pub struct MaxPoolWithIndicesChecks;

impl MaxPoolWithIndicesChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, options: &PoolOptions, &index: &DType) -> Outputs<Expected> {
        moved_two(max_with_indices(x, options, index))
    }
}

impl OperationChecks for MaxPoolWithIndicesChecks {
    fn cases(&self, emit: Emit<'_>) {
        sweep(|name, dtype, _, x, options| {
            let indices =
                if dtype == DType::F32 { vec![DType::I64, DType::I32, DType::U16] } else { vec![DType::I64] };
            for index in indices {
                let options = Box::new(options.clone());
                let op = Operation::Pooling(Pooling::MaxPoolWithIndices { x: x.clone(), options, index });
                emit(Case::new(format!("{name}, index {index}"), dtype, op));
            }
        });
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let planes = spec([4, 16, 64, 63], dtype);
        let index = DType::I64;
        vec![Operation::Pooling(Pooling::MaxPoolWithIndices {
            x: planes,
            options: Box::new(large_options()),
            index,
        })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let op = |(shape, options): (Shape, PoolOptions)| {
            let (x, options, index) = (signed(shape), Box::new(options), DType::I64);
            call("", Operation::Pooling(Pooling::MaxPoolWithIndices { x, options, index }))
        };
        gradient_windows().map(op).into()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { x, options, index, .. } = RandomArgs::new(calls);
        Operation::Pooling(Pooling::MaxPoolWithIndices { x, options: Box::new(options), index })
    }
}

/// Checks of [`Family::AdaptiveAvgPool`].
pub struct AdaptiveAvgPoolChecks;

impl AdaptiveAvgPoolChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, size: &Dims) -> Outputs<Expected> {
        adaptive_avg(x, size).into()
    }
}

impl OperationChecks for AdaptiveAvgPoolChecks {
    fn cases(&self, emit: Emit<'_>) {
        for dtype in floats() {
            for (shape, size) in adaptive() {
                for layout in MemoryLayout::ALL {
                    let x = ordinary(shape.clone(), dtype).laid_out(layout);
                    let op = Operation::Pooling(Pooling::AdaptiveAvgPool { x, size: size.clone() });
                    emit(Case::new(format!("{shape:?} to {size:?}, {layout:?}"), dtype, op));
                }
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let planes = spec([4, 16, 64, 63], dtype);
        vec![Operation::Pooling(Pooling::AdaptiveAvgPool { x: planes, size: [30, 30].into() })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let op = |(shape, size): (Shape, Dims)| {
            call("", Operation::Pooling(Pooling::AdaptiveAvgPool { x: signed(shape), size }))
        };
        adaptive_sizes().map(op).into()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { spatial, x, .. } = RandomArgs::new(calls);
        Operation::Pooling(Pooling::AdaptiveAvgPool { x, size: calls.random.numbers(spatial, 4) })
    }
}

/// Checks of [`Family::AdaptiveAvgPoolGrad`].
pub struct AdaptiveAvgPoolGradChecks;

impl AdaptiveAvgPoolGradChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(grad: &Array, target: &Shape) -> Outputs<Expected> {
        adaptive_avg_grad(grad, target).into()
    }
}

impl OperationChecks for AdaptiveAvgPoolGradChecks {
    fn cases(&self, emit: Emit<'_>) {
        for dtype in floats() {
            for (target, size) in adaptive() {
                let shape: Shape = target[..2].iter().chain(size.iter()).copied().collect();
                for layout in MemoryLayout::ALL {
                    let grad = ordinary(shape.clone(), dtype).laid_out(layout);
                    let op =
                        Operation::Pooling(Pooling::AdaptiveAvgPoolGrad { grad, target: target.clone() });
                    emit(Case::new(format!("{shape:?} to {target:?}, {layout:?}"), dtype, op));
                }
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let planes = spec([4, 16, 64, 63], dtype);
        vec![Operation::Pooling(Pooling::AdaptiveAvgPoolGrad {
            grad: planes,
            target: [4, 16, 70, 70].into(),
        })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let op = |(target, size): (Shape, Dims)| {
            let shape: Shape = target[..2].iter().chain(size.iter()).copied().collect();
            call("", Operation::Pooling(Pooling::AdaptiveAvgPoolGrad { grad: signed(shape), target }))
        };
        adaptive_sizes().map(op).into()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let RandomArgs { spatial, x, .. } = RandomArgs::new(calls);
        let sizes = calls.random.numbers(spatial, 4);
        let target = x.shape.iter().take(2).copied().chain(sizes.iter().copied()).collect();
        Operation::Pooling(Pooling::AdaptiveAvgPoolGrad { grad: x, target })
    }
}

fn geometries() -> Vec<(Shape, PoolOptions)> {
    let geometry = |x: &[usize], [kernel, stride, padding, dilation]: [&[usize]; 4]| {
        let [kernel, stride, padding, dilation] = [kernel, stride, padding, dilation].map(Dims::from);
        (Shape::from(x), PoolOptions { kernel, stride, padding, dilation })
    };
    vec![
        geometry(&[2, 3, 9], [&[2], &[2], &[0], &[1]]),
        geometry(&[1, 2, 10], [&[3], &[2], &[1], &[2]]),
        geometry(&[2, 3, 8, 6], [&[2, 2], &[2, 2], &[0, 0], &[1, 1]]),
        geometry(&[1, 2, 7, 9], [&[3, 2], &[1, 2], &[1, 1], &[1, 1]]),
        geometry(&[1, 2, 7, 9], [&[3, 3], &[2, 3], &[1, 0], &[2, 1]]),
        // The stride is larger than the window; one window.
        geometry(&[1, 1, 8, 8], [&[2, 2], &[3, 4], &[0, 0], &[1, 1]]),
        geometry(&[1, 1, 3, 3], [&[3, 3], &[1, 1], &[0, 0], &[1, 1]]),
        geometry(&[1, 2, 4, 5, 6], [&[2, 2, 3], &[2, 1, 2], &[0, 1, 1], &[1, 1, 1]]),
        geometry(&[0, 2, 4, 4], [&[2, 2], &[2, 2], &[0, 0], &[1, 1]]),
        geometry(&[2, 0, 4], [&[2], &[1], &[1], &[1]]),
    ]
}

/// Operands of every kind of pooling: distinct values, equal ones, NaN.
fn sweep(mut f: impl FnMut(String, DType, MemoryLayout, Input, PoolOptions)) {
    for dtype in floats() {
        for (shape, options) in geometries() {
            for layout in MemoryLayout::ALL {
                let name = format!("{shape:?}, {options:?}, {layout:?}");
                f(
                    name.clone(),
                    dtype,
                    layout,
                    ordinary(shape.clone(), dtype).laid_out(layout),
                    options.clone(),
                );
                let equals = repetitive(shape.clone(), dtype).laid_out(layout);
                f(format!("{name}, equals"), dtype, layout, equals, options.clone());
            }
        }
        let options = PoolOptions::new([2, 2].into());
        let mut x = ordinary([1, 1, 4, 4], dtype).array();
        x.values[5] = Number::Float(f64::NAN);
        x.values[10] = Number::Float(f64::NEG_INFINITY);
        f(
            "NaN and infinity".into(),
            dtype,
            MemoryLayout::Contiguous,
            Input::new(x.to_data()),
            options.clone(),
        );
        let negative = x.map(dtype, |_| Number::Float(f64::NEG_INFINITY));
        f(
            "nothing but -inf".into(),
            dtype,
            MemoryLayout::Contiguous,
            Input::new(negative.to_data()),
            options.clone(),
        );
        if dtype == DType::F32 {
            f("large".into(), dtype, MemoryLayout::Contiguous, ordinary([2, 3, 80, 83], dtype), options);
        }
    }
}

fn adaptive() -> [(Shape, Dims); 11] {
    [
        ([1, 2, 4].into(), [0].into()),
        ([1, 2, 4, 6].into(), [2, 0].into()),
        ([2, 0, 5].into(), [2].into()),
        ([2, 3, 9].into(), [3].into()),
        ([2, 3, 10].into(), [4].into()),
        ([1, 2, 7, 9].into(), [3, 4].into()),
        ([1, 2, 7, 9].into(), [1, 1].into()),
        ([1, 2, 7, 9].into(), [7, 9].into()),
        ([1, 2, 3, 2].into(), [5, 4].into()),
        ([1, 2, 4, 5, 6].into(), [2, 5, 4].into()),
        ([0, 2, 4, 4].into(), [2, 2].into()),
    ]
}

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

fn pool(args: &PoolArgs<Array>) -> Expected {
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

fn max_with_indices(x: &Array, options: &PoolOptions, index: DType) -> (Array, Array) {
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

fn pool_grad(args: &PoolGradArgs<Array>) -> Expected {
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

fn adaptive_avg(x: &Array, size: &Dims) -> Expected {
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

fn adaptive_avg_grad(grad: &Array, target: &Shape) -> Expected {
    let mut shares = Shares::new(target, grad);
    let size = Dims::from(&grad.shape()[2..]);
    for i in indices(grad.shape()) {
        let window = adaptive_window(&i, target, &size);
        let share = grad.at(&i).to_f64() / window.len() as f64;
        window.iter().for_each(|at| shares.add(at, share));
    }
    shares.expected(size.iter().product())
}

fn large_options() -> PoolOptions {
    PoolOptions::new([2, 2].into())
}

/// Shapes of operands, and sizes that they are pooled to.
fn adaptive_sizes() -> [(Shape, Dims); 2] {
    [([1, 2, 5].into(), [3].into()), ([1, 1, 4, 5].into(), [2, 3].into())]
}

/// Shapes of operands, and the windows that they are pooled with.
fn gradient_windows() -> [(Shape, PoolOptions); 3] {
    let options = |list: [&[usize]; 4]| {
        let [kernel, stride, padding, dilation] = list.map(Dims::from);
        PoolOptions { kernel, stride, padding, dilation }
    };
    [
        ([1, 2, 6].into(), options([&[3], &[2], &[1], &[1]])),
        ([1, 1, 4, 5].into(), options([&[2, 2], &[1, 2], &[0, 1], &[1, 1]])),
        ([1, 1, 5, 5].into(), options([&[2, 2], &[2, 1], &[0, 0], &[2, 1]])),
    ]
}

/// Returns calls of each kind of pooling.
fn gradients(op: impl Fn(PoolKind, Shape, PoolOptions) -> Operation<Input>) -> Vec<GradientCall> {
    let kinds = |(shape, options): (Shape, PoolOptions)| {
        PoolKind::ALL.map(|kind| call(format!("{kind:?}"), op(kind, shape.clone(), options.clone())))
    };
    gradient_windows().into_iter().flat_map(kinds).collect()
}

/// Operand and arguments that a random call chooses from.
struct RandomArgs {
    spatial: usize,
    x: TensorSpec,
    options: PoolOptions,
    kind: PoolKind,
    index: DType,
}

impl RandomArgs {
    fn new(calls: &mut Calls<'_>) -> Self {
        let spatial = calls.random.pick(&[1, 1, 2, 2, 3]);
        let x = calls.float_of_rank(spatial + 2);
        let options = PoolOptions {
            kernel: calls.random.likely_sizes(spatial, 1),
            stride: calls.random.likely_sizes(spatial, 1),
            padding: calls.random.likely_sizes(spatial, 0),
            dilation: calls.random.likely_sizes(spatial, 1),
        };
        let (kind, index) = (calls.random.pick(&PoolKind::ALL), calls.index());
        RandomArgs { spatial, x, options, kind, index }
    }
}
