//! Eigenvalues and vectors of symmetric matrices of one pair of blocks in one launch: a cube for each.

use crate::block_jacobi::{Block, MOST, Order, Shared, most_seen, shared, turn_all};
use crate::jacobi::deferral_after;
use crate::symmetric::rule;
use crate::tile::loaded_at;
use crate::working::{own, sizes};
use burn_backend::{DType, HasSpec, TensorSpec};
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{
    A, B, Body, Kernel, LaunchWords, is_not_a_number, launch_cubes, launch_words, nan, partial, word,
};
use cubecl::prelude::*;

launch_words! {
    struct SmallWords {
        batch: u32,
        size: u32,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct SmallSymmetric {
    block: Block,
    is_wide: bool,
}

/// Loads `(x + x^T) / 2` as the matrix that is rotated. Returns its largest magnitude, and whether anything
/// is not finite.
#[cube]
fn load<E: Float>(
    x: &Array<E>,
    shared: &mut Shared<E>,
    base: u32,
    size: u32,
    #[comptime] block: Block,
) -> (E, bool) {
    let pitch = comptime!(block.pitch());
    let unit = UNIT_POS;
    let mut most = E::new(0.0);
    let mut is_finite = true.runtime();
    #[unroll]
    for step in 0..4u32 {
        let (row, column) = loaded_at(step, block);
        let mut value = E::new(0.0);
        if row < size && column < size {
            let half = E::new(0.5);
            value = half * x[(base + row * size + column) as usize]
                + half * x[(base + column * size + row) as usize];
        }
        shared.square[(row * pitch + column) as usize] = value;
        let magnitude = E::abs(value);
        is_finite = is_finite && magnitude <= E::max_value() && !is_not_a_number::<E>(value);
        most = select(magnitude > most, magnitude, most);
    }
    if unit == 0u32 {
        shared.turned[0] = 0u32;
    }
    shared.change[unit as usize] = most;
    sync_cube();
    if !is_finite {
        shared.turned[0] = 1u32;
    }
    let mut half = comptime!(block.units().x / 2).runtime();
    while half > 0u32 {
        if unit < half {
            let (one, other) = (shared.change[unit as usize], shared.change[(unit + half) as usize]);
            shared.change[unit as usize] = select(one > other, one, other);
        }
        sync_cube();
        half /= 2u32;
    }
    let largest = shared.change[0];
    let is_void = shared.turned[0] > 0u32;
    sync_cube();
    (largest, is_void)
}

/// Rotates until nothing is left to rotate, and returns what the eigenvalues are multiplied with.
#[cube]
fn rotate<E: Float>(shared: &mut Shared<E>, size: u32, largest: E, #[comptime] kernel: SmallSymmetric) -> E {
    let block = comptime!(kernel.block);
    let pitch = comptime!(block.pitch());
    // As `unit_of`: products of the elements stay in range.
    let is_far = largest < E::new(1.0 / 65_536.0) || largest > E::new(65_536.0);
    let unit = select(is_far && largest > E::new(0.0), largest, E::new(1.0));
    #[unroll]
    for step in 0..4u32 {
        let (row, column) = loaded_at(step, block);
        let at = (row * pitch + column) as usize;
        shared.square[at] = shared.square[at] / unit;
        shared.change[at] = E::new(0.0);
    }
    let order = Order::of_all(size);
    let mut deferral = E::new(0.0);
    let mut left = comptime!(MOST).runtime();
    while left > 0u32 {
        let rule = rule::<E>(largest / unit, deferral, comptime!(kernel.is_wide));
        turn_all::<E>(shared, &order, &rule, block);
        let seen = most_seen::<E>(shared, block);
        deferral = deferral_after::<E>(seen);
        left = select(seen > E::new(0.0), left - 1u32, 0u32);
        sync_cube();
    }
    unit
}

/// Element of the vector in this row.
#[cube]
fn element_of<E: Float>(shared: &Shared<E>, row: u32, column: u32, #[comptime] block: Block) -> E {
    let one = select(row == column, E::new(1.0), E::new(0.0));
    shared.change[(row * comptime!(block.pitch()) + column) as usize] + one
}

/// Leaves the place of each eigenvalue in ascending order, and the sign that makes the largest element of its
/// vector positive, of several the first.
#[cube]
fn arrange<E: Float>(shared: &mut Shared<E>, size: u32, #[comptime] block: Block) {
    let pitch = comptime!(block.pitch());
    let unit = UNIT_POS;
    if unit < size {
        let own = shared.square[(unit * pitch + unit) as usize];
        let mut place = 0u32.runtime();
        let mut most = E::new(0.0);
        let mut sign = E::new(1.0);
        for j in 0..size {
            let other = shared.square[(j * pitch + j) as usize];
            place += select(other < own || (other == own && j < unit), 1u32, 0u32);
            let value = element_of::<E>(shared, unit, j, block);
            if E::abs(value) > most {
                most = E::abs(value);
                sign = select(value < E::new(0.0), E::new(-1.0), E::new(1.0));
            }
        }
        shared.turns[(2u32 * unit) as usize] = E::cast_from(place);
        shared.turns[(2u32 * unit + 1u32) as usize] = sign;
    }
    sync_cube();
}

#[cube]
fn put<E: Float, O: Numeric>(out: &mut Array<O>, at: u32, value: E, is_void: bool) {
    if is_void {
        out[at as usize] = O::cast_from(nan());
    } else {
        out[at as usize] = O::cast_from(value);
    }
}

#[cube]
fn small_symmetric<E: Float, O: Numeric>(
    x: &Array<E>,
    out: &mut Array<O>,
    words: &SmallWords,
    #[comptime] kernel: SmallSymmetric,
) {
    let block = comptime!(kernel.block);
    let size = words.size;
    let mut shared = shared::<E>(block);
    let matrix = CUBE_POS as u32;
    if matrix < words.batch {
        let (largest, is_void) = load::<E>(x, &mut shared, matrix * size * size, size, block);
        let unit = rotate::<E>(&mut shared, size, largest, kernel);
        arrange::<E>(&mut shared, size, block);
        let base = matrix * (size + 1u32) * size;
        #[unroll]
        for step in 0..4u32 {
            let (row, column) = loaded_at(step, block);
            if row < size && column < size {
                let place = u32::cast_from(shared.turns[(2u32 * row) as usize]);
                let value =
                    element_of::<E>(&shared, row, column, block) * shared.turns[(2u32 * row + 1u32) as usize];
                put::<E, O>(out, base + column * size + place, value, is_void);
                if row == column {
                    let value = shared.square[(row * comptime!(block.pitch()) + row) as usize] * unit;
                    put::<E, O>(out, base + size * size + place, value, is_void);
                }
            }
        }
    }
}

impl Kernel for SmallSymmetric {
    const NAME: &'static str = "small_symmetric";

    fn expand(&self, body: &mut Body) {
        let (x, out) = (body.array(0), body.array(1));
        let words = body.read::<SmallWords>();
        small_symmetric::expand::<A, B>(&mut body.scope, x, out, words, *self);
    }
}

/// Vectors in columns and eigenvalues in the row below them, as `spec` describes; none for larger matrices.
pub fn eigh_of_small(x: &CubeTensor, spec: &TensorSpec) -> Option<CubeTensor> {
    let [batch, size, _] = sizes(x);
    let dtype = partial(x.dtype());
    let block = Block::of(size, dtype, x.engine());
    if !block.is_all(size) {
        return None;
    }
    let x = if x.dtype() == dtype && x.is_contiguous() { x.clone() } else { own(x) };
    let out = CubeTensor::empty(spec.clone(), x.engine());
    let words = SmallWords { batch: word(batch), size: word(size) };
    let kernel = SmallSymmetric { block, is_wide: dtype == DType::F64 };
    launch_cubes(kernel, &[&x], &[&out], &words.words(), batch, block.units());
    Some(out)
}
