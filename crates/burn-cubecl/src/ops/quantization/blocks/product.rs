use super::format::{Format, element_of, quad_of};
use super::q4_k_product;
use super::words::words_of;
use crate::launch::kernel::{A, Body, Kernel, UNITS, launch_vectors};
use crate::launch::row_groups::{Team, lane, row, together};
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, launch_words, word};
use crate::ops::accumulate::Join;
use crate::ops::layout::contiguous;
use crate::ops::quantization::code::is_single;
use burn_backend::{BlockFormat, BlockMatmulArgs, HasSpec, TensorSpec};
use cubecl::CubeDim;
use cubecl::prelude::*;

cubecl::define_size!(W);

/// Rows up to which blocks are dequantized in registers. More are multiplied with the dequantized matrix.
const FEW: usize = 8;
/// Elements of a vector of the left side.
const WIDTH: u32 = 4;

/// Products of a few rows with a matrix of blocks, which is read once. The units of a team share a column of
/// the result: neighbouring units take neighbouring words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FewRows {
    format: Format,
    rows: u32,
    team: Team,
}

launch_words! {
    struct MatrixWords {
        /// Columns of the result, which are rows of blocks.
        columns: u32,
        /// Blocks of a row.
        blocks: u32,
    }
}

#[cube]
fn few_rows<E: Numeric, N: Size>(
    lhs: &Array<Vector<E, N>>,
    blocks: &Array<u32>,
    out: &mut Array<E>,
    matrix: &MatrixWords,
    #[comptime] kind: FewRows,
) {
    let mut shared = SharedMemory::<f32>::new(comptime!(UNITS as usize));
    let format = comptime!(kind.format);
    let column = row(comptime!(kind.team));
    let lane = lane(comptime!(kind.team));
    let inside = column < matrix.columns;
    let depth = matrix.blocks * comptime!(kind.format.elements() / WIDTH);
    let mut sums = Array::<f32>::new(comptime!(kind.rows as usize));
    #[unroll]
    for r in 0..comptime!(kind.rows as usize) {
        sums[r] = 0.0f32;
    }
    let end = select(inside, matrix.blocks * comptime!(kind.format.words()), 0u32);
    let mut at = lane + 0u32;
    while at < end {
        let (block, word) = (at / comptime!(kind.format.words()), at % comptime!(kind.format.words()));
        let start = (column * matrix.blocks + block) * comptime!(kind.format.bytes());
        #[unroll]
        for quad in 0..comptime!(kind.format.quads()) {
            let found = quad_of(blocks, start, word, quad, format);
            let first = (block * comptime!(kind.format.elements()) + found.element) / comptime!(WIDTH);
            let a = element_of(&found, 0u32, format);
            let b = element_of(&found, 1u32, format);
            let c = element_of(&found, 2u32, format);
            let d = element_of(&found, 3u32, format);
            #[unroll]
            for r in 0..comptime!(kind.rows) {
                let x = lhs[(r * depth + first) as usize];
                let left = f32::cast_from(x[0usize]) * a + f32::cast_from(x[1usize]) * b;
                let right = f32::cast_from(x[2usize]) * c + f32::cast_from(x[3usize]) * d;
                sums[comptime!(r as usize)] += left + right;
            }
        }
        at += comptime!(kind.team.size);
    }
    #[unroll]
    for r in 0..comptime!(kind.rows) {
        let sum = together(sums[comptime!(r as usize)], &mut shared, comptime!(kind.team), Join::SUM);
        if inside && lane == 0u32 {
            out[(r * matrix.columns + column) as usize] = E::cast_from(sum);
        }
    }
}

impl Kernel for FewRows {
    const NAME: &'static str = "block_matmul";

    fn expand(&self, body: &mut Body) {
        let (lhs, blocks, out) = (body.array(0), body.array(1), body.array(2));
        let matrix = body.read::<MatrixWords>();
        body.scope.register_size::<W>(WIDTH as usize);
        few_rows::expand::<A, W>(&mut body.scope, lhs, blocks, out, matrix, *self);
    }
}

/// See [`BlockMatmulArgs`]; `None` if there are many rows, or the kernel does not know the matrix.
///
/// The left side is not rounded: a product waits for the blocks, so that fewer bits of it would save no time.
pub fn block_matmul(args: &BlockMatmulArgs<CubeTensor>) -> Option<CubeTensor> {
    let lhs = args.lhs.spec().shape.clone();
    let rows: usize = lhs[..lhs.rank() - 1].iter().product();
    let is_few = (1..=FEW).contains(&rows) && args.rhs.transposed && is_single(&args.lhs);
    let words = if is_few { words_of(&args.rhs.blocks) } else { None }?;
    let BlockMatmulArgs { lhs, rhs } = args.clone();
    let (format, columns) = (Format(rhs.format), rhs.shape()[1]);
    let (rank, blocks) = (lhs.spec().shape.rank(), rhs.shape()[0] / rhs.format.elements());
    let shape = lhs.spec().shape.with(rank - 1, columns);
    let lhs = contiguous(lhs);
    let out = CubeTensor::empty(TensorSpec { shape, dtype: lhs.dtype() }, lhs.engine());
    if format.0 == BlockFormat::Q4K {
        q4_k_product::product(&lhs, &words, &out, [columns, blocks]);
        return Some(out);
    }
    let size = (blocks as u32 * format.words()).next_power_of_two().clamp(4, 32);
    let kernel = FewRows { format, rows: rows as u32, team: Team { size, across: false } };
    let matrix = MatrixWords { columns: word(columns), blocks: word(blocks) };
    let cubes = columns.div_ceil(kernel.team.rows() as usize);
    let (widths, units) = (vec![WIDTH as usize, 1, 1], CubeDim::new_1d(UNITS));
    launch_vectors(kernel, &[&lhs, &words], &[&out], widths, &matrix.words(), cubes, units);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::kernel::define;
    use burn_backend::DType;

    #[test]
    fn kernels_of_all_formats_expand() {
        for format in BlockFormat::ALL.map(Format) {
            for (rows, dtype) in [(1, DType::F32), (8, DType::F16)] {
                let kernel = FewRows { format, rows, team: Team { size: 32, across: false } };
                define(kernel, [&[dtype, DType::U32], &[dtype]], &[4, 1, 1], 2);
            }
        }
    }
}
