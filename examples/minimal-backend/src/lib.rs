//! The smallest backend: one dtype in memory (`f64`), no views, no reuse. A guide to writing a backend.

use burn_backend::dynamic::{BackendObject, object_of};
use burn_backend::*;
use std::cmp::Ordering;
use std::sync::{Arc, Mutex};

// ANCHOR: tensor
/// A backend that keeps every element as an `f64`, row-major.
#[derive(Clone, Copy, Debug, Default)]
pub struct Toy;

/// The only device.
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
    fn build(spec: TensorSpec, f: impl Fn(&[usize]) -> f64) -> Self {
        let data = indices(&spec.shape).map(|index| f(&index)).collect();
        ToyTensor { spec, data }.rounded()
    }

    /// Every element as its dtype can hold it; integers wrap.
    fn rounded(self) -> Self {
        let dtype = self.spec.dtype;
        assert!(dtype != DType::U64, "an f64 does not hold what wraps around in a u64");
        let data = match dtype.is_int() {
            true => TensorData::from(self.data.iter().map(|&x| x as i64).collect::<Vec<_>>()),
            false => TensorData::from(&self.data[..]),
        };
        ToyTensor { data: data.convert_dtype(dtype).to_f64().into(), ..self }
    }

    /// The element at `index`; missing dimensions and those of size 1 broadcast.
    fn at(&self, index: &[usize]) -> f64 {
        let shape = &self.spec.shape;
        let own = shape.iter().zip(&index[index.len() - shape.rank()..]);
        self.data[own.fold(0, |at, (&size, &i)| at * size + if size == 1 { 0 } else { i })]
    }

    fn set(&mut self, index: &[usize], value: f64) {
        let at = self.spec.shape.iter().zip(index).fold(0, |at, (&size, &i)| at * size + i);
        Arc::make_mut(&mut self.data)[at] = value;
    }
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

/// An index as a position along a dimension.
fn place(index: f64, size: usize) -> usize {
    assert!((0.0..size as f64).contains(&index), "index {index} is out of range for size {size}");
    index as usize
}

/// Every index of `shape`, in row-major order.
fn indices(shape: &Shape) -> impl Iterator<Item = Dims> + use<> {
    let (shape, strides) = (shape.clone(), shape.strides());
    (0..shape.num_elements()).map(move |at| (0..shape.rank()).map(|d| at / strides[d] % shape[d]).collect())
}

fn replace(index: &[usize], dim: usize, value: usize) -> Dims {
    let mut index = Dims::from(index);
    index[dim] = value;
    index
}

/// Where index `i` of a slice is in the whole.
fn unsliced(i: &[usize], slices: &Slices) -> Dims {
    (0..i.len()).map(|d| slices.get(d).map_or(i[d], |slice| slice.start + i[d] * slice.step)).collect()
}

/// Where the first elements along `dim` are in this order, as many as `spec` has.
fn first(x: &ToyTensor, dim: usize, spec: TensorSpec, order: impl Fn(f64, f64) -> Ordering) -> ToyTensor {
    let mut places = full(spec, Scalar::Int(0));
    for line in indices(&places.spec.shape.with(dim, places.spec.shape[dim].min(1))) {
        let value = |at: &usize| x.at(&replace(&line, dim, *at));
        let mut sorted: Vec<usize> = (0..x.spec.shape[dim]).collect();
        sorted.sort_by(|a, b| order(value(a), value(b)));
        (0..places.spec.shape[dim]).for_each(|i| places.set(&replace(&line, dim, i), sorted[i] as f64));
    }
    places
}

/// The seed, and how many counters of it are used up.
static STREAM: Mutex<(u64, u64)> = Mutex::new((0, 0));

/// Returns the spec of the result, from the only definition of it.
fn spec<'a>(op: impl Into<Operation<&'a ToyTensor>>) -> TensorSpec {
    output_specs(&op.into()).unwrap_or_else(|error| panic!("{error}")).first().clone()
}

// ANCHOR: backend
impl Backend for Toy {
    type Device = ToyDevice;
    type Tensor = ToyTensor;
    type FloatElem = f64;
    type IntElem = i64;

