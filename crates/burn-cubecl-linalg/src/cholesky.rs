use crate::working::{diagonal, of_each, part, result_of, sizes, symmetric, turned, where_it_is};
use burn_backend::{
    CompareOp, DType, Factorization, HasSpec, Linalg, Operation, ReduceOp, Scalar, TensorSpec, UnaryOp,
};
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{
    A, B, Body, Factor, Kernel, LaunchWords, Program, full, is_not_a_number, launch_cubes, launch_words, nan,
    subtract_product, word,
};
use cubecl::CubeDim;
use cubecl::prelude::*;
use std::ops::Range;

/// Columns of a panel: what a unit holds in registers. A launch takes longer than the columns.
const WIDTH: usize = 64;

/// Alignment of columns in shared memory, in bytes, so that several elements are one load.
const ALIGNMENT: usize = 16;

/// Rows of what is right of a panel that one launch takes a product from: all of them, up to sizes where half
/// of the work is more than a launch.
const STRIP: usize = 2048;

/// Factors the panel of each matrix by several cubes, each of which factors the square of the diagonal for
/// itself.
///
/// A unit holds a row of the panel. The factor is stored turned, so that neighbours load and store
/// neighbours; that of a matrix which is one panel is stored as it is to be, and with nothing to be done
/// behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CholeskyPanel {
    units: u32,
    /// Units that have a row of the square.
    width: u32,
    /// Whether the panel is the matrix.
    is_whole: bool,
}

impl CholeskyPanel {
    fn of(size: usize) -> Self {
        let (width, is_whole) = (size.next_power_of_two().min(WIDTH) as u32, size <= WIDTH);
        let units = if is_whole { width.max(32) } else { 2 * width };
        CholeskyPanel { units, width, is_whole }
    }

    /// Columns between which the loop over them stays the same.
    fn steps(self) -> u32 {
        self.width.min(16)
    }

    fn rounds(self) -> u32 {
        self.width / self.steps()
    }

    /// Cubes for a matrix with so many rows below the square.
    fn cubes(self, below: usize) -> usize {
        if below == 0 { 1 } else { below.div_ceil((self.units - self.width) as usize) }
    }
}

launch_words! {
    struct CholeskyWords {
        batch: u32,
        size: u32,
        /// Columns of the panel.
        start: u32,
        end: u32,
        /// Cubes of a matrix.
        cubes: u32,
    }
}

#[cube]
fn cholesky_panel<E: Float, O: Numeric>(
    x: &Array<E>,
    factor: &mut Array<O>,
    words: &CholeskyWords,
    #[comptime] panel: CholeskyPanel,
) {
    let (size, start, end) = (words.size, words.start, words.end);
    let width = comptime!(panel.width);
    // The current column, the next one, and the one before, which slower units still read.
    let mut column = SharedMemory::<E>::new_aligned(comptime!(4 * width as usize), ALIGNMENT);
    let unit = UNIT_POS;
    let matrix = CUBE_POS as u32 / words.cubes;
    if matrix < words.batch {
        let share = CUBE_POS as u32 % words.cubes;
        let is_head = unit < width;
        let below = end + share * comptime!(panel.units - width) + unit - width;
        let row = select(is_head, start + unit, below);
        let last = select(is_head, end, size);
        let first = (matrix * size + start) * size + row;
        let mut own = Array::<E>::new(comptime!(width as usize));
        #[unroll]
        for j in 0..width {
            // A matrix that is smaller than the square is padded with ones.
            let mut value = select(unit == j, E::new(1.0), E::new(0.0));
            if row < last && start + j < end {
                value = x[(first + j * size) as usize];
            }
            own[comptime!(j as usize)] = value;
        }
        let mut exists = true.runtime();
        // Products with the column before are subtracted while the root of the current one is on its way.
        let mut factor_before = E::new(0.0);
        let mut before = 2u32.runtime();
        let mut now = 0u32.runtime();
        let mut next = 1u32.runtime();
        if is_head {
            column[unit as usize] = own[0];
            column[(unit + comptime!(2 * width)) as usize] = E::new(0.0);
            column[(unit + comptime!(3 * width)) as usize] = E::new(0.0);
        }
        // Columns that are done leave, so that the next one is always the first; the loop is written out for
        // fewer and fewer of them.
        #[unroll]
        for round in 0..comptime!(panel.rounds()) {
            let left = comptime!(width - round * panel.steps());
            for step in 0..comptime!(panel.steps()) {
                let k = comptime!(round * panel.steps()) + step;
                sync_cube();
                // A remainder tells the compiler that constants can be added to addresses.
                let at = now % 4u32 * width;
                let behind = before % 4u32 * width;
                let square = column[at as usize];
                let second = column[(at + 1u32) as usize];
                let first_of_row = own[0];
                #[unroll]
                for j in 1..left {
                    let index = comptime!(j as usize);
                    own[comptime!(index - 1)] =
                        own[index] - factor_before * column[(behind + comptime!(j + 1)) as usize];
                }
                // A pivot that is not positive gives NaN, which spreads to everything computed from it.
                let scale = select(square > E::new(0.0), square, E::new(-1.0)).inverse_sqrt();
                let value = first_of_row * scale;
                factor_before = value * scale;
                own[0] = own[0] - factor_before * second;
                if is_head && unit > k {
                    column[(next % 4u32 * width + unit - k - 1u32) as usize] = own[0];
                }
                let free = before;
                before = now;
                now = next;
                next = free;
                let root = square * scale;
                if comptime!(panel.is_whole) {
                    // The inverse of an infinite number is zero.
                    exists &= square > E::new(0.0) && scale > E::new(0.0) && !is_not_a_number::<E>(square);
                    if row < last && k < end {
                        let value = select(unit == k, root, select(unit > k, value, E::new(0.0)));
                        factor[((matrix * size + row) * size + k) as usize] = O::cast_from(value);
                    }
                } else {
                    let is_below = unit >= k && (share == 0u32 || !is_head);
                    if is_below && row < last && start + k < end {
                        factor[(first + k * size) as usize] = O::cast_from(select(unit == k, root, value));
                    }
                }
            }
        }
        if comptime!(panel.is_whole) && !exists && row < last {
            for k in 0..size {
                factor[((matrix * size + row) * size + k) as usize] = O::cast_from(nan());
            }
        }
    }
}

