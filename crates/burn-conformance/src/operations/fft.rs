//! Fourier transforms.

use super::*;
use std::f64::consts::TAU;

/// Checks of [`Family::Fft`].
pub struct FftChecks;

impl FftChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(&op: &FftOp, x: &Array, &dim: &usize) -> Outputs<Expected> {
        fft(op, x, dim).into()
    }
}

impl OperationChecks for FftChecks {
    fn cases(&self, emit: Emit<'_>) {
        for dtype in floats() {
            for n in SIZES {
                all(emit, "size", n, &[2], 1, MemoryLayout::Contiguous, dtype);
            }
            for layout in MemoryLayout::ALL {
                for n in [5, 8] {
                    all(emit, "a list", n, &[], 0, layout, dtype);
                    (0..3).for_each(|dim| all(emit, "rank 3", n, &[2, 3], dim, layout, dtype));
                }
            }
            all(emit, "nothing", 6, &[0, 3], 1, MemoryLayout::Contiguous, dtype);
        }
        for dtype in [DType::F64, DType::F32] {
            LARGE.into_iter().for_each(|n| all(emit, "large", n, &[], 0, MemoryLayout::Contiguous, dtype));
        }
        // More rows than one thread takes.
        all(emit, "rows", 6, &[3000], 1, MemoryLayout::Contiguous, DType::F32);
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let dim = 0;
        let prime = 130_003;
        let half = FftOp::Half { n: prime };
        vec![
            Operation::Spectral(Spectral::Fft { op: FftOp::Forward, x: spec([1 << 17, 2], dtype), dim }),
            Operation::Spectral(Spectral::Fft { op: FftOp::Backward, x: spec([prime, 2], dtype), dim }),
            Operation::Spectral(Spectral::Fft { op: FftOp::Real, x: spec([prime], dtype), dim }),
            Operation::Spectral(Spectral::Fft { op: FftOp::Real, x: spec([ROWS, 512], dtype), dim }),
            Operation::Spectral(Spectral::Fft { op: half, x: spec([prime / 2 + 1, 2], dtype), dim }),
        ]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        gradients()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.float();
        let dim = calls.dim(&x);
        let n = match x.shape.get(dim) {
            Some(&size) if calls.random.chance(85) => (2 * size + calls.random.below(2)).saturating_sub(2),
            Some(_) | None => calls.random.number(5),
        };
        let op = calls.random.pick(&[FftOp::Forward, FftOp::Backward, FftOp::Real, FftOp::Half { n }]);
        let pairs = op != FftOp::Real && calls.random.chance(90);
        let shape = if pairs { x.shape.iter().copied().chain([2]).collect() } else { x.shape.clone() };
        Operation::Spectral(Spectral::Fft { op, x: calls.exactly(shape, x.dtype), dim })
    }
}

/// Powers of two, other products of small primes, primes, and a product of primes that are not small.
const SIZES: [usize; 17] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 31, 37, 60, 64, 101, 122];

/// Where a backend may choose another algorithm: a large prime, a large power of two, twice a large prime,
/// many factors.
const LARGE: [usize; 4] = [211, 512, 2 * 139, 420];

fn emit_one(emit: &mut dyn FnMut(Case), name: &str, op: FftOp, x: Input, dim: usize) {
    let (shape, layout, dtype) = (&x.data.shape, x.layout, x.data.dtype);
    let name = format!("{name} {shape:?} along {dim}, {layout:?}");
    emit(Case::new(name, dtype, Operation::Spectral(Spectral::Fft { op, x, dim })));
}

/// Every transform of `n` elements along `dim` of a tensor that has `outer` as its other sizes.
fn all(
    emit: &mut dyn FnMut(Case),
    name: &str,
    n: usize,
    outer: &[usize],
    dim: usize,
    layout: MemoryLayout,
    dtype: DType,
) {
    let shape = |size: usize, pair: bool| -> Shape {
        let sizes = outer[..dim].iter().chain([&size]).chain(&outer[dim..]).copied();
        sizes.chain(pair.then_some(2)).collect()
    };
    let input = |size, pair| ordinary(shape(size, pair), dtype).laid_out(layout);
    emit_one(emit, name, FftOp::Forward, input(n, true), dim);
    emit_one(emit, name, FftOp::Backward, input(n, true), dim);
    emit_one(emit, name, FftOp::Real, input(n, false), dim);
    emit_one(emit, name, FftOp::Half { n }, input(n / 2 + 1, true), dim);
}

