use super::panel::{Crew, Panel, WIDTH, eliminate, place, settle};
use super::working::{diagonal, of_each, part, result_of, sizes, symmetric, turned, where_it_is};
use crate::kernel::{A, Body, Kernel, launch_cubes};
use crate::leaf::Leaf;
use crate::matmul::{Factor, subtract_product};
use crate::strides;
use crate::tensor::CubeTensor;
use burn_backend::{Backend, CompareOp, Factorization, Operation, ReduceOp, Scalar, UnaryOp};
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Factors the panel of each matrix, a cube for each, and writes zeros above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CholeskyPanel {
    crew: Crew,
}

#[cube]
fn cholesky_panel<E: Float>(
    x: &mut Array<E>,
    batch: u32,
    size: u32,
    start: u32,
    end: u32,
    #[comptime] crew: Crew,
) {
    let mut row = SharedMemory::<E>::new(WIDTH);
    let unit = UNIT_POS;
    let matrix = CUBE_POS as u32;
    if matrix < batch {
        let panel = Panel { base: matrix * size * size, rows: size, cols: size, start, end };
        for k in start..end {
            let square = x[place(&panel, k, k)];
            // What is not positive has no root, nor does anything that follows from it.
            let pivot = select(square > E::new(0.0), square, E::new(-1.0)).sqrt();
            settle();
            let mut i = unit + 0u32;
            while i < size {
                let at = place(&panel, i, k);
                let mut value = E::new(0.0);
                if i > k {
                    value = x[at] / pivot;
                    if i < end {
                        row[(i - start) as usize] = value;
                    }
                } else if i == k {
                    value = pivot;
                }
                x[at] = value;
                i += comptime!(crew.units);
            }
            settle();
            eliminate::<E>(x, &row, &panel, k, crew);
            settle();
        }
    }
}

impl Kernel for CholeskyPanel {
    const NAME: &'static str = "cholesky_panel";

    fn expand(&self, body: &mut Body) {
        let x = body.array(0);
        let [batch, size, start, end] = [0, 1, 2, 3].map(|at| body.word(at));
        cholesky_panel::expand::<A>(&mut body.scope, x, batch, size, start, end, self.crew);
    }
}

/// Whether the diagonal of a factor is of positive numbers.
fn exists(lower: &CubeTensor) -> CubeTensor {
    // The inverse of an infinite number is zero.
    let inverse = Leaf::unary(UnaryOp::Recip, diagonal(lower));
    of_each(ReduceOp::All, Leaf::compare_scalar(CompareOp::Greater, inverse, Scalar::Int(0)), 1)
}

pub fn cholesky(x: &CubeTensor) -> CubeTensor {
    let spec = result_of(&Operation::Factorize { op: Factorization::Cholesky, x });
    if spec.shape.num_elements() == 0 {
        return CubeTensor::empty(spec, x.engine());
    }
    let x = symmetric(x);
    let [batch, size, _] = sizes(&x);
    let crew = Crew::of(size);
    for start in (0..size).step_by(WIDTH) {
        let end = (start + WIDTH).min(size);
        let words: Vec<u32> = strides::words(&[batch, size, start, end]).collect();
        launch_cubes(CholeskyPanel { crew }, &[], &[&x], &words, batch, CubeDim::new_1d(crew.units));
        let below = part(&x, end..size, start..end);
        let (lhs, rhs) = (Factor { x: &below, is_own: true }, turned(&below));
        subtract_product(&part(&x, end..size, end..size), lhs, Factor { x: &rhs, is_own: true });
    }
    where_it_is(&exists(&x), &x, spec)
}
