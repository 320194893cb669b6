use super::eigh::{rows_at, upright};
use super::jacobi::{
    goes_on, nothing_turned, pair_at, pairs, sweeps, tournament, turn_of, turned_high, turned_low,
};
use super::panel::Crew;
use super::qr::{reflected, signs_of_diagonal};
use super::reflectors::epsilon;
use super::working::{
    identity, is_finite, largest, of_each, own, part, result_of, sizes, turned, unit_of, where_it_is,
};
use crate::block::Program;
use crate::kernel::{A, Body, Kernel, launch_cubes};
use crate::layout::cat;
use crate::leaf::Leaf;
use crate::strides;
use crate::tensor::CubeTensor;
use burn_backend::{
    Backend, BinaryOp, CompareOp, DType, Factorization, HasSpec, Operation, ReduceOp, Scalar, UnaryOp,
};
use cubecl::CubeDim;
use cubecl::prelude::*;

/// A round of rotations of rows, whose first elements come to stand at right angles: a cube for each pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct TurnRows {
    crew: Crew,
    is_wide: bool,
}

#[cube]
#[allow(clippy::too_many_arguments)]
fn turn_rows<E: Float>(
    x: &mut Array<E>,
    squares: &Array<E>,
    turned: &mut Array<u32>,
    batch: u32,
    size: u32,
    long: u32,
    round: u32,
    sweep: u32,
    sweeps: u32,
    #[comptime] crew: Crew,
    #[comptime] is_wide: bool,
) {
    let mut lows = SharedMemory::<E>::new(comptime!(crew.units as usize));
    let mut highs = SharedMemory::<E>::new(comptime!(crew.units as usize));
    let mut products = SharedMemory::<E>::new(comptime!(crew.units as usize));
    let width = long + size;
    let tables = (size + 1u32) / 2u32;
    let cube = CUBE_POS as u32;
    let unit = UNIT_POS;
    let matrix = cube / tables;
    if matrix < batch {
        let pair = pair_at(cube % tables, round, tables);
        let meets = pair.high < size && goes_on(turned, matrix, sweep, sweeps);
        let low = (matrix * size + pair.low) * width;
        let high = (matrix * size + pair.high) * width;
        let mut a = E::new(0.0);
        let mut b = E::new(0.0);
        let mut c = E::new(0.0);
        let mut k = unit + 0u32;
        let end = select(meets, long, 0u32);
        while k < end {
            let (one, other) = (x[(low + k) as usize], x[(high + k) as usize]);
            a += one * one;
            b += other * other;
            c += one * other;
            k += comptime!(crew.units);
        }
        lows[unit as usize] = a;
        highs[unit as usize] = b;
        products[unit as usize] = c;
        #[unroll]
        for halving in 0..comptime!(crew.halvings()) {
            let half = comptime!(crew.units >> (halving + 1));
            sync_cube();
            if unit < half {
                let far = (unit + half) as usize;
                lows[unit as usize] = lows[unit as usize] + lows[far];
                highs[unit as usize] = highs[unit as usize] + highs[far];
                products[unit as usize] = products[unit as usize] + products[far];
            }
        }
        sync_cube();
        if meets {
            let (a, b, c) = (lows[0], highs[0], products[0]);
            let epsilon = epsilon::<E>(is_wide);
            let tolerance = E::new(2.0) * epsilon * E::cast_from(long).sqrt();
            let turn = turn_of::<E>(a, b, c, tolerance * a.sqrt() * b.sqrt());
            // A row of nothing but rounding has no direction, and would be turned for ever.
            let nothing = squares[matrix as usize] * epsilon * epsilon * E::new(4.0);
            if turn.is_turned && a > nothing && b > nothing {
                let mut k = unit + 0u32;
                while k < width {
                    let (one, other) = (x[(low + k) as usize], x[(high + k) as usize]);
                    x[(low + k) as usize] = turned_low::<E>(one, other, &turn);
                    x[(high + k) as usize] = turned_high::<E>(one, other, &turn);
                    k += comptime!(crew.units);
                }
                if unit == 0u32 {
                    turned[(matrix * sweeps + sweep) as usize] = 1u32;
                }
            }
        }
    }
}

impl Kernel for TurnRows {
    const NAME: &'static str = "turn_rows";

