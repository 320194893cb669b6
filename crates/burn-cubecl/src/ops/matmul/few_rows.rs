//! Products of a few rows with a matrix whose columns are contiguous, as weights of files are: each column is
//! read once, by neighbouring units, and the product takes as long as reading them.

use super::call::EpilogueArgs;
use super::matrices::Matrices;
use crate::launch::dependent_launch::{self, grid_dependency_wait, prefetch};
use crate::launch::element::computed;
use crate::launch::kernel::{A, Body, D, Kernel, UNITS, launch_vectors};
use crate::launch::row_groups::{Team, lane, row, together};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, launch_words, word};
use crate::ops::accumulate::Join;
use crate::ops::block::{Own, Tail};
use crate::ops::layout::contiguous;
use burn_backend::*;
use cubecl::CubeDim;
use cubecl::prelude::*;

cubecl::define_size!(pub(super) W);

/// Rows up to which reading the matrix is what takes the time.
const FEW: usize = 4;
/// Bytes of a vector.
pub(super) const BYTES: usize = 16;
/// Vectors of the matrix that a unit asks for at a time.
const AHEAD: u32 = 4;
/// Units that keep a large device busy.
const BUSY: usize = 128 << 10;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct FewRows {
    sizes: Sizes,
    /// Dimensions of the batch, which are 1.
    batch: usize,
    /// Whether it is a dependent launch, which prefetches its columns.
    dependent: bool,
    tail: Tail,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Sizes {
    pub rows: u32,
    /// Elements of a vector.
    pub width: u32,
    pub team: Team,
}

launch_words! {
    pub(super) struct ColumnWords {
        pub columns: u32,
        /// Vectors of a column, and from one column to the next.
        depth: u32,
        stride: u32,
        /// The first vector of the matrix.
        start: u32,
    }
}

/// The first vector of a unit's column.
#[cube]
pub(super) fn first_vector(column: u32, words: &ColumnWords) -> u32 {
    words.start + select(column < words.columns, column, 0u32) * words.stride
}

/// Whether a unit writes the elements of its column.
#[cube]
pub(super) fn writes(column: u32, lane: u32, words: &ColumnWords) -> bool {
    column < words.columns && lane == 0u32
}

#[cube]
pub(super) fn bytes_of(words: &ColumnWords) -> u32 {
    words.depth * comptime!(BYTES as u32)
}

#[cube]
fn number(#[comptime] number: u32) -> u32 {
    number.runtime()
}

#[cube]
pub(super) fn sum_at(sums: &Array<f32>, #[comptime] at: usize) -> f32 {
    sums[at]
}

/// A unit's share of the elements of its column.
#[cube]
pub(super) fn column_parts<E: Numeric, N: Size>(
    lhs: &Array<Vector<E, N>>,
    rhs: &Array<Vector<E, N>>,
    first: u32,
    lane: u32,
    words: &ColumnWords,
    #[comptime] kind: Sizes,
) -> Array<f32> {
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
    sums
}

/// Adds up the shares of a team.
#[cube]
pub(super) fn add_up(sums: &mut Array<f32>, #[comptime] kind: Sizes) {
    let mut shared = SharedMemory::<f32>::new(comptime!(UNITS as usize));
    #[unroll]
    for r in 0..comptime!(kind.rows) {
        let own = sums[comptime!(r as usize)];
        sums[comptime!(r as usize)] = together(own, &mut shared, comptime!(kind.team), Join::SUM);
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

/// The elements of a product, by rows.
fn product_of(sums: NativeExpand<Array<f32>>) -> impl Fn(&mut Scope, usize, usize) -> NativeExpand<D> {
    move |scope, row, _column| sum_at::expand(scope, sums.clone(), row).expand.into()
}

impl Kernel for FewRows {
    const NAME: &'static str = "matmul_few_rows";
    // Columns are looked at, and depths are those of the factors.
    const CHECKED: bool = false;

    fn title(&self) -> String {
        format!("{}{}", Self::NAME, self.tail)
    }

    fn expand(&self, body: &mut Body) {
        let lhs = body.array::<Vector<A, W>>(0);
        let arrays: Vec<_> = (1..=self.tail.products()).map(|at| body.variable(at)).collect();
        let matrices = Matrices::read(body, self.batch);
        let words: Vec<_> = arrays.iter().map(|_| body.read::<ColumnWords>()).collect();
        let tail = self.tail.read(body, self.batch);
        let scope = &mut body.scope;
        // Type of the sums.
        scope.register_type::<D>(computed(DType::F32));
        scope.register_size::<W>(self.sizes.width as usize);
        let (column, lane) = (row::expand(scope, self.sizes.team), lane::expand(scope, self.sizes.team));
        let first = |scope: &mut Scope, words: &ColumnWordsExpand| {
            first_vector::expand(scope, column.clone(), words.clone())
        };
        let firsts: Vec<_> = words.iter().map(|words| first(scope, words)).collect();
        let writes = writes::expand(scope, column.clone(), lane.clone(), words[0].clone());
        if self.dependent {
            let bytes = bytes_of::expand(scope, words[0].clone());
            branch::if_expand(scope, writes.clone(), |scope| {
                arrays.iter().zip(&firsts).for_each(|(array, first)| prefetch(scope, array, first, &bytes));
            });
            grid_dependency_wait(scope);
        }
        // All columns are read before the units of a team wait for each other.
        let parts = arrays.into_iter().zip(firsts).zip(words).map(|((array, first), words)| {
            let (lhs, lane) = (lhs.clone(), lane.clone());
            column_parts::expand::<A, W>(scope, lhs, array.into(), first, lane, words, self.sizes)
        });
        let sums: Vec<_> = parts.collect();
        sums.iter().for_each(|sums| add_up::expand(scope, sums.clone(), self.sizes));
        branch::if_expand(scope, writes, |scope| {
            let rows = (0..self.sizes.rows).map(|row| number::expand(scope, row)).collect();
            let which = number::expand(scope, 0);
            let own = Own { which, rows, cols: vec![column], is_whole: true };
            let products: Vec<_> = sums.into_iter().map(product_of).collect();
            tail.write(scope, &matrices, &own, &products);
        });
    }
}

/// Whether a left operand has few rows, of elements that the kernel reads.
pub fn are_few(lhs: &TensorSpec) -> bool {
    let shape = &lhs.shape;
    let is_read = matches!(lhs.dtype, DType::F32 | DType::F16 | DType::BF16);
    let rank = shape.rank();
    is_read
        && rank >= 2
        && shape.num_elements() > 0
        && (1..=FEW).contains(&shape[rank - 2])
        && shape[..rank - 2].iter().all(|&size| size == 1)
}

/// Whether the kernel knows this product of two matrices, the right one of contiguous columns.
pub fn is_known(lhs: &CubeTensor, rhs: &CubeTensor) -> bool {
    let (left, right) = (&lhs.spec().shape, &rhs.spec().shape);
    if !are_few(lhs.spec()) || lhs.dtype() != rhs.dtype() || left.rank() != right.rank() {
        return false;
    }
    let rank = right.rank();
    let (strides, width) = (&rhs.strides()[rank - 2..], BYTES / lhs.dtype().size());
    let is_one = right[..rank - 2].iter().all(|&size| size == 1);
    let (depth, columns) = (right[rank - 2], right[rank - 1]);
    let lies = columns > 1 && strides[0] == 1 && (depth..isize::MAX as usize).contains(&strides[1]);
    let is_aligned = [depth, strides[1], rhs.offset()].iter().all(|number| number.is_multiple_of(width));
    is_one && depth > 0 && lies && is_aligned
}

/// How units share columns of so many vectors: a column has more units where there are few columns.
pub(super) fn team_for(columns: usize, depth: usize) -> Team {
    let mut size = 32;
    while columns * size < BUSY && size < UNITS as usize && size * 2 * AHEAD as usize <= depth {
        size *= 2;
    }
    Team { size: word(size), across: false }
}

impl ColumnWords {
    /// Those of the matrix of a product that is known, in vectors of `width` elements.
    pub fn of(rhs: &CubeTensor, width: usize) -> Self {
        let rank = rhs.spec().shape.rank();
        ColumnWords {
            columns: word(rhs.spec().shape[rank - 1]),
            depth: word(rhs.spec().shape[rank - 2] / width),
            stride: word(rhs.strides()[rank - 1] / width),
            start: word(rhs.offset() / width),
        }
    }
}

/// Launches the kernel for a product that is known, or for two of one shape, which writes the outputs of the
/// epilogue.
pub fn product(lhs: &CubeTensor, rhs: &[CubeTensor], epilogue: EpilogueArgs) {
    let rank = lhs.spec().shape.rank();
    let (rows, width) = (lhs.spec().shape[rank - 2], BYTES / lhs.dtype().size());
    let (columns, terms) = (rhs[0].spec().shape[rank - 1], rhs[0].spec().shape[rank - 2]);
    let lhs = contiguous(lhs.clone());
    let team = team_for(columns, terms / width);
    let sizes = Sizes { rows: word(rows), width: word(width), team };
    let (batch, dependent) = (rank - 2, dependent_launch::is_supported(lhs.engine()));
    let mut words: Vec<u32> = strides::words(&[1, rows, columns, terms]).collect();
    words.extend(std::iter::repeat_n(1, batch));
    words.extend(rhs.iter().flat_map(|rhs| ColumnWords::of(rhs, width).words()));
    words.extend(epilogue.words);
    let cubes = columns.div_ceil(team.rows() as usize);
    let inputs: Vec<&CubeTensor> =
        std::iter::once(&lhs).chain(rhs).chain(epilogue.inputs.iter().copied()).collect();
    let others = epilogue.inputs.len() + epilogue.outputs.len();
    let widths = std::iter::repeat_n(width, 1 + rhs.len()).chain(std::iter::repeat_n(1, others)).collect();
    let kernel = FewRows { sizes, batch, dependent, tail: epilogue.tail };
    launch_vectors(kernel, &inputs, epilogue.outputs, widths, &words, cubes, CubeDim::new_1d(UNITS));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::kernel::define;

    #[test]
    fn kernels_expand() {
        for (rows, width, dtype) in [(1, 8, DType::F16), (4, 4, DType::F32)] {
            for dependent in [false, true] {
                let sizes = Sizes { rows, width, team: Team { size: 64, across: false } };
                let kernel = FewRows { sizes, batch: 1, dependent, tail: Tail::none() };
                define(kernel, [&[dtype, dtype], &[dtype]], &[width as usize, width as usize, 1], 9);
            }
        }
    }
}
