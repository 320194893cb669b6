use crate::column::{is_for_columns, substitute_columns};
use crate::equations::{Column, TriangleBlock, equation_words, load_triangle, room, row_of, solve_block};
use crate::panel::WIDTH;
use crate::working::{part, sizes};
use burn_backend::*;
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{
    A, Body, Factor, Kernel, Matrices, View, first_of, launch_cubes, subtract_product, word,
};
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Equations of a block of a triangle: a unit holds a column of the right side, and a cube the triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Substitute {
    /// Dimensions of the batch.
    batch: usize,
    triangle: Triangle,
    /// Whether the triangle lies in the buffer that is written.
    is_own: bool,
    units: u32,
    /// Not fewer than the rows of the triangle.
    width: u32,
}

impl Substitute {
    fn of(batch: usize, triangle: Triangle, is_own: bool, [rows, cols]: [usize; 2]) -> Self {
        let units = if cols > 32 { 64 } else { 32 };
        Substitute { batch, triangle, is_own, units, width: rows.next_power_of_two() as u32 }
    }
}

#[cube]
fn substitute_in<E: Float>(
    a: &Array<E>,
    x: &mut Array<E>,
    matrices: &Matrices,
    left: &View,
    right: &View,
    cubes: u32,
    #[comptime] kernel: Substitute,
) {
    let (width, triangle) = comptime!((kernel.width, kernel.triangle));
    let mut known = SharedMemory::<E>::new(comptime!(room(width)));
    let which = CUBE_POS as u32 / cubes;
    if which < matrices.batch {
        let corner = first_of(left, which, matrices);
        let units = comptime!(kernel.units);
        let block = TriangleBlock { corner, start: 0u32, rows: matrices.rows };
        load_triangle::<E>(a, &mut known, left, &block, triangle, width, units);
        sync_cube();
        let col = CUBE_POS as u32 % cubes * units + UNIT_POS;
        if col < matrices.cols {
            let first = first_of(right, which, matrices) + col * right.by_col;
            let mut own = Array::<E>::new(comptime!(width as usize));
            #[unroll]
            for step in 0..width {
                let mut value = E::new(0.0);
                if step < matrices.rows {
                    value = x[(first + row_of(step, matrices.rows, triangle) * right.by_row) as usize];
                }
                own[comptime!(step as usize)] = value;
            }
            let column = Column { first, by_row: right.by_row, rows: matrices.rows };
            solve_block::<E>(&mut own, &known, x, &column, triangle, width);
        }
    }
}

impl Kernel for Substitute {
    const NAME: &'static str = "substitute";
    // Units compare with the sizes before they load and store.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        let matrices = Matrices::read(body, self.batch);
        let (left, right) = (View::read(body, self.batch), View::read(body, self.batch));
        let cubes = body.next_word();
        let x = body.array(usize::from(!self.is_own));
        let a = body.array(0);
        substitute_in::expand::<A>(&mut body.scope, a, x, matrices, left, right, cubes, *self);
    }
}

fn substitute_block(a: &CubeTensor, x: &CubeTensor, triangle: Triangle, is_own: bool) {
    let [batch, rows, cols] = sizes(x);
    let mut words = equation_words(a, x);
    let kernel = Substitute::of(x.shape().rank() - 2, triangle, is_own, [rows, cols]);
    let cubes = cols.div_ceil(kernel.units as usize);
    words.push(word(cubes));
    let inputs: &[&CubeTensor] = if is_own { &[] } else { &[a] };
    launch_cubes(kernel, inputs, &[x], &words, batch * cubes, CubeDim::new_1d(kernel.units));
}

/// `x = a^-1 x` in place, block by block. `x` is a view of a buffer that no other tensor shares, in which `a`
/// may lie too (`is_own`).
pub fn substitute(a: &CubeTensor, x: &CubeTensor, triangle: Triangle, is_own: bool) {
    let [batch, size, cols] = sizes(x);
    if batch * size * cols == 0 {
        return;
    }
    if !is_own && is_for_columns(x) {
        return substitute_columns(a, x, triangle);
    }
    let mut starts: Vec<usize> = (0..size).step_by(WIDTH).collect();
    if triangle.upper {
        starts.reverse();
    }
    for start in starts {
        let end = (start + WIDTH).min(size);
        let solved = part(x, start..end, 0..cols);
        substitute_block(&part(a, start..end, start..end), &solved, triangle, is_own);
        let rest = if triangle.upper { 0..start } else { end..size };
        let factors = part(a, rest.clone(), start..end);
        let (lhs, rhs) = (Factor { x: &factors, is_own }, Factor { x: &solved, is_own: true });
        subtract_product(&part(x, rest, 0..cols), lhs, rhs);
    }
}