/// `e^(2 pi i turns / n)`. The angle is reduced exactly before it is rounded.
fn root(turns: usize, n: usize) -> (f64, f64) {
    let angle = TAU * (turns % n) as f64 / n as f64;
    (angle.cos(), angle.sin())
}

/// The sum that the transform is, term by term.
fn fft(op: FftOp, x: &Array, dim: usize) -> Expected {
    let call = burn_backend::Operation::Spectral(burn_backend::Spectral::Fft { op, x: &x.spec, dim });
    let spec: TensorSpec = output_specs(&call).expect("the call was checked").one();
    let size = x.shape()[dim];
    let mut array = Array::build(spec.shape.clone(), spec.dtype, |_| Number::Float(0.0));
    let mut magnitudes = Vec::new();
    for i in indices(&spec.shape) {
        let (sum, magnitude) = match op {
            FftOp::Forward => complex_sum(x, &i, dim, |k, j| root(size - j * k % size, size)),
            FftOp::Backward => complex_sum(x, &i, dim, |k, j| root(j * k, size)),
            FftOp::Real => real_sum(x, &i, dim),
            FftOp::Half { n } => half_sum(x, &i, dim, n),
        };
        *array.at_mut(&i) = Number::Float(sum);
        magnitudes.push(magnitude);
    }
    let terms = 2 * size.max(array.shape()[dim]);
    Expected { array, tolerance: Tolerance::Sum { magnitudes, terms } }
}

/// Part `i[last]` of the sum over `j` of `x[j] root(i[dim], j)`, and the sum of the magnitudes of its terms.
fn complex_sum(x: &Array, i: &[usize], dim: usize, root: impl Fn(usize, usize) -> (f64, f64)) -> (f64, f64) {
    let last = i.len() - 1;
    let (mut sum, mut magnitude) = (0.0, 0.0);
    for j in 0..x.shape()[dim] {
        let place = replace(i, dim, j);
        let part = |part| x.at(&replace(&place, last, part)).to_f64();
        let ((re, im), (cos, sin)) = ((part(0), part(1)), root(i[dim], j));
        sum += if i[last] == 0 { re * cos - im * sin } else { re * sin + im * cos };
        magnitude += re.abs() + im.abs();
    }
    (sum, magnitude)
}

fn real_sum(x: &Array, i: &[usize], dim: usize) -> (f64, f64) {
    let (last, size) = (i.len() - 1, x.shape()[dim]);
    let (mut sum, mut magnitude) = (0.0, 0.0);
    for j in 0..size {
        let value = x.at(&replace(&i[..last], dim, j)).to_f64();
        let (cos, sin) = root(j * i[dim], size);
        sum += if i[last] == 0 { value * cos } else { -value * sin };
        magnitude += value.abs();
    }
    (sum, magnitude)
}

/// The sum over all `n` frequencies: those beyond the half are conjugates of their mirror image.
fn half_sum(x: &Array, i: &[usize], dim: usize, n: usize) -> (f64, f64) {
    let (mut sum, mut magnitude) = (0.0, 0.0);
    for k in 0..n {
        let mirrored = k > n / 2;
        let mut place = replace(i, dim, if mirrored { n - k } else { k }).to_vec();
        let mut part = |part| {
            place.push(part);
            let value = x.at(&place).to_f64();
            place.pop();
            value
        };
        let (re, im) = (part(0), if mirrored { -part(1) } else { part(1) });
        let (cos, sin) = root(i[dim] * k, n);
        // Elements that are their own mirror image are real.
        let real = k == 0 || 2 * k == n;
        sum += if real { re * cos } else { re * cos - im * sin };
        magnitude += if real { re.abs() } else { re.abs() + im.abs() };
    }
    (sum, magnitude)
}

fn gradients() -> Vec<GradientCall> {
    let mut calls = Vec::new();
    for n in [1, 2, 3, 6, 7] {
        let mut add = |name: &str, op, shape: &[usize], dim| {
            calls.push(call(
                format!("{name} of {n}"),
                Operation::Spectral(Spectral::Fft { op, x: signed(shape), dim }),
            ));
        };
        for op in [FftOp::Forward, FftOp::Backward] {
            add("last", op, &[2, n, 2], 1);
            add("first", op, &[n, 2, 2], 0);
        }
        add("last", FftOp::Real, &[2, n], 1);
        add("first", FftOp::Real, &[n, 3], 0);
        add("last", FftOp::Half { n }, &[2, n / 2 + 1, 2], 1);
        add("first", FftOp::Half { n }, &[n / 2 + 1, 2, 2], 0);
    }
    calls
}
