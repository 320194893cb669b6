use super::jacobi::{
    Turn, goes_on, nothing_turned, pair_at, pairs, sweeps, tournament, turn_of, turned_high, turned_low,
};
use super::reflectors::epsilon;
use super::working::{
    behind_batch, diagonal, identity, is_finite, largest, part, result_of, signs, sizes, symmetric, turned,
    unit_of, where_it_is,
};
use crate::kernel::{A, Body, Kernel, launch};
use crate::layout::{cat, expand};
use crate::leaf::Leaf;
use crate::strides;
use crate::tensor::CubeTensor;
use burn_backend::{Backend, BinaryOp, DType, Extremum, Factorization, HasSpec, Operation, UnaryOp};
use cubecl::prelude::*;

/// A round of rotations of symmetric matrices from both sides, and of the rows behind them: a block of two rows and two
/// columns for each unit, which looks up both of its rotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct TurnSymmetric {
    is_wide: bool,
}

#[cube]
fn rotation<E: Float>(
    x: &Array<E>,
    base: u32,
    size: u32,
    low: u32,
    high: u32,
    largest: E,
    #[comptime] is_wide: bool,
) -> Turn<E> {
    let width = 2u32 * size;
    let a = x[(base + low * width + low) as usize];
    let mut b = E::new(0.0);
    let mut c = E::new(0.0);
    if high < size {
        b = x[(base + high * width + high) as usize];
        c = E::new(0.5) * (x[(base + low * width + high) as usize] + x[(base + high * width + low) as usize]);
    }
    // What changes no digit of an eigenvalue may stay.
    let epsilon = epsilon::<E>(is_wide);
    let of_both = epsilon * E::new(0.25) * E::abs(a).sqrt() * E::abs(b).sqrt();
    let of_all = epsilon * E::new(0.025) * largest;
    turn_of::<E>(a, b, c, select(of_both > of_all, of_both, of_all))
}

#[cube]
fn load<E: Float>(x: &Array<E>, place: u32, is_there: bool) -> E {
    let mut value = E::new(0.0);
    if is_there {
        value = x[place as usize];
    }
    value
}

#[cube]
#[allow(clippy::too_many_arguments)]
fn turn_symmetric<E: Float>(
    x: &Array<E>,
    largest: &Array<E>,
    turned: &mut Array<u32>,
    out: &mut Array<E>,
    batch: u32,
    size: u32,
    round: u32,
    sweep: u32,
    sweeps: u32,
    #[comptime] is_wide: bool,
) {
    let width = 2u32 * size;
    let tables = (size + 1u32) / 2u32;
    let at = strides::position();
    let matrix = at / (2u32 * tables * tables);
    if matrix < batch && goes_on(turned, matrix, sweep, sweeps) {
        let base = matrix * size * width;
        let i = at / (2u32 * tables) % tables;
        let j = at % (2u32 * tables);
        let rows = pair_at(i, round, tables);
        let most = largest[matrix as usize];
        let down = rotation::<E>(x, base, size, rows.low, rows.high, most, is_wide);
        let is_beside = j < tables;
        let columns = pair_at(j % tables, round, tables);
        let first = select(is_beside, columns.low, size + 2u32 * (j % tables));
        let second = select(is_beside, columns.high, first + 1u32);
        let is_row = rows.high < size;
        let is_column = second < select(is_beside, size, width);
        let upper = base + rows.low * width;
        let lower = base + rows.high * width;
        let a = load::<E>(x, upper + first, true);
        let b = load::<E>(x, upper + second, is_column);
        let c = load::<E>(x, lower + first, is_row);
        let d = load::<E>(x, lower + second, is_row && is_column);
        // From the left.
        let mut top = turned_low::<E>(a, c, &down);
        let mut top_right = turned_low::<E>(b, d, &down);
        let mut bottom = turned_high::<E>(a, c, &down);
        let mut bottom_right = turned_high::<E>(b, d, &down);
        if is_beside {
            let across = rotation::<E>(x, base, size, columns.low, columns.high, most, is_wide);
            let left = turned_low::<E>(top, top_right, &across);
            top_right = turned_high::<E>(top, top_right, &across);
            top = left;
            let left = turned_low::<E>(bottom, bottom_right, &across);
            bottom_right = turned_high::<E>(bottom, bottom_right, &across);
            bottom = left;
            if i == j && down.is_turned {
                top = down.low;
                top_right = E::new(0.0);
                bottom = E::new(0.0);
                bottom_right = down.high;
                turned[(matrix * sweeps + sweep) as usize] = 1u32;
            }
        }
        out[(upper + first) as usize] = top;
        if is_column {
            out[(upper + second) as usize] = top_right;
        }
        if is_row {
            out[(lower + first) as usize] = bottom;
        }
        if is_row && is_column {
            out[(lower + second) as usize] = bottom_right;
        }
    }
}

