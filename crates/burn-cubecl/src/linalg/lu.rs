use super::exchange::exchange;
use super::panel::{Crew, Panel, WIDTH, eliminate, place, settle};
use super::triangular::substitute;
use super::working::{counted, is_finite, largest, own, part, sizes, where_it_is};
use crate::block::Program;
use crate::kernel::{A, Body, Kernel, launch_cubes};
use crate::layout::copied;
use crate::matmul::{Factor, subtract_product};
use crate::strides;
use crate::tensor::CubeTensor;
use burn_backend::*;
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Factors the panel of each matrix, a cube for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct LuPanel {
    crew: Crew,
}

#[cube]
#[allow(clippy::too_many_arguments)]
fn lu_panel<E: Float>(
    x: &mut Array<E>,
    order: &mut Array<i32>,
    pivots: &mut Array<u32>,
    batch: u32,
    rows: u32,
    cols: u32,
    start: u32,
    end: u32,
    #[comptime] crew: Crew,
) {
    let mut sizes = SharedMemory::<E>::new(comptime!(crew.units as usize));
    let mut places = SharedMemory::<u32>::new(comptime!(crew.units as usize));
    let mut row = SharedMemory::<E>::new(WIDTH);
    let unit = UNIT_POS;
    let matrix = CUBE_POS as u32;
    if matrix < batch {
        let panel = Panel { base: matrix * rows * cols, rows, cols, start, end };
        for k in start..end {
            // The largest of the column, and of equals the first.
            let mut best = E::new(-1.0);
            let mut at = k + 0u32;
            let mut i = k + unit;
            while i < rows {
                let size = E::abs(x[place(&panel, i, k)]);
                if size > best {
                    best = size;
                    at = i;
                }
                i += comptime!(crew.units);
            }
            sizes[unit as usize] = best;
            places[unit as usize] = at;
            #[unroll]
            for halving in 0..comptime!(crew.halvings()) {
                let half = comptime!(crew.units >> (halving + 1));
                sync_cube();
                if unit < half {
                    let (size, other) = (sizes[unit as usize], sizes[(unit + half) as usize]);
                    let (at, there) = (places[unit as usize], places[(unit + half) as usize]);
                    if other > size || (other == size && there < at) {
                        sizes[unit as usize] = other;
                        places[unit as usize] = there;
                    }
                }
            }
            sync_cube();
            let pivot = places[0];
            let mut j = start + unit;
            while j < end {
                let (from, to) = (place(&panel, pivot, j), place(&panel, k, j));
                let value = x[from];
                x[from] = x[to];
                x[to] = value;
                row[(j - start) as usize] = value;
                j += comptime!(crew.units);
            }
            if unit == 0u32 {
                pivots[(matrix * (end - start) + k - start) as usize] = pivot;
                let (from, to) = ((matrix * rows + pivot) as usize, (matrix * rows + k) as usize);
                let first = order[from];
                order[from] = order[to];
                order[to] = first;
            }
            settle();
            let head = row[(k - start) as usize];
            let mut i = k + 1u32 + unit;
            while i < rows {
                let at = place(&panel, i, k);
                let value = x[at];
                // A column of zeros stays.
                let mut factor = value;
                if head != E::new(0.0) {
                    factor = value / head;
                }
                x[at] = factor;
                i += comptime!(crew.units);
            }
            settle();
            eliminate::<E>(x, &row, &panel, k, crew);
            settle();
        }
    }
}

impl Kernel for LuPanel {
    const NAME: &'static str = "lu_panel";

    fn expand(&self, body: &mut Body) {
        let (x, order, pivots) = (body.array(0), body.array(1), body.array(2));
        let [batch, rows, cols, start, end] = [0, 1, 2, 3, 4].map(|at| body.word(at));
        let scope = &mut body.scope;
        lu_panel::expand::<A>(scope, x, order, pivots, batch, rows, cols, start, end, self.crew);
    }
}

/// Matrices as factors, whether they were finite, and the order of their rows.
pub struct Factors {
    pub packed: CubeTensor,
    pub is_finite: CubeTensor,
    /// `[.., m]`, in `i32`.
    pub order: CubeTensor,
}

/// Panel by panel: of matrices that are not empty.
pub fn factors(x: &CubeTensor) -> Factors {
    let x = own(x);
    let is_finite = is_finite(largest(&x));
    let [batch, m, n] = sizes(&x);
    let shape = x.shape();
    let order = copied(&counted(shape[..shape.rank() - 1].iter().copied().collect(), x.engine()));
    let (inner, crew) = (m.min(n), Crew::of(m));
    for start in (0..inner).step_by(WIDTH) {
        let end = (start + WIDTH).min(inner);
        let pivots = CubeTensor::empty(TensorSpec::new([batch, end - start], DType::U32), x.engine());
        let words: Vec<u32> = strides::words(&[batch, m, n, start, end]).collect();
        let units = CubeDim::new_1d(crew.units);
        launch_cubes(LuPanel { crew }, &[], &[&x, &order, &pivots], &words, batch, units);
        exchange(&x, &pivots, start, end);
        let right = part(&x, start..end, end..n);
        substitute(&part(&x, start..end, start..end), &right, Triangle { upper: false, unit: true }, true);
        let rest = part(&x, end..m, end..n);
        let (lhs, rhs) = (part(&x, end..m, start..end), right);
        subtract_product(&rest, Factor { x: &lhs, is_own: true }, Factor { x: &rhs, is_own: true });
    }
    Factors { packed: x, is_finite, order }
}

pub fn lu(x: &CubeTensor, index: DType) -> (CubeTensor, CubeTensor) {
    let specs = output_specs(&Operation::Lu { x, index }).unwrap_or_else(|error| panic!("{error}"));
    let (packed, order) = specs.two();
    let engine = x.engine();
    let unchanged = counted(order.shape.clone(), engine);
    let rows_of = |inputs: &[&CubeTensor], mut program: Program, rows| {
        let rows = program.cast(rows, index);
        program.output(rows);
        program.run(&order.shape, inputs, vec![order.clone()], engine).remove(0)
    };
    if packed.shape.num_elements() == 0 {
        return (CubeTensor::empty(packed, engine), rows_of(&[&unchanged], Program::new(1), 0));
    }
    let factors = factors(x);
    let packed = where_it_is(&factors.is_finite, &factors.packed, packed);
    let exists = &factors.is_finite;
    let exists =
        exists.clone().reshaped(exists.shape()[..exists.shape().rank() - 1].iter().copied().collect());
    let mut program = Program::new(3);
    let rows = program.choose(2, 0, 1);
    (packed, rows_of(&[&factors.order, &unchanged, &exists], program, rows))
}
