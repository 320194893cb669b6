use super::panel::WIDTH;
use super::working::{part, sizes};
use crate::kernel::{A, Body, Kernel, launch_cubes};
use crate::matmul::{Factor, Matrices, View, first_of, subtract_product};
use crate::strides;
use crate::tensor::CubeTensor;
use burn_backend::*;
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Units of a cube, which hold a column each.
const UNITS: u32 = 64;

/// Equations of a block of a triangle, a column of the right side for each unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Substitute {
    /// Dimensions of the batch.
    batch: usize,
    triangle: Triangle,
    /// Whether the triangle lies in the buffer that is written.
    is_own: bool,
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
    let mut known = SharedMemory::<E>::new(comptime!(WIDTH * UNITS as usize));
    let at = strides::position();
    let which = at / matrices.cols;
    if which < matrices.batch {
        let corner = first_of(left, which, matrices);
        let first = first_of(right, which, matrices) + at % matrices.cols * right.by_col;
        let last = matrices.rows - 1u32;
        for step in 0..matrices.rows {
            let i = if comptime!(triangle.upper) { last - step } else { step + 0u32 };
            let place = (first + i * right.by_row) as usize;
            let mut value = x[place];
            for before in 0..step {
                let j = if comptime!(triangle.upper) { last - before } else { before + 0u32 };
                value -= a[(corner + i * left.by_row + j * left.by_col) as usize]
                    * known[(j * UNITS + UNIT_POS) as usize];
            }
            if comptime!(!triangle.unit) {
                value = value / a[(corner + i * (left.by_row + left.by_col)) as usize];
            }
            known[(i * UNITS + UNIT_POS) as usize] = value;
            x[place] = value;
        }
    }
}

impl Kernel for Substitute {
    const NAME: &'static str = "substitute";

    fn expand(&self, body: &mut Body) {
        let (matrices, next) = Matrices::read(body, 0, self.batch);
        let (left, next) = View::read(body, next, self.batch);
        let (right, _) = View::read(body, next, self.batch);
        let x = body.array(usize::from(!self.is_own));
        let a = body.array(0);
        substitute_column::expand::<A>(&mut body.scope, a, x, matrices, left, right, self.triangle);
    }
}

fn substitute_block(a: &CubeTensor, x: &CubeTensor, triangle: Triangle, is_own: bool) {
    let [batch, rows, cols] = sizes(x);
    let shape = x.shape();
    let outer = &shape[..shape.rank() - 2];
    let mut words: Vec<u32> = strides::words(&[batch, rows, cols, rows]).collect();
    words.extend(outer.iter().rev().map(|&size| size as u32));
    let wide: Shape = outer.iter().copied().chain([rows, rows]).collect();
    words.extend(View::words(&strides::broadcast(a, &wide), a.offset()));
    words.extend(View::words(x.strides(), x.offset()));
    let kernel = Substitute { batch: outer.len(), triangle, is_own };
    let inputs: &[&CubeTensor] = if is_own { &[] } else { &[a] };
    let cubes = (batch * cols).div_ceil(UNITS as usize);
    launch_cubes(kernel, inputs, &[x], &words, cubes, CubeDim::new_1d(UNITS));
}

/// `x = a^-1 x` in place, block by block. `x` is a view of a buffer that nobody else sees, in which `a` may lie too (`is_own`).
pub fn substitute(a: &CubeTensor, x: &CubeTensor, triangle: Triangle, is_own: bool) {
    let [batch, size, cols] = sizes(x);
    if batch * size * cols == 0 {
        return;
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
