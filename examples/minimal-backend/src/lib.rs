//! The smallest leaf: one dtype in memory (`f64`), no views, no reuse. A guide to writing a backend.

use burn_backend::dynamic::{BackendObject, object_of};
use burn_backend::*;
use std::cmp::Ordering;
use std::f64::consts::TAU;
use std::sync::{Arc, Mutex};

// ANCHOR: tensor
/// A leaf that keeps every element as an `f64`, row-major.
#[derive(Clone, Copy, Debug, Default)]
pub struct Toy;

/// There is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToyDevice;

#[derive(Clone, Debug)]
pub struct ToyTensor {
    spec: TensorSpec,
    data: Arc<[f64]>,
}

impl HasSpec for ToyTensor {
    fn spec(&self) -> &TensorSpec {
        &self.spec
    }
}
// ANCHOR_END: tensor

impl ToyTensor {
    /// A tensor of `spec` with `f(index)` at each index. The spec says how values are rounded.
    fn build(spec: TensorSpec, mut f: impl FnMut(&[usize]) -> f64) -> Self {
        let data = indices(&spec.shape).map(|index| f(&index)).collect();
        ToyTensor { spec, data }.rounded()
    }

    /// Every element as its dtype can hold it; integers wrap.
    fn rounded(self) -> Self {
        let dtype = self.spec.dtype;
        assert!(dtype != DType::U64, "an f64 does not hold what wraps around in a u64");
        if dtype == DType::F64 {
            return self;
        }
        let data = match dtype.is_int() {
            true => TensorData::from(self.data.iter().map(|&x| x as i64).collect::<Vec<_>>()),
            false => TensorData::from(&self.data[..]),
        };
        ToyTensor { data: data.convert_dtype(dtype).to_f64().into(), ..self }
    }

    /// The element at `index`; missing dimensions and those of size 1 broadcast.
    fn at(&self, index: &[usize]) -> f64 {
        let (shape, strides) = (&self.spec.shape, self.spec.shape.strides());
        let own = &index[index.len() - shape.rank()..];
        self.data[(0..own.len()).map(|d| if shape[d] == 1 { 0 } else { own[d] * strides[d] }).sum::<usize>()]
    }

    fn set(&mut self, index: &[usize], value: f64) {
        let at: usize = index.iter().zip(&*self.spec.shape.strides()).map(|(i, stride)| i * stride).sum();
        Arc::make_mut(&mut self.data)[at] = value;
    }
}

/// A number as an element of `dtype`.
fn scalar(value: Scalar, dtype: DType) -> f64 {
    TensorData::from([value.to_f64()]).convert_dtype(dtype).to_f64()[0]
}

/// The function of floats and bools, or that of integers, which wrap.
fn binary(op: BinaryOp, x: f64, y: f64, dtype: DType) -> f64 {
    if dtype.is_int() { wrapped(op.eval_int(x as i128, y as i128), dtype) } else { op.eval_f64(x, y) }
}

/// The low bits of `x`, as many as `dtype` has.
fn wrapped(x: i128, dtype: DType) -> f64 {
    let above = 128 - 8 * dtype.size();
    if dtype.is_signed() { (x << above >> above) as f64 } else { ((x as u128) << above >> above) as f64 }
}

/// What an indexed write leaves where `old` was.
fn updated(update: IndexUpdate, old: f64, value: f64, dtype: DType) -> f64 {
    update.function().map_or(value, |op| binary(op, old, value, dtype))
}

/// An index as a place along `dim`.
fn place(index: f64, x: &ToyTensor, dim: usize, op: &str) -> usize {
    let size = x.spec.shape[dim];
    assert!(
        (0.0..size as f64).contains(&index),
        "{op}: index {index} is out of range for dimension {dim} of size {size}"
    );
    index as usize
}

fn indices(shape: &Shape) -> impl Iterator<Item = Dims> + use<> {
    let (shape, strides) = (shape.clone(), shape.strides());
    (0..shape.num_elements()).map(move |at| (0..shape.rank()).map(|d| at / strides[d] % shape[d]).collect())
}

fn replace(index: &[usize], dim: usize, value: usize) -> Dims {
    let mut index = Dims::from(index);
    index[dim] = value;
    index
}

