use crate::block::{Steps, Value};
use crate::element::is_half;
use crate::elementwise::elementwise;
use crate::kernel::{Body, Kernel, launch, launch_cubes};
use crate::layout::{contiguous, permute};
use crate::strides::{self, Merged};
use crate::tensor::CubeTensor;
use burn_backend::*;
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Units that work on one result together.
const TEAM: u32 = 256;
/// Elements from which a team pays.
const LONG: usize = 1024;

/// Folds the last dimensions of a view.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Fold {
    op: ReduceOp,
    kept: usize,
    folded: usize,
    /// Whether the units of a cube share a result.
    team: bool,
}

#[cube]
fn unit() -> u32 {
    UNIT_POS
}

#[cube]
fn cube_position() -> u32 {
    CUBE_POS as u32
}

#[cube]
fn strided_steps(count: u32, first: u32, team: u32) -> u32 {
    (count + team - 1u32 - first) / team
}

#[cube]
fn multiply_add(x: u32, y: u32, z: u32) -> u32 {
    x * y + z
}

#[cube]
fn is_first(at: u32) -> bool {
    at == 0u32
}

/// What two partial results give.
pub fn join(op: ReduceOp, steps: &mut Steps, x: &Value, y: &Value) -> Value {
    let op = match op {
        ReduceOp::Sum | ReduceOp::Mean => BinaryOp::Add,
        ReduceOp::Prod => BinaryOp::Mul,
        ReduceOp::Max => BinaryOp::Max,
        ReduceOp::Min => BinaryOp::Min,
        ReduceOp::Any => BinaryOp::Or,
        ReduceOp::All => BinaryOp::And,
    };
    steps.binary(op, x, y)
}

impl Kernel for Fold {
    const NAME: &'static str = "reduce";

    fn expand(&self, body: &mut Body) {
        let op = self.op;
        let (count, terms, offset) = (body.word(0), body.word(1), body.word(2));
        let (kept, folded) = (self.kept, self.folded);
        let (sizes, steps_) = (body.words(3, kept), body.words(3 + kept, kept));
        let inner = (body.words(3 + 2 * kept, folded), body.words(3 + 2 * kept + folded, folded));
        let (x, out, dtype) = (body.variable(0), body.variable(1), body.dtype(0));
        let scope = &mut body.scope;
        let (at, first) = if self.team {
            (cube_position::expand(scope), unit::expand(scope))
        } else {
            (strides::position::expand(scope), 0_u32.into())
        };
        let team: NativeExpand<u32> = if self.team { TEAM } else { 1 }.into();
        let shared = self.team.then(|| {
            scope.create_shared_array(Type::new(crate::element::storage(dtype)), TEAM as usize, None)
        });
        let inside = strides::is_below::expand(scope, at.clone(), count);
        Steps { scope, is_wide: false }.when(inside, |steps| {
            let base = strides::place::expand(steps.scope, at.clone(), sizes, steps_, offset);
            let start = match op {
                ReduceOp::Max | ReduceOp::Min => steps.load(&x, dtype, base.clone()),
                ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Any => steps.number(0.0, dtype),
                ReduceOp::Prod | ReduceOp::All => steps.number(1.0, dtype),
            };
            let total = steps.local(&start);
            let own = strided_steps::expand(steps.scope, terms.clone(), first.clone(), team.clone());
            steps.repeat(0_u32.into(), own, |steps, k| {
                let k = multiply_add::expand(steps.scope, k, team.clone(), first.clone());
                let place =
                    strides::place::expand(steps.scope, k, inner.0.clone(), inner.1.clone(), base.clone());
                let value = steps.load(&x, dtype, place);
                let sum = join(op, steps, &total, &value);
                steps.assign(&total, &sum);
            });
            if let Some(shared) = &shared {
                steps.store(shared, first.clone(), &total);
                let mut half = TEAM / 2;
                while half > 0 {
                    sync_cube::expand(steps.scope);
                    let lower = strides::is_below::expand(steps.scope, first.clone(), half.into());
                    steps.when(lower, |steps| {
                        let other =
                            multiply_add::expand(steps.scope, half.into(), 1_u32.into(), first.clone());
                        let other = steps.load(shared, dtype, other);
                        let own = steps.load(shared, dtype, first.clone());
                        let sum = join(op, steps, &own, &other);
                        steps.store(shared, first.clone(), &sum);
                    });
                    half /= 2;
                }
            }
            let leads = is_first::expand(steps.scope, first.clone());
            steps.when(leads, |steps| {
                let mut result = match &shared {
                    Some(shared) => steps.load(shared, dtype, 0_u32.into()),
                    None => total.clone(),
                };
                if op == ReduceOp::Mean {
                    let terms = steps.cast(&Value::new(terms, DType::U32), dtype);
                    result = steps.binary(BinaryOp::Div, &result, &terms);
                }
                steps.store(&out, at, &result);
            });
        });
    }
}