    fn execute(op: Operation<ToyTensor>) -> Outputs<ToyTensor> {
        match op {
            Operation::Elementwise(op) => elementwise(op),
            Operation::Layout(op) => layout(op),
            Operation::Reduction(op) => reduction(op),
            Operation::Order(Order::SortWithIndices { x, dim, descending, index }) => {
                sort_with_indices(x, dim, descending, index).into()
            }
            Operation::Index(Index::Gather { x, dim, indices }) => gather(&x, dim, &indices).into(),
            Operation::Index(Index::Scatter { x, dim, indices, value, update }) => {
                scatter(x, dim, &indices, &value, update).into()
            }
            Operation::Linalg(Linalg::Matmul { lhs, rhs }) => matmul(&lhs, &rhs).into(),
            // Everything else is made of these.
            op => reference::decompose::<Toy>(op),
        }
    }
    fn object() -> &'static dyn BackendObject {
        object_of::<Toy>()
    }
    // ANCHOR_END: backend
    fn name(_device: &ToyDevice) -> String {
        "toy".into()
    }
    fn has_dtype(_device: &ToyDevice, _dtype: DType) -> bool {
        true
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
    fn launch_graphs(_device: &ToyDevice) -> Option<Box<dyn LaunchGraphs>> {
        None
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
    fn linear_map(map: LinearMapRef, x: ToyTensor) -> Result<ToyTensor, LinearMapError> {
        apply_linear_map::<Self>(&map, x)
    }
    fn create(creation: Creation, _device: &ToyDevice) -> ToyTensor {
        match creation {
            Creation::Data(data) => from_data(data),
            Creation::Full { spec, value } => full(spec, value),
            Creation::Range { spec, start, step } => {
                ToyTensor::build(spec, |i| start.to_f64() + i[0] as f64 * step.to_f64())
            }
            Creation::Random { spec, distribution } => random(spec, distribution),
        }
    }
    fn run_block(block: Block<ToyTensor>) -> Vec<ToyTensor> {
        reference::run_block::<Self>(block)
    }
    async fn argwhere(mask: ToyTensor, index: DType) -> Result<ToyTensor, DataError> {
        let hits: Vec<Dims> = indices(&mask.spec.shape).filter(|i| mask.at(i) != 0.0).collect();
        let spec = TensorSpec::new([hits.len(), mask.spec.shape.rank()], index);
        Ok(ToyTensor::build(spec, |i| hits[i[0]][i[1]] as f64))
    }
}

// ANCHOR: elementwise
fn elementwise(op: Elementwise<ToyTensor>) -> Outputs<ToyTensor> {
    let result = match op {
        Elementwise::Unary { op, x } => ToyTensor::build(x.spec.clone(), |i| match op {
            op if x.spec.dtype.is_int() => wrapped(op.eval_int(x.at(i) as i128), x.spec.dtype),
            op => op.eval_f64(x.at(i)),
        }),
        Elementwise::Binary { op, lhs, rhs } => {
            let spec = spec(Elementwise::Binary { op, lhs: &lhs, rhs: &rhs });
            ToyTensor::build(spec, |i| binary(op, lhs.at(i), rhs.at(i), lhs.spec.dtype))
        }
        Elementwise::Compare { op, lhs, rhs } => {
            let spec = spec(Elementwise::Compare { op, lhs: &lhs, rhs: &rhs });
            ToyTensor::build(spec, |i| f64::from(u8::from(op.eval(lhs.at(i), rhs.at(i)))))
        }
        Elementwise::MaskWhere { mask, on, off } => {
            let spec = spec(Elementwise::MaskWhere { mask: &mask, on: &on, off: &off });
            ToyTensor::build(spec, |i| if mask.at(i) != 0.0 { on.at(i) } else { off.at(i) })
        }
        // Floats saturate where integers wrap.
        Elementwise::Cast { x, dtype } if x.spec.dtype.is_float() => {
            from_data(TensorData::new(&x.data, x.spec.shape).convert_dtype(dtype))
        }
        Elementwise::Cast { x, dtype } => {
            ToyTensor { spec: TensorSpec { dtype, ..x.spec }, data: x.data }.rounded()
        }
        op => return reference::decompose::<Toy>(op),
    };
    result.into()
}
// ANCHOR_END: elementwise

fn layout(op: Layout<ToyTensor>) -> Outputs<ToyTensor> {
    let result = match op {
        Layout::Reshape { x, shape } => ToyTensor { spec: TensorSpec { shape, ..x.spec }, ..x },
        Layout::Permute { x, axes } => {
            let spec = spec(Layout::Permute { x: &x, axes: axes.clone() });
            let from = |d| axes.iter().position(|&axis| axis == d).expect("every axis is named");
            ToyTensor::build(spec, |i| x.at(&(0..i.len()).map(|d| i[from(d)]).collect::<Dims>()))
        }
        Layout::Expand { x, shape } => {
            ToyTensor::build(TensorSpec { shape, dtype: x.spec.dtype }, |i| x.at(i))
        }
        Layout::Slice { x, slices } => {
            let spec = spec(Layout::Slice { x: &x, slices: slices.clone() });
            ToyTensor::build(spec, |i| x.at(&unsliced(i, &slices)))
        }
        Layout::SliceAssign { mut x, slices, value } => {
            indices(&value.spec.shape).for_each(|i| x.set(&unsliced(&i, &slices), value.at(&i)));
            x
        }
        Layout::Cat { xs, dim } => {
            let spec = spec(Layout::Cat { xs: xs.iter().collect(), dim });
            let mut out = full(spec, Scalar::Int(0));
            let mut start = 0;
            for x in xs {
                indices(&x.spec.shape).for_each(|i| out.set(&replace(&i, dim, start + i[dim]), x.at(&i)));
                start += x.spec.shape[dim];
            }
            out
        }
        op => return reference::decompose::<Toy>(op),
    };
    result.into()
}

fn reduction(op: Reduction<ToyTensor>) -> Outputs<ToyTensor> {
    match op {
        Reduction::Reduce { op, x, dims } => reduce(op, &x, &dims).into(),
        Reduction::ReduceWithIndices { op, x, dim, index } => reduce_with_indices(op, x, dim, index).into(),
        Reduction::Cumulative { op, x, dim } => cumulative(op, x, dim).into(),
        op => reference::decompose::<Toy>(op),
    }
}

fn from_data(data: TensorData) -> ToyTensor {
    ToyTensor { data: data.to_f64().into(), spec: TensorSpec::new(data.shape, data.dtype) }.rounded()
}

fn full(spec: TensorSpec, value: Scalar) -> ToyTensor {
    let value = TensorData::from(value.to_f64()).convert_dtype(spec.dtype).to_f64()[0];
    ToyTensor::build(spec, |_| value)
}

fn random(spec: TensorSpec, distribution: Distribution) -> ToyTensor {
    let count = spec.shape.num_elements();
    let counters = random::Recipe::new(distribution, spec.dtype).counters(count);
    let (seed, first) = rng_replay::position(counters, || {
        let mut stream = STREAM.lock().expect("nobody panics while drawing");
        stream.1 += counters;
        (stream.0, stream.1 - counters)
    });
    let data = random::draw(distribution, spec.dtype, count, seed, first).into();
    ToyTensor { spec, data }
}

fn reduce(op: ReduceOp, x: &ToyTensor, dims: &Dims) -> ToyTensor {
    let spec = spec(Reduction::Reduce { op, x, dims: dims.clone() });
    let inner: Shape =
        (0..spec.shape.rank()).map(|d| if dims.contains(&d) { x.spec.shape[d] } else { 1 }).collect();
    ToyTensor::build(spec, |i| {
        let index = |k: Dims| (0..i.len()).map(|d| i[d] + k[d]).collect::<Dims>();
        op.eval_f64(&indices(&inner).map(|k| x.at(&index(k))).collect::<Vec<_>>())
    })
}

fn reduce_with_indices(op: Extremum, x: ToyTensor, dim: usize, index: DType) -> (ToyTensor, ToyTensor) {
    let first_nan = |a: f64, b: f64| b.is_nan().cmp(&a.is_nan());
    let ascending = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
    let order = |a, b| if op == Extremum::Max { ascending(b, a) } else { ascending(a, b) };
    let spec = TensorSpec::new(x.spec.shape.with(dim, 1), index);
    let places = first(&x, dim, spec, |a, b| first_nan(a, b).then(order(a, b)));
    (gather(&x, dim, &places), places)
}

fn cumulative(op: CumulativeOp, x: ToyTensor, dim: usize) -> ToyTensor {
    // The element before it along `dim` has the result of those before.
    let (stride, mut results) = (x.spec.shape.strides()[dim], Vec::new());
    for i in indices(&x.spec.shape) {
        let before = (i[dim] > 0).then(|| results[results.len() - stride]);
        let terms: Vec<f64> = before.into_iter().chain([x.at(&i)]).collect();
        results.push(op.prefix().eval_f64(&terms));
    }
    ToyTensor { data: results.into(), ..x }.rounded()
}

fn sort_with_indices(x: ToyTensor, dim: usize, descending: bool, index: DType) -> (ToyTensor, ToyTensor) {
    let ascending = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(a.is_nan().cmp(&b.is_nan()));
    let order = |a, b| if descending { ascending(b, a) } else { ascending(a, b) };
    let places = first(&x, dim, TensorSpec { dtype: index, ..x.spec.clone() }, order);
    (gather(&x, dim, &places), places)
}

fn gather(x: &ToyTensor, dim: usize, indices: &ToyTensor) -> ToyTensor {
    let spec = TensorSpec { dtype: x.spec.dtype, ..indices.spec.clone() };
    ToyTensor::build(spec, |i| x.at(&replace(i, dim, place(indices.at(i), x.spec.shape[dim]))))
}

fn scatter(mut x: ToyTensor, dim: usize, at: &ToyTensor, value: &ToyTensor, op: IndexUpdate) -> ToyTensor {
    for i in indices(&at.spec.shape) {
        let (to, value) = (replace(&i, dim, place(at.at(&i), x.spec.shape[dim])), value.at(&i));
        let new = op.function().map_or(value, |op| binary(op, x.at(&to), value, x.spec.dtype));
        x.set(&to, new);
    }
    x.rounded()
}

fn matmul(lhs: &ToyTensor, rhs: &ToyTensor) -> ToyTensor {
    let spec = spec(Linalg::Matmul { lhs, rhs });
    let (rank, depth) = (spec.shape.rank(), rhs.spec.shape[rhs.spec.shape.rank() - 2]);
    ToyTensor::build(spec, |i| {
        (0..depth).map(|k| lhs.at(&replace(i, rank - 1, k)) * rhs.at(&replace(i, rank - 2, k))).sum()
    })
}