impl Kernel for CholeskyPanel {
    const NAME: &'static str = "cholesky_panel";
    // Units compare with the sizes before they load and store.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        let (x, factor) = (body.array(0), body.array(1));
        let words = body.read::<CholeskyWords>();
        cholesky_panel::expand::<A, B>(&mut body.scope, x, factor, words, *self);
    }
}

/// Whether the diagonal of a factor is of positive numbers.
fn exists(factor: &CubeTensor) -> CubeTensor {
    let diagonal = diagonal(factor);
    let spec = TensorSpec { shape: diagonal.shape(), dtype: DType::Bool };
    let mut program = Program::new(1);
    let zero = program.constant(Scalar::Int(0), diagonal.dtype());
    // The inverse of an infinite number is zero.
    let inverse = program.unary(UnaryOp::Recip, 0);
    let is_positive = program.compare(CompareOp::Greater, inverse, zero);
    program.output(is_positive);
    let is_positive = program.run(&spec.shape.clone(), &[&diagonal], vec![spec], factor.engine()).remove(0);
    of_each(ReduceOp::All, is_positive, 1)
}

/// Rows and columns of what has the upper half of a square in it.
fn strips(square: Range<usize>, height: usize) -> impl Iterator<Item = [Range<usize>; 2]> {
    let end = square.end;
    square.step_by(height).map(move |top| [top..(top + height).min(end), top..end])
}

pub fn cholesky(x: &CubeTensor) -> CubeTensor {
    let spec = result_of(&Operation::Linalg(Linalg::Factorize { op: Factorization::Cholesky, x }));
    if spec.shape.num_elements() == 0 {
        return CubeTensor::empty(spec, x.engine());
    }
    let x = symmetric(x);
    let [batch, size, _] = sizes(&x);
    let panel = CholeskyPanel::of(size);
    let factored = |start: usize, end: usize, factor: &CubeTensor| {
        let cubes = panel.cubes(size - end);
        let words = CholeskyWords {
            batch: word(batch),
            size: word(size),
            start: word(start),
            end: word(end),
            cubes: word(cubes),
        };
        launch_cubes(panel, &[&x], &[factor], &words.words(), batch * cubes, CubeDim::new_1d(panel.units));
    };
    if panel.is_whole {
        let factor = CubeTensor::empty(spec, x.engine());
        factored(0, size, &factor);
        return factor;
    }
    let upper = full(TensorSpec { shape: x.shape(), dtype: x.dtype() }, Scalar::Int(0), x.engine());
    for start in (0..size).step_by(WIDTH) {
        let end = (start + WIDTH).min(size);
        factored(start, end, &upper);
        for [rows, cols] in strips(end..size, STRIP) {
            let (above, right) =
                (part(&upper, start..end, rows.clone()), part(&upper, start..end, cols.clone()));
            let (lhs, rhs) =
                (Factor { x: &turned(&above), is_own: false }, Factor { x: &right, is_own: false });
            subtract_product(&part(&x, rows, cols), lhs, rhs);
        }
    }
    where_it_is(&exists(&upper), &turned(&upper), spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_have_the_upper_half_once() {
        for size in [3, 4, 10, 13] {
            let strips: Vec<_> = strips(3..size, 4).collect();
            for (row, col) in (3..size).flat_map(|row| (row..size).map(move |col| (row, col))) {
                let holds = |[rows, cols]: &&[Range<usize>; 2]| rows.contains(&row) && cols.contains(&col);
                assert_eq!(strips.iter().filter(holds).count(), 1, "{row}, {col} of {size}");
            }
        }
    }
}