    fn expand(&self, body: &mut Body) {
        let (squares, x, turned) = (body.array(0), body.array(1), body.array::<u32>(2));
        let [batch, size, long, round, sweep, sweeps] = [0, 1, 2, 3, 4, 5].map(|at| body.word(at));
        let scope = &mut body.scope;
        turn_rows::expand::<A>(
            scope,
            x,
            squares,
            turned,
            batch,
            size,
            long,
            round,
            sweep,
            sweeps,
            self.crew,
            self.is_wide,
        );
    }
}

/// Rows `[.., k, n]` at right angles, and the rotations `[.., k, k]` that turned them. Elements are neither very large nor very small.
fn turned_apart(x: CubeTensor) -> (CubeTensor, CubeTensor) {
    let [batch, size, long] = sizes(&x);
    let squares = Leaf::unary(UnaryOp::Square, x.clone());
    let squares = of_each(ReduceOp::Sum, squares, 2);
    let rows = cat(&[x.clone(), identity(&x, size, size)], x.spec().shape.rank() - 1);
    let turned = nothing_turned(&x, batch);
    let crew = Crew::of(long);
    let kernel = TurnRows { crew, is_wide: x.dtype() == DType::F64 };
    tournament(size, x.dtype(), |sweep, round| {
        let words: Vec<u32> = strides::words(&[batch, size, long, round, sweep, sweeps(x.dtype())]).collect();
        let units = CubeDim::new_1d(crew.units);
        launch_cubes(kernel, &[&squares], &[&rows, &turned], &words, batch * pairs(size), units);
    });
    (part(&rows, 0..size, 0..long), part(&rows, 0..size, long..long + size))
}

/// Rows, the longest first, as columns of length 1 at right angles; what is almost zero becomes any such.
fn unit_columns(rows: &CubeTensor, lengths: &CubeTensor) -> CubeTensor {
    let dtype = rows.dtype();
    let epsilon = if dtype == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let mut program = Program::new(3);
    let factor = program.constant(Scalar::Float(0.01 * epsilon), dtype);
    let zero = program.constant(Scalar::Int(0), dtype);
    let nothing = program.binary(BinaryOp::Mul, 2, factor);
    let is_something = program.compare(CompareOp::Greater, 1, nothing);
    let scaled = program.binary(BinaryOp::Div, 0, 1);
    let scaled = program.choose(is_something, scaled, zero);
    program.output(scaled);
    let longest = part(lengths, 0..1, 0..1);
    let spec = rows.spec().clone();
    let scaled =
        program.run(&spec.shape.clone(), &[rows, lengths, &longest], vec![spec], rows.engine()).remove(0);
    let columns = own(&turned(&scaled));
    let frame = reflected(&columns);
    Leaf::binary(BinaryOp::Mul, frame, signs_of_diagonal(&columns))
}

pub fn svd(x: &CubeTensor) -> CubeTensor {
    let spec = result_of(&Operation::Factorize { op: Factorization::Svd, x });
    if spec.shape.num_elements() == 0 {
        return CubeTensor::empty(spec, x.engine());
    }
    let x = own(x);
    let [_, m, n] = sizes(&x);
    let (last, is_flat) = (spec.shape.rank() - 1, n > m);
    let largest = largest(&x);
    let unit = unit_of(&largest);
    let x = Leaf::binary(BinaryOp::Div, x, unit.clone());
    let (longs, shorts) = turned_apart(if is_flat { x } else { turned(&x) });
    let squares = Leaf::unary(UnaryOp::Square, longs.clone());
    let squares = Leaf::reduce(ReduceOp::Sum, squares, [last].into_iter().collect());
    let lengths = Leaf::unary(UnaryOp::Sqrt, squares);
    let (lengths, places) = Leaf::sort_with_indices(lengths, last - 1, true, DType::I32);
    let longs = unit_columns(&rows_at(longs, places.clone()), &lengths);
    let shorts = turned(&rows_at(shorts, places));
    let (left, right) = if is_flat { (shorts, longs) } else { (longs, shorts) };
    let signs = turned(&upright(&turned(&left)));
    let values = Leaf::binary(BinaryOp::Mul, turned(&lengths), unit);
    let [left, right] = [left, right].map(|x| Leaf::binary(BinaryOp::Mul, x, signs.clone()));
    where_it_is(&is_finite(largest), &cat(&[left, values, right], last - 1), spec)
}
