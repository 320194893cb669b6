use crate::equations::{TriangleBlock, equation_words, load_triangle, room, row_of};
use crate::panel::{WIDTH, settle};
use crate::working::sizes;
use burn_backend::*;
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{A, Body, Kernel, Matrices, View, first_of, launch_cubes};
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Units of a cube.
const UNITS: u32 = 256;

/// All equations of a triangle for one column of the right side, by a cube, in one launch. Some units solve a
/// block after the other, a row each, and all take what is known from the equations after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct SubstituteColumn {
    /// Dimensions of the batch.
    batch: usize,
    triangle: Triangle,
}

#[cube]
fn substitute_column<E: Float>(
    a: &Array<E>,
    x: &mut Array<E>,
    matrices: &Matrices,
    left: &View,
    right: &View,
    #[comptime] triangle: Triangle,
) {
    let width = comptime!(WIDTH as u32);
    let mut known = SharedMemory::<E>::new(comptime!(room(WIDTH as u32)));
    let mut solved = SharedMemory::<E>::new(WIDTH);
    let (cube, unit) = (CUBE_POS as u32, UNIT_POS);
    let which = cube / matrices.cols;
    if which < matrices.batch {
        let corner = first_of(left, which, matrices);
        let first = first_of(right, which, matrices) + cube % matrices.cols * right.by_col;
        let rows = matrices.rows;
        let mut start = 0u32;
        while start < rows {
            let block = TriangleBlock { corner, start, rows };
            load_triangle::<E>(a, &mut known, left, &block, triangle, width, UNITS);
            settle();
            let step = start + unit;
            let is_own = unit < width && step < rows;
            let mut own = E::new(0.0);
            let place = (first + row_of(step, rows, triangle) * right.by_row) as usize;
            if is_own {
                own = x[place];
            }
            for k in 0..width {
                if unit == k {
                    if comptime!(!triangle.unit) {
                        own = own / known[(k * comptime!(width + 2)) as usize];
                    }
                    solved[k as usize] = own;
                }
                sync_cube();
                if unit > k && unit < width {
                    own -= known[(unit * comptime!(width + 1) + k) as usize] * solved[k as usize];
                }
            }
            if is_own {
                x[place] = own;
            }
            let end = start + width;
            let mut step = end + unit;
            while step < rows {
                let row = row_of(step, rows, triangle);
                let at = (first + row * right.by_row) as usize;
                let mut value = x[at];
                #[unroll]
                for before in 0..width {
                    let col = row_of(start + before, rows, triangle);
                    let factor = a[(corner + row * left.by_row + col * left.by_col) as usize];
                    value -= factor * solved[comptime!(before as usize)];
                }
                x[at] = value;
                step += UNITS;
            }
            start = end;
        }
    }
}

impl Kernel for SubstituteColumn {
    const NAME: &'static str = "substitute_column";
    // Units compare with the sizes before they load and store.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        let matrices = Matrices::read(body, self.batch);
        let (left, right) = (View::read(body, self.batch), View::read(body, self.batch));
        let (a, x) = (body.array(0), body.array(1));
        substitute_column::expand::<A>(&mut body.scope, a, x, matrices, left, right, self.triangle);
    }
}

/// Whether there is a processor for each column, and more than a block to solve.
pub fn is_for_columns(x: &CubeTensor) -> bool {
    let [batch, rows, cols] = sizes(x);
    let processors = x.engine().hardware().num_streaming_multiprocessors.unwrap_or(32);
    rows > WIDTH && batch * cols <= processors as usize
}

/// `x = a^-1 x` in place, column by column.
pub fn substitute_columns(a: &CubeTensor, x: &CubeTensor, triangle: Triangle) {
    let [batch, _, cols] = sizes(x);
    let words = equation_words(a, x);
    let kernel = SubstituteColumn { batch: x.shape().rank() - 2, triangle };
    launch_cubes(kernel, &[a], &[x], &words, batch * cols, CubeDim::new_1d(UNITS));
}