/// The dimensions that stay, and those that are folded, as views of `x`.
fn split(x: &CubeTensor, dims: &[usize]) -> (Merged, Merged) {
    let pick = |wanted: bool| {
        let list = || (0..x.spec().shape.rank()).filter(move |d| dims.contains(d) == wanted);
        let shape: Shape = list().map(|d| x.spec().shape[d]).collect();
        let strides: Dims = list().map(|d| x.strides()[d]).collect();
        Merged::new(&shape, &[strides])
    };
    (pick(false), pick(true))
}

/// `x` in `f32`, where its elements are halves: what is added up keeps its digits.
fn widened(x: &CubeTensor) -> Option<CubeTensor> {
    is_half(x.dtype()).then(|| elementwise(Operation::Cast { x: x.clone(), dtype: DType::F32 }))
}

pub fn reduce(op: ReduceOp, x: &CubeTensor, dims: &Dims) -> CubeTensor {
    if let Some(wide) = widened(x) {
        return elementwise(Operation::Cast { x: reduce(op, &wide, dims), dtype: x.dtype() });
    }
    let spec = output_specs(&Operation::Reduce { op, x, dims: dims.clone() });
    let spec = spec.unwrap_or_else(|error| panic!("{error}")).one();
    let count = spec.shape.num_elements();
    let terms: usize = dims.iter().map(|&d| x.spec().shape[d]).product();
    let out = CubeTensor::empty(spec, x.engine());
    let (kept, folded) = split(x, dims);
    let mut words: Vec<u32> = strides::words(&[count, terms, x.offset()]).collect();
    for list in [&kept.sizes, &kept.strides[0], &folded.sizes, &folded.strides[0]] {
        words.extend(strides::words(list));
    }
    let team = terms >= LONG;
    let kernel = Fold { op, kept: kept.rank(), folded: folded.rank(), team };
    if team && count > 0 {
        launch_cubes(kernel, &[x], &[&out], &words, count, CubeDim::new_1d(TEAM));
    } else {
        launch(kernel, &[x], &[&out], &words, count);
    }
    out
}

/// The extreme element along the last dimension of a contiguous tensor, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Extreme {
    op: Extremum,
}

impl Kernel for Extreme {
    const NAME: &'static str = "extreme";

    fn expand(&self, body: &mut Body) {
        let (count, terms) = (body.word(0), body.word(1));
        let (x, values, places) = (body.variable(0), body.variable(1), body.variable(2));
        let (dtype, index) = (body.dtype(0), body.dtype(2));
        let at = strides::position::expand(&mut body.scope);
        let inside = strides::is_below::expand(&mut body.scope, at.clone(), count);
        Steps { scope: &mut body.scope, is_wide: false }.when(inside, |steps| {
            let base = multiply_add::expand(steps.scope, at.clone(), terms.clone(), 0_u32.into());
            let first = steps.load(&x, dtype, base.clone());
            let best = steps.local(&first);
            let zero = steps.number(0.0, DType::U32);
            let place = steps.local(&zero);
            steps.repeat(1_u32.into(), terms, |steps, k| {
                let here = multiply_add::expand(steps.scope, k.clone(), 1_u32.into(), base.clone());
                let value = steps.load(&x, dtype, here);
                let wins = beats(self.op, steps, &value, &best);
                let next = steps.choose(&wins, &value, &best);
                steps.assign(&best, &next);
                let next = steps.choose(&wins, &Value::new(k, DType::U32), &place);
                steps.assign(&place, &next);
            });
            steps.store(&values, at.clone(), &best);
            let place = steps.cast(&place, index);
            steps.store(&places, at, &place);
        });
    }
}

/// Whether `x` is more extreme than `y`; NaN is the extreme of both ends.
fn beats(op: Extremum, steps: &mut Steps, x: &Value, y: &Value) -> Value {
    let compare = if op == Extremum::Max { CompareOp::Greater } else { CompareOp::Less };
    let wins = steps.compare(compare, x, y);
    if !x.dtype.is_float() {
        return wins;
    }
    let (new, old) = (steps.is_nan(x), steps.is_nan(y));
    let old = steps.unary(UnaryOp::Not, &old);
    let first = steps.binary(BinaryOp::And, &new, &old);
    steps.binary(BinaryOp::Or, &wins, &first)
}

