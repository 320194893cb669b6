//! Products of a few rows with a matrix whose columns are contiguous, as weights of files are: each column is
//! read once, by neighbouring units, and the product takes as long as reading them.

use super::call::EpilogueArgs;
use super::left_factor::{BYTES, LeftFactor, LeftFactorArgs, LeftFactorKernel, W};
use super::matrices::Matrices;
use crate::launch::dependent_launch::Start;
use crate::launch::element::computed;
use crate::launch::kernel::{A, Body, D, Kernel, UNITS, launch_vectors};
use crate::launch::row_groups::{Team, lane, row, together};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, launch_words, word};
use crate::ops::accumulate::Join;
use crate::ops::block::{Own, Tail};
use burn_backend::*;
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Rows up to which reading the matrix is what takes the time.
const FEW: usize = 4;
/// Rows of half precision up to which the kernel is faster than a library, whose units multiply tiles.
const FEW_BESIDE_LIBRARY: usize = 2;
/// Vectors of a column that a unit asks for at a time, at most.
const AHEAD: usize = 8;
/// Units that keep a large device busy.
const BUSY: usize = 64 << 10;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct FewRows {
    sizes: Sizes,
    lhs: LeftFactorKernel,
    /// Dimensions of the batch, which are 1.
    batch: usize,
    tail: Tail,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Sizes {
    pub rows: u32,
    /// Elements of a vector.
    pub width: u32,
    pub team: Team,
    /// Vectors of a column that a unit asks for at a time.
    pub ahead: usize,
    /// Whether all columns are whole such turns of a team.
    pub is_whole: bool,
    pub start: Start,
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
fn number(#[comptime] number: u32) -> u32 {
    number.runtime()
}

#[cube]
pub(super) fn sum_at(sums: &Array<f32>, #[comptime] at: usize) -> f32 {
    sums[at]
}

/// Room for the vectors that a unit asks for at a time.
#[cube]
pub(super) fn room_ahead<E: Numeric, N: Size>(#[comptime] kind: Sizes) -> Array<Vector<E, N>> {
    Array::<Vector<E, N>>::new(kind.ahead)
}

/// Reads the first vectors of a unit's share of its column.
#[cube]
pub(super) fn read_first<E: Numeric, N: Size>(
    ahead: &mut Array<Vector<E, N>>,
    rhs: &Array<Vector<E, N>>,
    first: u32,
    words: &ColumnWords,
    #[comptime] kind: Sizes,
) {
    read_ahead::<E, N>(ahead, rhs, first, 0u32, words, kind);
}

/// Reads the vectors of a unit in the turn of its team that begins at `begin`.
#[cube]
fn read_ahead<E: Numeric, N: Size>(
    ahead: &mut Array<Vector<E, N>>,
    rhs: &Array<Vector<E, N>>,
    first: u32,
    begin: u32,
    words: &ColumnWords,
    #[comptime] kind: Sizes,
) {
    #[unroll]
    for i in 0..comptime!(kind.ahead as u32) {
        let place = begin + lane(kind.team) + comptime!(i * kind.team.size);
        let place = if comptime!(kind.is_whole) { place } else { select(place < words.depth, place, 0u32) };
        ahead[comptime!(i as usize)] = rhs[(first + place) as usize];
    }
}

/// A unit's share of the elements of its column, whose first vectors it has.
#[cube]
pub(super) fn column_parts<E: Numeric, N: Size>(
    lhs: &Array<Vector<E, N>>,
    rhs: &Array<Vector<E, N>>,
    ahead: &mut Array<Vector<E, N>>,
    first: u32,
    words: &ColumnWords,
    #[comptime] kind: Sizes,
) -> Array<f32> {
    let mut sums = Array::<f32>::new(comptime!(kind.rows as usize));
    #[unroll]
    for r in 0..comptime!(kind.rows as usize) {
        sums[r] = 0.0f32;
    }
    let step = comptime!(kind.team.size * kind.ahead as u32);
    let mut begin = 0u32.runtime();
    while begin < words.depth {
        #[unroll]
        for i in 0..comptime!(kind.ahead as u32) {
            let place = begin + lane(kind.team) + comptime!(i * kind.team.size);
            if comptime!(kind.is_whole).runtime() || place < words.depth {
                add_dots::<E, N>(&mut sums, lhs, ahead[comptime!(i as usize)], place, words, kind);
            }
        }
        begin += step;
        if begin < words.depth {
            read_ahead::<E, N>(ahead, rhs, first, begin, words, kind);
        }
    }
    sums
}

/// Adds the products of a vector of a column with the vectors at its place in all rows.
#[cube]
fn add_dots<E: Numeric, N: Size>(
    sums: &mut Array<f32>,
    lhs: &Array<Vector<E, N>>,
    b: Vector<E, N>,
    place: u32,
    words: &ColumnWords,
    #[comptime] kind: Sizes,
) {
    #[unroll]
    for r in 0..comptime!(kind.rows) {
        let a = lhs[(r * words.depth + place) as usize];
        sums[comptime!(r as usize)] += dot(a, b, comptime!(kind.width));
    }
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

impl Sizes {
    /// For products of so many rows with columns of `depth` vectors.
    pub fn new(rows: usize, width: usize, team: Team, depth: usize, start: Start) -> Self {
        let turns = |ahead: usize| ahead * team.size as usize;
        let mut ahead = AHEAD;
        while ahead > 1 && turns(ahead) > depth {
            ahead /= 2;
        }
        let is_whole = depth.is_multiple_of(turns(ahead));
        Sizes { rows: word(rows), width: word(width), team, ahead, is_whole, start }
    }
}

impl Kernel for FewRows {
    const NAME: &'static str = "matmul_few_rows";
    // Columns are looked at, and depths are those of the factors.
    const CHECKED: bool = false;

    fn title(&self) -> String {
        format!("{}{}", Self::NAME, self.tail)
    }

    fn expand(&self, body: &mut Body) {
        let (count, first) = (self.tail.products(), self.lhs.before());
        let arrays: Vec<_> = (first..first + count).map(|at| body.variable(at)).collect();
        let matrices = Matrices::read(body, self.batch);
        let words: Vec<_> = arrays.iter().map(|_| body.read::<ColumnWords>()).collect();
        let tail = self.tail.read(body, self.batch, self.lhs.end(count));
        let scope = &mut body.scope;
        scope.register_size::<W>(self.sizes.width as usize);
        let (column, lane) = (row::expand(scope, self.sizes.team), lane::expand(scope, self.sizes.team));
        let first = |scope: &mut Scope, words: &ColumnWordsExpand| {
            first_vector::expand(scope, column.clone(), words.clone())
        };
        let firsts: Vec<_> = words.iter().map(|words| first(scope, words)).collect();
        let writes = writes::expand(scope, column.clone(), lane.clone(), words[0].clone());
        let rooms: Vec<_> = arrays.iter().map(|_| room_ahead::expand::<A, W>(scope, self.sizes)).collect();
        self.sizes.start.around_wait(scope, |scope| {
            for (((room, array), first), words) in rooms.iter().zip(&arrays).zip(&firsts).zip(&words) {
                let (room, rhs) = (room.clone(), array.clone().into());
                read_first::expand::<A, W>(scope, room, rhs, first.clone(), words.clone(), self.sizes);
            }
        });
        let lhs = self.lhs.vectors(body, count);
        let scope = &mut body.scope;
        // Type of the sums.
        scope.register_type::<D>(computed(DType::F32));
        // All columns are read before the units of a team wait for each other.
        let parts = arrays.into_iter().zip(rooms).zip(firsts).zip(words);
        let parts = parts.map(|(((array, ahead), first), words)| {
            let lhs = lhs.clone();
            column_parts::expand::<A, W>(scope, lhs, array.into(), ahead, first, words, self.sizes)
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
pub fn is_known(lhs: &TensorSpec, rhs: &CubeTensor) -> bool {
    let (left, right) = (&lhs.shape, &rhs.spec().shape);
    if !are_few(lhs) || lhs.dtype != rhs.dtype() || left.rank() != right.rank() {
        return false;
    }
    let rank = right.rank();
    let is_slower = left[rank - 2] > FEW_BESIDE_LIBRARY && lhs.dtype != DType::F32;
    if is_slower && rhs.engine().library().is_some() {
        return false;
    }
    let (strides, width) = (&rhs.strides()[rank - 2..], BYTES / lhs.dtype.size());
    let is_one = right[..rank - 2].iter().all(|&size| size == 1);
    let (depth, columns) = (right[rank - 2], right[rank - 1]);
    let lies = columns > 1 && strides[0] == 1 && (depth..isize::MAX as usize).contains(&strides[1]);
    let is_aligned = [depth, strides[1], rhs.offset()].iter().all(|number| number.is_multiple_of(width));
    is_one && depth > 0 && lies && is_aligned
}

/// How units share columns of so many vectors: a column has more units where there are few columns.
pub(super) fn team_for(columns: usize, depth: usize) -> Team {
    let mut size = 32;
    while columns * size < BUSY && size < UNITS as usize && size * 2 * AHEAD <= depth {
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
pub fn product(lhs: LeftFactor, rhs: &[CubeTensor], epilogue: EpilogueArgs) {
    let rank = lhs.spec().shape.rank();
    let (rows, width) = (lhs.spec().shape[rank - 2], BYTES / lhs.dtype().size());
    let (columns, terms) = (rhs[0].spec().shape[rank - 1], rhs[0].spec().shape[rank - 2]);
    let team = team_for(columns, terms / width);
    let sizes = Sizes::new(rows, width, team, terms / width, Start::of(rhs));
    let batch = rank - 2;
    let lhs: LeftFactorArgs = lhs.args();
    let mut words: Vec<u32> = strides::words(&[1, rows, columns, terms]).collect();
    words.extend(std::iter::repeat_n(1, batch));
    words.extend(rhs.iter().flat_map(|rhs| ColumnWords::of(rhs, width).words()));
    words.extend(epilogue.words);
    words.extend(lhs.words);
    let cubes = columns.div_ceil(team.rows() as usize);
    let factors = lhs.before.iter().chain(rhs);
    let inputs: Vec<&CubeTensor> = factors.chain(lhs.after).chain(epilogue.inputs.iter().copied()).collect();
    let others = epilogue.inputs.len() + epilogue.outputs.len();
    let widths = std::iter::repeat_n(width, lhs.before.len() + rhs.len());
    let widths = widths.chain(lhs.widths).chain(std::iter::repeat_n(1, others)).collect();
    let kernel = FewRows { sizes, lhs: lhs.kernel, batch, tail: epilogue.tail };
    launch_vectors(kernel, &inputs, epilogue.outputs, widths, &words, cubes, CubeDim::new_1d(UNITS));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::kernel::define;

    #[test]
    fn kernels_expand() {
        for (rows, width, dtype) in [(1, 8, DType::F16), (4, 4, DType::F32)] {
            for (depth, start) in [(512, Start::BeforeWait), (100, Start::AfterWait), (3, Start::AtOnce)] {
                let sizes = Sizes::new(rows, width, Team { size: 64, across: false }, depth, start);
                let lhs = LeftFactorKernel::Matrix;
                let kernel = FewRows { sizes, lhs, batch: 1, tail: Tail::none() };
                define(kernel, [&[dtype, dtype], &[dtype]], &[width, width, 1], 9);
            }
        }
    }
}