/// The first `k` along `dim` in this order, and where they were.
fn first(
    x: &ToyTensor,
    k: usize,
    dim: usize,
    index: DType,
    order: impl Fn(f64, f64) -> Ordering,
) -> (ToyTensor, ToyTensor) {
    let shape = x.spec.shape.with(dim, k);
    let mut places = ToyTensor::build(TensorSpec::new(shape.clone(), index), |_| 0.0);
    for line in indices(&shape.with(dim, k.min(1))) {
        let value = |at: usize| x.at(&replace(&line, dim, at));
        let mut sorted: Vec<usize> = (0..x.spec.shape[dim]).collect();
        sorted.sort_by(|&a, &b| order(value(a), value(b)));
        sorted.iter().take(k).enumerate().for_each(|(i, &at)| places.set(&replace(&line, dim, i), at as f64));
    }
    let spec = TensorSpec::new(shape, x.spec.dtype);
    (ToyTensor::build(spec, |i| x.at(&replace(i, dim, places.at(i) as usize))), places)
}

/// The seed, and how many counters of it are used up.
static STREAM: Mutex<(u64, u64)> = Mutex::new((0, 0));

/// The spec of the result, from the one place that knows.
fn spec(op: Operation<&ToyTensor>) -> TensorSpec {
    output_specs(&op).unwrap_or_else(|error| panic!("{error}")).first().clone()
}

// ANCHOR: backend
impl Backend for Toy {
    type Device = ToyDevice;
    type Tensor = ToyTensor;
    type FloatElem = f64;
    type IntElem = i64;