pub fn reduce_with_indices(
    op: Extremum,
    x: CubeTensor,
    dim: usize,
    index: DType,
) -> (CubeTensor, CubeTensor) {
    let (shape, dtype, engine) = (x.shape(), x.dtype(), x.engine());
    let terms = shape[dim];
    let x = lines(x, dim);
    let spec = |dtype| TensorSpec::new(shape.with(dim, 1), dtype);
    let (values, places) = (CubeTensor::empty(spec(dtype), engine), CubeTensor::empty(spec(index), engine));
    let count = values.spec().shape.num_elements();
    let words: Vec<u32> = strides::words(&[count, terms]).collect();
    launch(Extreme { op }, &[&x], &[&values, &places], &words, count);
    (values, places)
}

/// `x`, contiguous, with dimension `dim` last: results of one element per line are in order without it.
pub fn lines(x: CubeTensor, dim: usize) -> CubeTensor {
    let rank = x.spec().shape.rank();
    let axes: Dims = (0..rank).filter(|&d| d != dim).chain([dim]).collect();
    contiguous(permute(x, &axes))
}

/// The reverse of [`lines`], for results with whole lines.
pub fn from_lines(x: CubeTensor, dim: usize) -> CubeTensor {
    let rank = x.spec().shape.rank();
    let axes: Dims = (0..dim).chain([rank - 1]).chain(dim..rank - 1).collect();
    permute(x, &axes)
}

/// Elements that a unit goes through in a scan.
const CHUNK: usize = 256;

/// A running reduction of each chunk of the lines of a contiguous tensor, and the reductions of whole chunks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Scan {
    op: CumulativeOp,
}

#[cube]
fn chunk_start(at: u32, chunks: u32, terms: u32, chunk: u32) -> u32 {
    at / chunks * terms + at % chunks * chunk
}

#[cube]
fn chunk_end(at: u32, chunks: u32, terms: u32, chunk: u32) -> u32 {
    let within = (at % chunks + 1u32) * chunk;
    at / chunks * terms + select(within < terms, within, terms)
}

impl Kernel for Scan {
    const NAME: &'static str = "scan";

    fn expand(&self, body: &mut Body) {
        let [count, chunks, terms, chunk] = [0, 1, 2, 3].map(|at| body.word(at));
        let (x, out, totals, dtype) = (body.variable(0), body.variable(1), body.variable(2), body.dtype(0));
        let at = strides::position::expand(&mut body.scope);
        let inside = strides::is_below::expand(&mut body.scope, at.clone(), count);
        let op = self.op.prefix();
        Steps { scope: &mut body.scope, is_wide: false }.when(inside, |steps| {
            let start =
                chunk_start::expand(steps.scope, at.clone(), chunks.clone(), terms.clone(), chunk.clone());
            let end = chunk_end::expand(steps.scope, at.clone(), chunks, terms, chunk);
            let first = steps.load(&x, dtype, start.clone());
            let total = steps.local(&first);
            steps.store(&out, start.clone(), &total);
            let second = multiply_add::expand(steps.scope, start, 1_u32.into(), 1_u32.into());
            steps.repeat(second, end, |steps, here| {
                let value = steps.load(&x, dtype, here.clone());
                let sum = join(op, steps, &total, &value);
                steps.assign(&total, &sum);
                steps.store(&out, here, &total);
            });
            steps.store(&totals, at, &total);
        });
    }
}

/// Joins what the chunks before hold to each element of a scan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Carry {
    op: CumulativeOp,
}

#[cube]
fn chunk_before(at: u32, chunks: u32, terms: u32, chunk: u32) -> u32 {
    at / terms * chunks + at % terms / chunk - 1u32
}

#[cube]
fn is_carried(at: u32, count: u32, terms: u32, chunk: u32) -> bool {
    at < count && at % terms >= chunk
}

impl Kernel for Carry {
    const NAME: &'static str = "scan_carry";

    fn expand(&self, body: &mut Body) {
        let [count, chunks, terms, chunk] = [0, 1, 2, 3].map(|at| body.word(at));
        let (totals, out, dtype) = (body.variable(0), body.variable(1), body.dtype(0));
        let at = strides::position::expand(&mut body.scope);
        let carried = is_carried::expand(&mut body.scope, at.clone(), count, terms.clone(), chunk.clone());
        let op = self.op.prefix();
        Steps { scope: &mut body.scope, is_wide: false }.when(carried, |steps| {
            let before = chunk_before::expand(steps.scope, at.clone(), chunks, terms, chunk);
            let before = steps.load(&totals, dtype, before);
            let own = steps.load(&out, dtype, at.clone());
            let sum = join(op, steps, &before, &own);
            steps.store(&out, at, &sum);
        });
    }
}

pub fn cumulative(op: CumulativeOp, x: CubeTensor, dim: usize) -> CubeTensor {
    if let Some(wide) = widened(&x) {
        return elementwise(Operation::Cast { x: cumulative(op, wide, dim), dtype: x.dtype() });
    }
    from_lines(scan(op, &lines(x, dim)), dim)
}

