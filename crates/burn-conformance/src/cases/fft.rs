use super::{Emit, floats};
use crate::Case;
use crate::input::{Input, MemoryLayout, ordinary};
use burn_backend::{DType, FftOp, Operation, Shape, Spectral};

/// Powers of two, other products of small primes, primes, and a product of primes that are not small.
const SIZES: [usize; 17] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 31, 37, 60, 64, 101, 122];

/// Where a leaf may choose another algorithm: a large prime, a large power of two, twice a large prime, many factors.
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

pub fn fft(emit: Emit<'_>) {
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