    fn execute(op: Operation<ToyTensor>) -> Outputs<ToyTensor> {
        dispatch::<Toy>(op)
    }
    fn object() -> &'static dyn BackendObject {
        object_of::<Toy>()
    }
    // ANCHOR_END: backend
    fn name(_device: &ToyDevice) -> String {
        "toy".into()
    }
    fn seed(seed: u64) {
        *STREAM.lock().expect("nobody panics while drawing") = (seed, 0);
    }
    fn sync(_device: &ToyDevice) {}
    fn device(_x: &ToyTensor) -> ToyDevice {
        ToyDevice
    }
    fn to_device(x: ToyTensor, _device: &ToyDevice) -> ToyTensor {
        x
    }
    async fn into_data(x: ToyTensor) -> Result<TensorData, DataError> {
        Ok(TensorData::new(&x.data, x.spec.shape).convert_dtype(x.spec.dtype))
    }
    fn tracks_gradients(_device: &ToyDevice) -> bool {
        false
    }
    fn set_require_grad(x: ToyTensor, _require_grad: bool) -> ToyTensor {
        x
    }
    fn is_require_grad(_x: &ToyTensor) -> bool {
        false
    }
    fn detach(x: ToyTensor) -> ToyTensor {
        x
    }
    fn checkpoint(segment: Segment<ToyTensor>, inputs: Vec<ToyTensor>) -> Vec<ToyTensor> {
        segment(inputs)
    }
    fn from_data(data: TensorData, _device: &ToyDevice) -> ToyTensor {
        ToyTensor { data: data.to_f64().into(), spec: TensorSpec::new(data.shape, data.dtype) }.rounded()
    }
    fn full(spec: TensorSpec, value: Scalar, _device: &ToyDevice) -> ToyTensor {
        let value = scalar(value, spec.dtype);
        ToyTensor::build(spec, |_| value)
    }
    fn random(spec: TensorSpec, distribution: Distribution, _device: &ToyDevice) -> ToyTensor {
        let count = spec.shape.num_elements();
        let counters = random::Recipe::new(distribution, spec.dtype).counters(count);
        let (seed, first) = draws::position(counters, || {
            let mut stream = STREAM.lock().expect("nobody panics while drawing");
            stream.1 += counters;
            (stream.0, stream.1 - counters)
        });
        let data = random::draw(distribution, spec.dtype, count, seed, first).into();
        ToyTensor { spec, data }
    }
    fn range(spec: TensorSpec, start: Scalar, step: Scalar, _device: &ToyDevice) -> ToyTensor {
        ToyTensor::build(spec, |i| start.to_f64() + i[0] as f64 * step.to_f64())
    }
    // ANCHOR: elementwise
    fn unary(op: UnaryOp, x: ToyTensor) -> ToyTensor {
        ToyTensor::build(x.spec.clone(), |i| match op {
            op if x.spec.dtype.is_int() => wrapped(op.eval_int(x.at(i) as i128), x.spec.dtype),
            op => op.eval_f64(x.at(i)),
        })
    }
    fn binary(op: BinaryOp, lhs: ToyTensor, rhs: ToyTensor) -> ToyTensor {
        let spec = spec(Operation::Binary { op, lhs: &lhs, rhs: &rhs });
        let dtype = lhs.spec.dtype;
        ToyTensor::build(spec, |i| binary(op, lhs.at(i), rhs.at(i), dtype))
    }
    // ANCHOR_END: elementwise
    fn binary_scalar(op: BinaryOp, lhs: ToyTensor, rhs: Scalar) -> ToyTensor {
        let (dtype, rhs) = (lhs.spec.dtype, scalar(rhs, lhs.spec.dtype));
        ToyTensor::build(lhs.spec.clone(), |i| binary(op, lhs.at(i), rhs, dtype))
    }
    fn compare(op: CompareOp, lhs: ToyTensor, rhs: ToyTensor) -> ToyTensor {
        let spec = spec(Operation::Compare { op, lhs: &lhs, rhs: &rhs });
        ToyTensor::build(spec, |i| f64::from(u8::from(op.eval(lhs.at(i), rhs.at(i)))))
    }
    fn compare_scalar(op: CompareOp, lhs: ToyTensor, rhs: Scalar) -> ToyTensor {
        let spec = spec(Operation::CompareScalar { op, lhs: &lhs, rhs });
        let rhs = scalar(rhs, lhs.spec.dtype);
        ToyTensor::build(spec, |i| f64::from(u8::from(op.eval(lhs.at(i), rhs))))
    }
    fn mask_where(mask: ToyTensor, on: ToyTensor, off: ToyTensor) -> ToyTensor {
        let spec = spec(Operation::MaskWhere { mask: &mask, on: &on, off: &off });
        ToyTensor::build(spec, |i| if mask.at(i) != 0.0 { on.at(i) } else { off.at(i) })
    }
    fn mask_fill(x: ToyTensor, mask: ToyTensor, value: Scalar) -> ToyTensor {
        let value = scalar(value, x.spec.dtype);
        ToyTensor::build(x.spec.clone(), |i| if mask.at(i) != 0.0 { value } else { x.at(i) })
    }
    fn clamp(x: ToyTensor, min: Option<Scalar>, max: Option<Scalar>) -> ToyTensor {
        let bound = |value, op: BinaryOp, limit: Option<Scalar>| {
            limit.map_or(value, |limit| op.eval_f64(value, scalar(limit, x.spec.dtype)))
        };
        ToyTensor::build(x.spec.clone(), |i| bound(bound(x.at(i), BinaryOp::Max, min), BinaryOp::Min, max))
    }
    fn cast(x: ToyTensor, dtype: DType) -> ToyTensor {
        let spec = spec(Operation::Cast { x: &x, dtype });
        if x.spec.dtype.is_float() {
            // Floats saturate where integers wrap.
            return ToyTensor {
                data: TensorData::from(&x.data[..]).convert_dtype(dtype).to_f64().into(),
                spec,
            };
        }
        ToyTensor::build(spec, |i| x.at(i))
    }
    fn reduce(op: ReduceOp, x: ToyTensor, dims: Dims) -> ToyTensor {
        let spec = spec(Operation::Reduce { op, x: &x, dims: dims.clone() });
        let inner: Shape =
            (0..spec.shape.rank()).map(|d| if dims.contains(&d) { x.spec.shape[d] } else { 1 }).collect();
        ToyTensor::build(spec, |i| {
            let index = |k: Dims| (0..i.len()).map(|d| i[d] + k[d]).collect::<Dims>();
            op.eval_f64(&indices(&inner).map(|k| x.at(&index(k))).collect::<Vec<_>>())
        })
    }
    fn arg_reduce(op: Extremum, x: ToyTensor, dim: usize, index: DType) -> ToyTensor {
        Self::reduce_with_indices(op, x, dim, index).1
    }
    fn reduce_with_indices(op: Extremum, x: ToyTensor, dim: usize, index: DType) -> (ToyTensor, ToyTensor) {
        let first_nan = |a: f64, b: f64| b.is_nan().cmp(&a.is_nan());
        let ascending = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
        first(&x, 1, dim, index, |a, b| {
            let order = if op == Extremum::Max { ascending(b, a) } else { ascending(a, b) };
            first_nan(a, b).then(order)
        })
    }
    fn cumulative(op: CumulativeOp, x: ToyTensor, dim: usize) -> ToyTensor {
        ToyTensor::build(x.spec.clone(), |i| {
            let prefix: Vec<f64> = (0..=i[dim]).map(|k| x.at(&replace(i, dim, k))).collect();
            op.prefix().eval_f64(&prefix)
        })
    }
    fn sort(x: ToyTensor, dim: usize, descending: bool) -> ToyTensor {
        Self::sort_with_indices(x, dim, descending, DType::I64).0
    }
    fn sort_with_indices(x: ToyTensor, dim: usize, descending: bool, index: DType) -> (ToyTensor, ToyTensor) {
        let size = x.spec.shape[dim];
        Self::topk(x, size, dim, descending, index)
    }
    fn topk(x: ToyTensor, k: usize, dim: usize, largest: bool, index: DType) -> (ToyTensor, ToyTensor) {
        let ascending = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(a.is_nan().cmp(&b.is_nan()));
        first(&x, k, dim, index, |a, b| if largest { ascending(b, a) } else { ascending(a, b) })
    }
    fn reshape(x: ToyTensor, shape: Shape) -> ToyTensor {
        ToyTensor { spec: TensorSpec { shape, ..x.spec }, ..x }
    }
    fn permute(x: ToyTensor, axes: Dims) -> ToyTensor {
        let spec = spec(Operation::Permute { x: &x, axes: axes.clone() });
        let mut index = axes.clone();
        ToyTensor::build(spec, |i| {
            axes.iter().zip(i).for_each(|(&from, &at)| index[from] = at);
            x.at(&index)
        })
    }
    fn expand(x: ToyTensor, shape: Shape) -> ToyTensor {
        ToyTensor::build(TensorSpec { shape, ..x.spec }, |i| x.at(i))
    }
    fn flip(x: ToyTensor, axes: Dims) -> ToyTensor {
        let from = |i: &[usize], d: usize| if axes.contains(&d) { x.spec.shape[d] - 1 - i[d] } else { i[d] };
        ToyTensor::build(x.spec.clone(), |i| x.at(&(0..i.len()).map(|d| from(i, d)).collect::<Dims>()))
    }
    fn repeat_dim(x: ToyTensor, dim: usize, times: usize) -> ToyTensor {
        let spec = spec(Operation::RepeatDim { x: &x, dim, times });
        ToyTensor::build(spec, |i| x.at(&replace(i, dim, i[dim] % x.spec.shape[dim])))
    }
    fn slice(x: ToyTensor, slices: Slices) -> ToyTensor {
        let spec = spec(Operation::Slice { x: &x, slices: slices.clone() });
        let from =
            |i: &[usize], d: usize| slices.get(d).map_or(i[d], |slice| slice.start + i[d] * slice.step);
        ToyTensor::build(spec, |i| x.at(&(0..i.len()).map(|d| from(i, d)).collect::<Dims>()))
    }
    fn slice_assign(mut x: ToyTensor, slices: Slices, value: ToyTensor) -> ToyTensor {
        for i in indices(&value.spec.shape) {
            let to = |d: usize| slices.get(d).map_or(i[d], |slice| slice.start + i[d] * slice.step);
            x.set(&(0..i.len()).map(to).collect::<Dims>(), value.at(&i));
        }
        x
    }
    fn cat(xs: Vec<ToyTensor>, dim: usize) -> ToyTensor {
        let spec = spec(Operation::Cat { xs: xs.iter().collect(), dim });
        ToyTensor::build(spec, |i| {
            let mut at = i[dim];
            let mut parts = xs.iter();
            loop {
                let part = parts.next().expect("the sizes add up");
                match at.checked_sub(part.spec.shape[dim]) {
                    Some(rest) => at = rest,
                    None => return part.at(&replace(i, dim, at)),
                }
            }
        })
    }
    fn gather(x: ToyTensor, dim: usize, indices: ToyTensor) -> ToyTensor {
        let spec = TensorSpec { dtype: x.spec.dtype, ..indices.spec.clone() };
        ToyTensor::build(spec, |i| x.at(&replace(i, dim, place(indices.at(i), &x, dim, "gather"))))
    }
    fn scatter(
        mut x: ToyTensor,
        dim: usize,
        at: ToyTensor,
        value: ToyTensor,
        update: IndexUpdate,
    ) -> ToyTensor {
        for i in indices(&at.spec.shape) {
            let to = replace(&i, dim, place(at.at(&i), &x, dim, "scatter"));
            let new = updated(update, x.at(&to), value.at(&i), x.spec.dtype);
            x.set(&to, new);
        }
        x.rounded()
    }
    fn select(x: ToyTensor, dim: usize, indices: ToyTensor) -> ToyTensor {
        let spec = spec(Operation::Select { x: &x, dim, indices: &indices });
        let at = |i: &[usize]| place(indices.data[i[dim]], &x, dim, "select");
        ToyTensor::build(spec, |i| x.at(&replace(i, dim, at(i))))
    }
    fn select_assign(
        mut x: ToyTensor,
        dim: usize,
        at: ToyTensor,
        value: ToyTensor,
        update: IndexUpdate,
    ) -> ToyTensor {
        for i in indices(&value.spec.shape) {
            let to = replace(&i, dim, place(at.data[i[dim]], &x, dim, "select_assign"));
            let new = updated(update, x.at(&to), value.at(&i), x.spec.dtype);
            x.set(&to, new);
        }
        x.rounded()
    }
    async fn argwhere(mask: ToyTensor, index: DType) -> Result<ToyTensor, DataError> {
        let hits: Vec<Dims> = indices(&mask.spec.shape).filter(|i| mask.at(i) != 0.0).collect();
        let spec = TensorSpec::new([hits.len(), mask.spec.shape.rank()], index);
        Ok(ToyTensor::build(spec, |i| hits[i[0]][i[1]] as f64))
    }
    fn matmul(lhs: ToyTensor, rhs: ToyTensor) -> ToyTensor {
        let spec = spec(Operation::Matmul { lhs: &lhs, rhs: &rhs });
        let (rank, depth) = (spec.shape.rank(), rhs.spec.shape[rhs.spec.shape.rank() - 2]);
        ToyTensor::build(spec, |i| {
            (0..depth).map(|k| lhs.at(&replace(i, rank - 1, k)) * rhs.at(&replace(i, rank - 2, k))).sum()
        })
    }
    fn factorize(op: Factorization, x: ToyTensor) -> ToyTensor {
        let spec = spec(Operation::Factorize { op, x: &x });
        let (rows, cols) = size(&x);
        matrices(spec, |at| op.eval_f64(&matrix(&x, at), rows, cols))
    }
    fn lu(x: ToyTensor, index: DType) -> (ToyTensor, ToyTensor) {
        let specs = output_specs(&Operation::Lu { x: &x, index }).unwrap_or_else(|error| panic!("{error}"));
        let ((packed, order), (rows, cols)) = (specs.two(), size(&x));
        let order = ToyTensor::build(order, |i| {
            let at: Dims = i.iter().copied().chain([0]).collect();
            lu_f64(&matrix(&x, &at), rows, cols).1[i[i.len() - 1]] as f64
        });
        (matrices(packed, |at| lu_f64(&matrix(&x, at), rows, cols).0), order)
    }
    fn solve(a: ToyTensor, b: ToyTensor) -> ToyTensor {
        let spec = spec(Operation::Solve { a: &a, b: &b });
        let (rows, cols) = size(&b);
        matrices(spec, |at| solve_f64(&matrix(&a, at), &matrix(&b, at), rows, cols))
    }
    fn solve_triangular(a: ToyTensor, b: ToyTensor, triangle: Triangle) -> ToyTensor {
        let spec = spec(Operation::SolveTriangular { a: &a, b: &b, triangle });
        let (rows, cols) = size(&b);
        matrices(spec, |at| triangle.solve_f64(&matrix(&a, at), &matrix(&b, at), rows, cols))
    }
    fn conv(args: ConvArgs<ToyTensor>) -> ToyTensor {
        let spec = spec(Operation::Conv(Box::new(args.by_ref())));
        let mut out = ToyTensor::build(spec, |i| args.bias.as_ref().map_or(0.0, |bias| bias.data[i[1]]));
        products(
            &args.x.spec.shape,
            &args.weight.spec.shape,
            &out.spec.shape.clone(),
            &args.options,
            |x, w, o| {
                out.set(o, out.at(o) + args.x.at(x) * args.weight.at(w));
            },
        );
        out.rounded()
    }
    fn conv_transpose(args: ConvGradArgs<ToyTensor>) -> ToyTensor {
        let (grad, weight) = (&args.grad, &args.other);
        let mut out = ToyTensor::build(TensorSpec::new(args.target.clone(), grad.spec.dtype), |_| 0.0);
        products(&args.target, &weight.spec.shape, &grad.spec.shape, &args.options, |x, w, o| {
            out.set(x, out.at(x) + grad.at(o) * weight.at(w));
        });
        out.rounded()
    }
    fn conv_weight_grad(args: ConvGradArgs<ToyTensor>) -> ToyTensor {
        let (grad, input) = (&args.grad, &args.other);
        let mut out = ToyTensor::build(TensorSpec::new(args.target.clone(), grad.spec.dtype), |_| 0.0);
        products(&input.spec.shape, &args.target, &grad.spec.shape, &args.options, |x, w, o| {
            out.set(w, out.at(w) + grad.at(o) * input.at(x));
        });
        out.rounded()
    }
    fn pool(args: PoolArgs<ToyTensor>) -> ToyTensor {
        let spec = spec(Operation::Pool(Box::new(args.by_ref())));
        let x = &args.x;
        ToyTensor::build(spec, |i| {
            let window = window(i, &x.spec.shape, &args.options);
            let values: Vec<f64> = window.iter().map(|at| x.at(at)).collect();
            match args.kind {
                PoolKind::Max => ReduceOp::Max.eval_f64(&values),
                PoolKind::Avg { count_include_pad } => {
                    values.iter().sum::<f64>() / divisor(count_include_pad, values.len(), &args.options)
                }
            }
        })
    }
    fn pool_grad(args: PoolGradArgs<ToyTensor>) -> ToyTensor {
        let mut out = ToyTensor::build(TensorSpec::new(args.target.clone(), args.grad.spec.dtype), |_| 0.0);
        for i in indices(&args.grad.spec.shape) {
            let window = window(&i, &args.target, &args.options);
            let grad = args.grad.at(&i);
            match (args.kind, &args.x) {
                (PoolKind::Max, Some(x)) => {
                    let winner = winner(&window, x);
                    out.set(winner, out.at(winner) + grad);
                }
                (PoolKind::Max, None) => unreachable!("the gradient of a maximum needs the input"),
                (PoolKind::Avg { count_include_pad }, _) => {
                    let share = grad / divisor(count_include_pad, window.len(), &args.options);
                    window.iter().for_each(|at| out.set(at, out.at(at) + share));
                }
            }
        }
        out.rounded()
    }
    fn max_pool_with_indices(x: ToyTensor, options: PoolOptions, index: DType) -> (ToyTensor, ToyTensor) {
        let specs = Operation::MaxPoolWithIndices { x: &x, options: Box::new(options.clone()), index };
        let (values, places) = output_specs(&specs).unwrap_or_else(|error| panic!("{error}")).two();
        let at = |i: &[usize]| winner(&window(i, &x.spec.shape, &options), &x).clone();
        let flat = |at: &[usize]| (2..at.len()).fold(0, |flat, d| flat * x.spec.shape[d] + at[d]) as f64;
        (ToyTensor::build(values, |i| x.at(&at(i))), ToyTensor::build(places, |i| flat(&at(i))))
    }
    fn adaptive_avg_pool(x: ToyTensor, size: Dims) -> ToyTensor {
        let spec = spec(Operation::AdaptiveAvgPool { x: &x, size: size.clone() });
        ToyTensor::build(spec, |i| {
            let window = adaptive_window(i, &x.spec.shape, &size);
            window.iter().map(|at| x.at(at)).sum::<f64>() / window.len() as f64
        })
    }
    fn adaptive_avg_pool_grad(grad: ToyTensor, target: Shape) -> ToyTensor {
        let size: Dims = grad.spec.shape[2..].into();
        let mut out = ToyTensor::build(TensorSpec::new(target.clone(), grad.spec.dtype), |_| 0.0);
        for i in indices(&grad.spec.shape) {
            let window = adaptive_window(&i, &target, &size);
            let share = grad.at(&i) / window.len() as f64;
            window.iter().for_each(|at| out.set(at, out.at(at) + share));
        }
        out.rounded()
    }
    fn fft(op: FftOp, x: ToyTensor, dim: usize) -> ToyTensor {
        let spec = spec(Operation::Fft { op, x: &x, dim });
        let (n, last) =
            (if op == FftOp::Real { x.spec.shape[dim] } else { spec.shape[dim] }, x.spec.shape.rank() - 1);
        ToyTensor::build(spec, |i| {
            // The sum over `k` of element `k` times `e^(sign 2 pi i k i[dim] / n)`; its real or its imaginary part.
            let (sign, imaginary) = match op {
                FftOp::Forward | FftOp::Real => (-1.0, i[i.len() - 1] == 1),
                FftOp::Backward => (1.0, i[i.len() - 1] == 1),
                FftOp::Half { .. } => (1.0, false),
            };
            let term = |k: usize| {
                let pair = |at: usize| {
                    let place = |part: usize| i[..last].iter().copied().chain([part]).collect::<Vec<_>>();
                    let at = |part| x.at(&replace(&place(part), dim, at));
                    (at(0), at(1))
                };
                let (re, im) = match op {
                    FftOp::Forward | FftOp::Backward => pair(k),
                    FftOp::Real => (x.at(&replace(&i[..i.len() - 1], dim, k)), 0.0),
                    // What is left out is the conjugate of its mirror image; what is its own mirror image is real.
                    FftOp::Half { .. } if k > n / 2 => (pair(n - k).0, -pair(n - k).1),
                    FftOp::Half { .. } if k == 0 || 2 * k == n => (pair(k).0, 0.0),
                    FftOp::Half { .. } => pair(k),
                };
                let (sin, cos) = (sign * TAU * (k * i[dim] % n) as f64 / n as f64).sin_cos();
                if imaginary { re * sin + im * cos } else { re * cos - im * sin }
            };
            (0..n).map(term).sum()
        })
    }
    // ANCHOR: composites
    fn run_block(block: Block<ToyTensor>) -> Vec<ToyTensor> {
        reference::run_block::<Self>(block)
    }
    fn softmax(x: ToyTensor, dim: usize) -> ToyTensor {
        reference::softmax::<Self>(x, dim)
    }
    fn log_softmax(x: ToyTensor, dim: usize) -> ToyTensor {
        reference::log_softmax::<Self>(x, dim)
    }
    // ANCHOR_END: composites
    fn layer_norm(args: LayerNormArgs<ToyTensor>) -> ToyTensor {
        reference::layer_norm::<Self>(args)
    }
    fn layer_norm_grad(args: LayerNormGradArgs<ToyTensor>) -> ToyTensor {
        reference::layer_norm_grad::<Self>(args)
    }
    fn attention(args: AttentionArgs<ToyTensor>) -> (ToyTensor, ToyTensor) {
        reference::attention::<Self>(args)
    }
    fn attention_grad(args: AttentionGradArgs<ToyTensor>) -> (ToyTensor, ToyTensor, ToyTensor) {
        reference::attention_grad::<Self>(args)
    }
}