/// Along the last dimension of a contiguous tensor: chunks alone, then the chunks' totals, then both together.
fn scan(op: CumulativeOp, x: &CubeTensor) -> CubeTensor {
    let out = CubeTensor::empty(x.spec().clone(), x.engine());
    let (shape, dtype) = (x.shape(), x.dtype());
    let (count, terms) = (shape.num_elements(), *shape.last().expect("has the dimension"));
    if count == 0 {
        return out;
    }
    let chunks = terms.div_ceil(CHUNK);
    let units = count / terms * chunks;
    let totals = CubeTensor::empty(TensorSpec::new([count / terms, chunks], dtype), x.engine());
    let words: Vec<u32> = strides::words(&[units, chunks, terms, CHUNK]).collect();
    launch(Scan { op }, &[x], &[&out, &totals], &words, units);
    if chunks > 1 {
        let before = scan(op, &totals);
        let words: Vec<u32> = strides::words(&[count, chunks, terms, CHUNK]).collect();
        launch(Carry { op }, &[&before], &[&out], &words, count);
    }
    out
}

/// Each element of a line goes to the place that so many others come before.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Rank {
    descending: bool,
}

impl Kernel for Rank {
    const NAME: &'static str = "sort";

    fn expand(&self, body: &mut Body) {
        let (count, terms) = (body.word(0), body.word(1));
        let (x, values, places) = (body.variable(0), body.variable(1), body.variable(2));
        let (dtype, index) = (body.dtype(0), body.dtype(2));
        let at = strides::position::expand(&mut body.scope);
        let inside = strides::is_below::expand(&mut body.scope, at.clone(), count);
        Steps { scope: &mut body.scope, is_wide: false }.when(inside, |steps| {
            let own = line_place::expand(steps.scope, at.clone(), terms.clone());
            let base = line_start::expand(steps.scope, at.clone(), terms.clone());
            let value = steps.load(&x, dtype, at);
            let zero = steps.number(0.0, DType::U32);
            let rank = steps.local(&zero);
            steps.repeat(0_u32.into(), terms, |steps, k| {
                let here = multiply_add::expand(steps.scope, k.clone(), 1_u32.into(), base.clone());
                let other = steps.load(&x, dtype, here);
                let (before, after) = if self.descending {
                    (less(steps, &value, &other), less(steps, &other, &value))
                } else {
                    (less(steps, &other, &value), less(steps, &value, &other))
                };
                let equal = steps.unary(UnaryOp::Not, &after);
                let earlier = Value::new(strides::is_below::expand(steps.scope, k, own.clone()), DType::Bool);
                let tie = steps.binary(BinaryOp::And, &equal, &earlier);
                let before = steps.binary(BinaryOp::Or, &before, &tie);
                let one = steps.cast(&before, DType::U32);
                let sum = steps.binary(BinaryOp::Add, &rank, &one);
                steps.assign(&rank, &sum);
            });
            let to = multiply_add::expand(steps.scope, rank.get(), 1_u32.into(), base);
            steps.store(&values, to.clone(), &value);
            let own = steps.cast(&Value::new(own, DType::U32), index);
            steps.store(&places, to, &own);
        });
    }
}

#[cube]
fn line_place(at: u32, terms: u32) -> u32 {
    at % terms
}

#[cube]
fn line_start(at: u32, terms: u32) -> u32 {
    at - at % terms
}

/// Whether `x` is before `y` in ascending order; NaN is larger than everything.
fn less(steps: &mut Steps, x: &Value, y: &Value) -> Value {
    let less = steps.compare(CompareOp::Less, x, y);
    if !x.dtype.is_float() {
        return less;
    }
    let (left, right) = (steps.is_nan(x), steps.is_nan(y));
    let left = steps.unary(UnaryOp::Not, &left);
    let last = steps.binary(BinaryOp::And, &left, &right);
    steps.binary(BinaryOp::Or, &less, &last)
}

pub fn sort_with_indices(
    x: CubeTensor,
    dim: usize,
    descending: bool,
    index: DType,
) -> (CubeTensor, CubeTensor) {
    let x = lines(x, dim);
    let (shape, dtype, engine) = (x.shape(), x.dtype(), x.engine());
    let values = CubeTensor::empty(TensorSpec::new(shape.clone(), dtype), engine);
    let places = CubeTensor::empty(TensorSpec::new(shape.clone(), index), engine);
    let (count, terms) = (shape.num_elements(), *shape.last().expect("has the dimension"));
    let words: Vec<u32> = strides::words(&[count, terms]).collect();
    launch(Rank { descending }, &[&x], &[&values, &places], &words, count);
    (from_lines(values, dim), from_lines(places, dim))
}
