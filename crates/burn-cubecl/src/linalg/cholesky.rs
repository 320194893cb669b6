use super::panel::WIDTH;
use super::working::{diagonal, of_each, part, result_of, sizes, symmetric, turned, where_it_is};
use crate::create::full;
use crate::kernel::{A, Body, Kernel, launch_cubes};
use crate::leaf::Leaf;
use crate::matmul::{Factor, subtract_product};
use crate::strides;
use crate::tensor::CubeTensor;
use burn_backend::{
    Backend, CompareOp, Factorization, HasSpec, Operation, ReduceOp, Scalar, TensorSpec, UnaryOp,
};
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Factors the panel of each matrix by several cubes, each of which factors the square of the diagonal for itself.
///
/// A unit holds a row of the panel. The factor is stored turned, so that neighbours load and store neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CholeskyPanel {
    units: u32,
    /// Units that have a row of the square.
    width: u32,
}

impl CholeskyPanel {
    fn of(size: usize) -> Self {
        // Most of the rows are below the square where there are many.
        let units = size.next_power_of_two().clamp(32, 128) as u32;
        CholeskyPanel { units, width: size.next_power_of_two().min(WIDTH) as u32 }
    }

    /// Cubes for a matrix with so many rows below the square.
    fn cubes(self, below: usize) -> usize {
        if below == 0 { 1 } else { below.div_ceil((self.units - self.width) as usize) }
    }
}

#[cube]
#[allow(clippy::too_many_arguments)]
fn cholesky_panel<E: Float>(
    x: &Array<E>,
    upper: &mut Array<E>,
    batch: u32,
    size: u32,
    start: u32,
    end: u32,
    cubes: u32,
    #[comptime] panel: CholeskyPanel,
) {
    let width = comptime!(panel.width);
    // Of two columns: who is behind reads the one before.
    let mut column = SharedMemory::<E>::new(comptime!(2 * width as usize));
    let unit = UNIT_POS;
    let matrix = CUBE_POS as u32 / cubes;
    if matrix < batch {
        let share = CUBE_POS as u32 % cubes;
        let is_head = unit < width;
        let below = end + share * comptime!(panel.units - width) + unit - width;
        let row = select(is_head, start + unit, below);
        let last = select(is_head, end, size);
        let first = (matrix * size + start) * size + row;
        let mut own = Array::<E>::new(comptime!(width as usize));
        #[unroll]
        for j in 0..width {
            // A matrix that is smaller than the square has ones behind it.
            let mut value = select(unit == j, E::new(1.0), E::new(0.0));
            if row < last && start + j < end {
                value = x[(first + j * size) as usize];
            }
            own[comptime!(j as usize)] = value;
        }
        #[unroll]
        for k in 0..width {
            let from = comptime!(k % 2 * width);
            if is_head {
                column[(from + unit) as usize] = own[comptime!(k as usize)];
            }
            sync_cube();
            let square = column[comptime!((from + k) as usize)];
            // What is not positive has no root, nor does anything that follows from it.
            let root = select(square > E::new(0.0), square, E::new(-1.0)).sqrt();
            let scale = E::new(1.0) / root;
            let value = own[comptime!(k as usize)] * scale;
            #[unroll]
            for after in 0..comptime!(width - k - 1) {
                let j = comptime!((k + 1 + after) as usize);
                own[j] = own[j] - value * (column[comptime!(from as usize + j)] * scale);
            }
            own[comptime!(k as usize)] = select(unit == k, root, value);
        }
        #[unroll]
        for j in 0..width {
            let is_below = unit >= j && (share == 0u32 || !is_head);
            if is_below && row < last && start + j < end {
                upper[(first + j * size) as usize] = own[comptime!(j as usize)];
            }
        }
    }
}

impl Kernel for CholeskyPanel {
    const NAME: &'static str = "cholesky_panel";

    fn expand(&self, body: &mut Body) {
        let (x, upper) = (body.array(0), body.array(1));
        let [batch, size, start, end, cubes] = [0, 1, 2, 3, 4].map(|at| body.word(at));
        cholesky_panel::expand::<A>(&mut body.scope, x, upper, batch, size, start, end, cubes, *self);
    }
}

/// Whether the diagonal of a factor is of positive numbers.
fn exists(factor: &CubeTensor) -> CubeTensor {
    // The inverse of an infinite number is zero.
    let inverse = Leaf::unary(UnaryOp::Recip, diagonal(factor));
    of_each(ReduceOp::All, Leaf::compare_scalar(CompareOp::Greater, inverse, Scalar::Int(0)), 1)
}

pub fn cholesky(x: &CubeTensor) -> CubeTensor {
    let spec = result_of(&Operation::Factorize { op: Factorization::Cholesky, x });
    if spec.shape.num_elements() == 0 {
        return CubeTensor::empty(spec, x.engine());
    }
    let x = symmetric(x);
    let upper =
        full(TensorSpec { shape: x.shape(), dtype: x.dtype() }, Scalar::Int(0), x.engine());
    let [batch, size, _] = sizes(&x);
    let panel = CholeskyPanel::of(size);
    for start in (0..size).step_by(WIDTH) {
        let end = (start + WIDTH).min(size);
        let cubes = panel.cubes(size - end);
        let words: Vec<u32> = strides::words(&[batch, size, start, end, cubes]).collect();
        let units = CubeDim::new_1d(panel.units);
        launch_cubes(panel, &[&x], &[&upper], &words, batch * cubes, units);
        let right = part(&upper, start..end, end..size);
        let (lhs, rhs) = (Factor { x: &turned(&right), is_own: false }, Factor { x: &right, is_own: false });
        subtract_product(&part(&x, end..size, end..size), lhs, rhs);
    }
    where_it_is(&exists(&upper), &turned(&upper), spec)
}