/// Rows and columns of matrices.
fn size(x: &ToyTensor) -> (usize, usize) {
    let rank = x.spec.shape.rank();
    (x.spec.shape[rank - 2], x.spec.shape[rank - 1])
}

/// The matrix that an index of its batch, and two more dimensions, stands in; batches broadcast.
fn matrix(x: &ToyTensor, index: &[usize]) -> Vec<f64> {
    let ((rows, cols), batch) = (size(x), &index[..index.len() - 2]);
    let at = |k: usize| batch.iter().copied().chain([k / cols, k % cols]).collect::<Dims>();
    (0..rows * cols).map(|k| x.at(&at(k))).collect()
}

/// A tensor of matrices; `f` makes the one of a batch, given its first index.
fn matrices(spec: TensorSpec, mut f: impl FnMut(&[usize]) -> Vec<f64>) -> ToyTensor {
    let rank = spec.shape.rank();
    let single = spec.shape.num_elements().min(1);
    let starts = spec.shape.with(rank - 2, single).with(rank - 1, single);
    let data = indices(&starts).flat_map(|at| f(&at)).collect();
    ToyTensor { spec, data }.rounded()
}

/// Every product of a convolution, by the indices into input, weight and output.
fn products(
    x: &Shape,
    weight: &Shape,
    out: &Shape,
    o: &ConvOptions,
    mut f: impl FnMut(&[usize], &[usize], &[usize]),
) {
    let channels: Shape = weight[1..].iter().copied().collect();
    for out_index in indices(out) {
        for tap in indices(&channels) {
            let group = out_index[1] / (weight[0] / o.groups);
            let place = |d: usize| {
                let padded = out_index[d + 2] * o.stride[d] + tap[d + 1] * o.dilation[d];
                padded.checked_sub(o.padding[d]).filter(|&at| at < x[d + 2])
            };
            let Some(inside) = (0..o.stride.len()).map(place).collect::<Option<Vec<_>>>() else { continue };
            let head = [out_index[0], group * weight[1] + tap[0]];
            let x_index: Dims = head.into_iter().chain(inside).collect();
            let weight_index: Dims = [out_index[1]].into_iter().chain(tap.iter().copied()).collect();
            f(&x_index, &weight_index, &out_index);
        }
    }
}

