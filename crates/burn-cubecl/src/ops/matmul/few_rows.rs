//! Products of a few rows with a matrix whose columns are contiguous, as weights of files are: each column is
//! read once, by neighbouring units, and the product takes as long as reading them.

use crate::launch::kernel::{A, Body, Kernel, UNITS, launch_vectors};
use crate::launch::row_groups::{Team, lane, row, together};
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, launch_words, word};
use crate::ops::accumulate::Join;
use crate::ops::layout::contiguous;
use burn_backend::*;
use cubecl::CubeDim;
use cubecl::prelude::*;

cubecl::define_size!(W);

/// Rows up to which reading the matrix is what takes the time.
const FEW: usize = 4;
/// Bytes of a vector.
const BYTES: usize = 16;
/// Vectors of the matrix that a unit asks for at a time.
const AHEAD: u32 = 4;
/// Units that keep a large device busy.
const BUSY: usize = 128 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FewRows {
    rows: u32,
    /// Elements of a vector.
    width: u32,
    team: Team,
}

launch_words! {
    struct ColumnWords {
        columns: u32,
        /// Vectors of a column, and from one column to the next.
        depth: u32,
        stride: u32,
        /// The first vector of the matrix.
        start: u32,
    }
}

#[cube]
fn few_rows<E: Numeric, N: Size>(
    lhs: &Array<Vector<E, N>>,
    rhs: &Array<Vector<E, N>>,
    out: &mut Array<E>,
    words: &ColumnWords,
    #[comptime] kind: FewRows,
) {
    let mut shared = SharedMemory::<f32>::new(comptime!(UNITS as usize));
    let column = row(comptime!(kind.team));
    let lane = lane(comptime!(kind.team));
    let inside = column < words.columns;
    let first = words.start + select(inside, column, 0u32) * words.stride;
    let mut sums = Array::<f32>::new(comptime!(kind.rows as usize));
    #[unroll]
    for r in 0..comptime!(kind.rows as usize) {
        sums[r] = 0.0f32;
    }
    let step = comptime!(kind.team.size * AHEAD);
    let whole = words.depth / step * step;
    let mut at = lane + 0u32;
    while at < whole {
        let mut ahead = Array::<Vector<E, N>>::new(comptime!(AHEAD as usize));
        #[unroll]
        for i in 0..comptime!(AHEAD) {
            ahead[comptime!(i as usize)] = rhs[(first + at + comptime!(i * kind.team.size)) as usize];
        }
        #[unroll]
        for i in 0..comptime!(AHEAD) {
            let place = at + comptime!(i * kind.team.size);
            let b = ahead[comptime!(i as usize)];
            #[unroll]
            for r in 0..comptime!(kind.rows) {
                let a = lhs[(r * words.depth + place) as usize];
                sums[comptime!(r as usize)] += dot(a, b, comptime!(kind.width));
            }
        }
        at += step;
    }
    while at < words.depth {
        let b = rhs[(first + at) as usize];
        #[unroll]
        for r in 0..comptime!(kind.rows) {
            let a = lhs[(r * words.depth + at) as usize];
            sums[comptime!(r as usize)] += dot(a, b, comptime!(kind.width));
        }
        at += comptime!(kind.team.size);
    }
    #[unroll]
    for r in 0..comptime!(kind.rows) {
        let sum = together(sums[comptime!(r as usize)], &mut shared, comptime!(kind.team), Join::SUM);
        if inside && lane == 0u32 {
            out[(r * words.columns + column) as usize] = E::cast_from(sum);
        }
    }
}

#[cube]
fn dot<E: Numeric, N: Size>(a: Vector<E, N>, b: Vector<E, N>, #[comptime] width: u32) -> f32 {
    let mut sum = 0.0f32;
    #[unroll]
    for j in 0..comptime!(width as usize) {
        sum += f32::cast_from(a[j]) * f32::cast_from(b[j]);
    }
    sum
}

impl Kernel for FewRows {
    const NAME: &'static str = "matmul_few_rows";

    fn expand(&self, body: &mut Body) {
        let (lhs, rhs, out) = (body.array(0), body.array(1), body.array(2));
        let words = body.read::<ColumnWords>();
        body.scope.register_size::<W>(self.width as usize);
        few_rows::expand::<A, W>(&mut body.scope, lhs, rhs, out, words, *self);
    }
}

/// Whether the kernel knows this product of two matrices, the right one of contiguous columns.
pub fn is_known(lhs: &CubeTensor, rhs: &CubeTensor) -> bool {
    let (left, right) = (&lhs.spec().shape, &rhs.spec().shape);
    let is_single =
        matches!(lhs.dtype(), DType::F32 | DType::F16 | DType::BF16) && lhs.dtype() == rhs.dtype();
    if !is_single || right.rank() < 2 || left.rank() != right.rank() || left.num_elements() == 0 {
        return false;
    }
    let rank = right.rank();
    let (strides, width) = (&rhs.strides()[rank - 2..], BYTES / lhs.dtype().size());
    let is_one = |shape: &Shape| shape[..rank - 2].iter().all(|&size| size == 1);
    let (depth, columns, rows) = (right[rank - 2], right[rank - 1], left[rank - 2]);
    let lies = columns > 1 && strides[0] == 1 && (depth..isize::MAX as usize).contains(&strides[1]);
    let is_aligned = [depth, strides[1], rhs.offset()].iter().all(|number| number.is_multiple_of(width));
    is_one(left) && is_one(right) && (1..=FEW).contains(&rows) && depth > 0 && lies && is_aligned
}

/// Writes a product that is known to `out`, which is contiguous.
pub fn product(lhs: &CubeTensor, rhs: &CubeTensor, out: &CubeTensor) {
    let rank = rhs.spec().shape.rank();
    let (rows, width) = (lhs.spec().shape[rank - 2], BYTES / lhs.dtype().size());
    let (columns, depth) = (rhs.spec().shape[rank - 1], rhs.spec().shape[rank - 2] / width);
    let lhs = contiguous(lhs.clone());
    // A column has more units where there are few columns.
    let mut size = 32;
    while columns * size < BUSY && size < UNITS as usize && size * 2 * AHEAD as usize <= depth {
        size *= 2;
    }
    let team = Team { size: word(size), across: false };
    let kernel = FewRows { rows: word(rows), width: word(width), team };
    let words = ColumnWords {
        columns: word(columns),
        depth: word(depth),
        stride: word(rhs.strides()[rank - 1] / width),
        start: word(rhs.offset() / width),
    };
    let cubes = columns.div_ceil(team.rows() as usize);
    launch_vectors(
        kernel,
        &[&lhs, rhs],
        &[out],
        vec![width, width, 1],
        &words.words(),
        cubes,
        CubeDim::new_1d(UNITS),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::kernel::define;

    #[test]
    fn kernels_expand() {
        for (rows, width, dtype) in [(1, 8, DType::F16), (4, 4, DType::F32)] {
            let kernel = FewRows { rows, width, team: Team { size: 64, across: false } };
            define(kernel, [&[dtype, dtype], &[dtype]], &[width as usize, width as usize, 1], 4);
        }
    }
}