impl Kernel for TurnSymmetric {
    const NAME: &'static str = "turn_symmetric";

    fn expand(&self, body: &mut Body) {
        let (x, largest) = (body.array(0), body.array(1));
        let (turned, out) = (body.array::<u32>(2), body.array(3));
        let [batch, size, round, sweep, sweeps] = [0, 1, 2, 3, 4].map(|at| body.word(at));
        let scope = &mut body.scope;
        turn_symmetric::expand::<A>(
            scope,
            x,
            largest,
            turned,
            out,
            batch,
            size,
            round,
            sweep,
            sweeps,
            self.is_wide,
        );
    }
}

/// Eigenvalues `[.., n]` and, in rows, vectors, in no order. Elements are neither very large nor very small.
fn unordered(x: &CubeTensor) -> (CubeTensor, CubeTensor) {
    let [batch, size, _] = sizes(x);
    let largest = largest(x);
    // In a sweep that turns nothing both buffers become the same.
    let mut now = cat(&[x.clone(), identity(x, size, size)], x.spec().shape.rank() - 1);
    let mut next = CubeTensor::empty(now.spec().clone(), x.engine());
    let turned = nothing_turned(x, batch);
    let kernel = TurnSymmetric { is_wide: x.dtype() == DType::F64 };
    let tables = pairs(size);
    tournament(size, x.dtype(), |sweep, round| {
        let words: Vec<u32> = strides::words(&[batch, size, round, sweep, sweeps(x.dtype())]).collect();
        launch(kernel, &[&now, &largest], &[&turned, &next], &words, batch * 2 * tables * tables);
        std::mem::swap(&mut now, &mut next);
    });
    (diagonal(&part(&now, 0..size, 0..size)), part(&now, 0..size, size..2 * size))
}

/// Rows in the order of `places: [.., n]`.
pub fn rows_at(x: CubeTensor, places: CubeTensor) -> CubeTensor {
    let (shape, [_, rows, _]) = (x.shape(), sizes(&x));
    let places = places.reshaped(behind_batch(&x, &[rows, 1]));
    Leaf::gather(x, shape.rank() - 2, expand(places, shape))
}

/// 1 and -1, so that the largest element of each row becomes positive, of several the first: `[.., n, 1]`.
pub fn upright(rows: &CubeTensor) -> CubeTensor {
    let last = rows.spec().shape.rank() - 1;
    let size = Leaf::unary(UnaryOp::Abs, rows.clone());
    let at = Leaf::arg_reduce(Extremum::Max, size, last, DType::I32);
    signs(&Leaf::gather(rows.clone(), last, at))
}

pub fn eigh(x: &CubeTensor) -> CubeTensor {
    let spec = result_of(&Operation::Factorize { op: Factorization::Eigh, x });
    if spec.shape.num_elements() == 0 {
        return CubeTensor::empty(spec, x.engine());
    }
    let x = symmetric(x);
    let largest = largest(&x);
    let unit = unit_of(&largest);
    let (values, vectors) = unordered(&Leaf::binary(BinaryOp::Div, x, unit.clone()));
    let rank = spec.shape.rank();
    let (values, places) = Leaf::sort_with_indices(values, rank - 2, false, DType::I32);
    let vectors = rows_at(vectors, places);
    let vectors = Leaf::binary(BinaryOp::Mul, vectors.clone(), upright(&vectors));
    let size = sizes(&vectors)[1];
    let values = values.reshaped(behind_batch(&vectors, &[1, size]));
    let values = Leaf::binary(BinaryOp::Mul, values, unit);
    let stacked = cat(&[turned(&vectors), values], rank - 2);
    where_it_is(&is_finite(largest), &stacked, spec)
}