/// The elements of the input that a window of a pooling covers.
fn window(i: &[usize], input: &Shape, o: &PoolOptions) -> Vec<Dims> {
    let taps = indices(&Shape::from(o.kernel.clone()));
    taps.filter_map(|tap| {
        let place = |d: usize| {
            let padded = i[d + 2] * o.stride[d] + tap[d] * o.dilation[d];
            padded.checked_sub(o.padding[d]).filter(|&at| at < input[d + 2])
        };
        let inside = (0..tap.len()).map(place).collect::<Option<Vec<_>>>()?;
        Some(i[..2].iter().copied().chain(inside).collect())
    })
    .collect()
}

/// The elements of the input that an adaptive window covers.
fn adaptive_window(i: &[usize], input: &Shape, size: &Dims) -> Vec<Dims> {
    let start = |d: usize| i[d + 2] * input[d + 2] / size[d];
    let len = |d: usize| ((i[d + 2] + 1) * input[d + 2]).div_ceil(size[d]) - start(d);
    let taps: Shape = (0..size.len()).map(len).collect();
    let at = |tap: Dims| (0..tap.len()).map(|d| start(d) + tap[d]).collect::<Vec<_>>();
    indices(&taps).map(|tap| i[..2].iter().copied().chain(at(tap)).collect()).collect()
}

fn divisor(count_include_pad: bool, inside: usize, o: &PoolOptions) -> f64 {
    if count_include_pad { o.kernel.iter().product::<usize>() as f64 } else { inside as f64 }
}

/// Where the largest element of a window is; of equals, the first.
fn winner<'a>(window: &'a [Dims], x: &ToyTensor) -> &'a Dims {
    let beats = |a: f64, b: f64| a > b || (a.is_nan() && !b.is_nan());
    window.iter().reduce(|best, at| if beats(x.at(at), x.at(best)) { at } else { best }).expect("not empty")
}
