//! Running reductions.

use crate::launch::element::is_half;
use crate::launch::kernel::{A, B, Body, C, Kernel, UNITS, launch, launch_cubes};
use crate::launch::row_groups::part_end;
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, launch_words, word};
use crate::ops::accumulate::{Join, Partial, join, name_partial, partial};
use crate::ops::elementwise::elementwise;
use crate::ops::layout::contiguous;
use burn_backend::*;
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Elements of a unit in a block of a row.
const OWN: u32 = 8;
/// Elements of a block.
const BLOCK: u32 = UNITS * OWN;

/// Where an element of a block is in shared memory: one element in 32 is left out, so that units do not wait
/// for the same bank.
#[cube]
pub fn slot(at: u32) -> usize {
    (at + at / 32u32) as usize
}

launch_words! {
    /// A tensor `[outer, terms, inner]` that is scanned along its second dimension.
    struct ScanWords {
        /// Rows, units or elements that the kernel works on.
        count: u32,
        terms: u32,
        /// Elements of a part of a line, and the parts of a line.
        chunk: u32,
        parts: u32,
        inner: u32,
    }
}

/// Rows, or parts of them, by cubes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ScanRows {
    how: Join,
}

#[cube]
fn scan_rows<E: Numeric, O: Numeric, T: Numeric>(
    x: &Array<E>,
    out: &mut Array<E>,
    totals: &mut Array<O>,
    words: &ScanWords,
    #[comptime] how: Join,
) {
    let mut block = SharedMemory::<T>::new(comptime!((BLOCK + BLOCK / 32) as usize));
    let mut sums = SharedMemory::<T>::new(comptime!(UNITS as usize));
    let unit = UNIT_POS;
    let cube = CUBE_POS as u32;
    let row = cube / words.parts;
    let part = cube % words.parts;
    if row < words.count {
        let base = row * words.terms;
        let first = part * words.chunk;
        let last = part_end(first, words.chunk, words.terms);
        let mut neutral = T::from_int(comptime!(how.neutral()));
        if comptime!(how.is_idempotent()) {
            neutral = T::cast_from(x[(base + first) as usize]);
        }
        let mut carry = neutral;
        let mut at = first;
        while at < last {
            #[unroll]
            for j in 0..OWN {
                let k = unit + comptime!(j * UNITS);
                let mut value = neutral;
                if at + k < last {
                    value = T::cast_from(x[(base + at + k) as usize]);
                }
                block[slot(k)] = value;
            }
            sync_cube();
            let own = unit * OWN;
            let mut sum = block[slot(own)];
            #[unroll]
            for j in 1..OWN {
                sum = join::<T>(sum, block[slot(own + j)], how);
                block[slot(own + j)] = sum;
            }
            sums[unit as usize] = sum;
            sync_cube();
            #[unroll]
            for k in 0..8u32 {
                let far = comptime!(1u32 << k);
                let mut sum = sums[unit as usize];
                if unit >= far {
                    sum = join::<T>(sums[(unit - far) as usize], sum, how);
                }
                sync_cube();
                sums[unit as usize] = sum;
                sync_cube();
            }
            let mut before = carry;
            if unit > 0u32 {
                before = join::<T>(carry, sums[(unit - 1u32) as usize], how);
            }
            #[unroll]
            for j in 0..OWN {
                block[slot(own + j)] = join::<T>(before, block[slot(own + j)], how);
            }
            carry = join::<T>(carry, sums[comptime!((UNITS - 1) as usize)], how);
            sync_cube();
            #[unroll]
            for j in 0..OWN {
                let k = unit + comptime!(j * UNITS);
                if at + k < last {
                    out[(base + at + k) as usize] = E::cast_from(block[slot(k)]);
                }
            }
            sync_cube();
            at += BLOCK;
        }
        if unit == 0u32 {
            totals[cube as usize] = O::cast_from(carry);
        }
    }
}

impl Kernel for ScanRows {
    const NAME: &'static str = "scan_rows";

    fn expand(&self, body: &mut Body) {
        let (x, out, totals) = (body.array(0), body.array(1), body.array(2));
        let words = body.read::<ScanWords>();
        name_partial(body, body.dtype(0));
        scan_rows::expand::<A, C, Partial>(&mut body.scope, x, out, totals, words, self.how);
    }
}

/// Columns, or parts of them, by units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ScanColumns {
    how: Join,
}

#[cube]
fn scan_columns<E: Numeric, O: Numeric, T: Numeric>(
    x: &Array<E>,
    out: &mut Array<E>,
    totals: &mut Array<O>,
    words: &ScanWords,
    #[comptime] how: Join,
) {
    let unit = strides::position();
    if unit < words.count {
        let inner = words.inner;
        let column = unit % inner;
        let part = unit / inner % words.parts;
        let first = part * words.chunk;
        let last = part_end(first, words.chunk, words.terms);
        let base = unit / (inner * words.parts) * words.terms * inner + column;
        let mut k = first + 1u32;
        let mut at = base + first * inner;
        let mut total = T::cast_from(x[at as usize]);
        out[at as usize] = E::cast_from(total);
        at += inner;
        // Four loads on their way at a time.
        while k + 3u32 < last {
            let a = T::cast_from(x[at as usize]);
            let b = T::cast_from(x[(at + inner) as usize]);
            let c = T::cast_from(x[(at + 2u32 * inner) as usize]);
            let d = T::cast_from(x[(at + 3u32 * inner) as usize]);
            total = join::<T>(total, a, how);
            out[at as usize] = E::cast_from(total);
            total = join::<T>(total, b, how);
            out[(at + inner) as usize] = E::cast_from(total);
            total = join::<T>(total, c, how);
            out[(at + 2u32 * inner) as usize] = E::cast_from(total);
            total = join::<T>(total, d, how);
            out[(at + 3u32 * inner) as usize] = E::cast_from(total);
            at += 4u32 * inner;
            k += 4u32;
        }
        while k < last {
            total = join::<T>(total, T::cast_from(x[at as usize]), how);
            out[at as usize] = E::cast_from(total);
            at += inner;
            k += 1u32;
        }
        totals[unit as usize] = O::cast_from(total);
    }
}

impl Kernel for ScanColumns {
    const NAME: &'static str = "scan_columns";

    fn expand(&self, body: &mut Body) {
        let (x, out, totals) = (body.array(0), body.array(1), body.array(2));
        let words = body.read::<ScanWords>();
        name_partial(body, body.dtype(0));
        scan_columns::expand::<A, C, Partial>(&mut body.scope, x, out, totals, words, self.how);
    }
}

/// Joins what the parts before hold to each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Carry {
    how: Join,
}

#[cube]
fn carried<E: Numeric, O: Numeric, T: Numeric>(
    totals: &Array<O>,
    out: &mut Array<E>,
    words: &ScanWords,
    #[comptime] how: Join,
) {
    let at = strides::position();
    let inner = words.inner;
    let part = at / inner % words.terms / words.chunk;
    if at < words.count && part > 0u32 {
        let before = (at / (inner * words.terms) * words.parts + part - 1u32) * inner + at % inner;
        let before = T::cast_from(totals[before as usize]);
        out[at as usize] = E::cast_from(join::<T>(before, T::cast_from(out[at as usize]), how));
    }
}

impl Kernel for Carry {
    const NAME: &'static str = "scan_carry";

    fn expand(&self, body: &mut Body) {
        let (totals, out) = (body.array(0), body.array(1));
        let words = body.read::<ScanWords>();
        name_partial(body, body.dtype(1));
        carried::expand::<B, A, Partial>(&mut body.scope, totals, out, words, self.how);
    }
}

pub fn cumulative(op: CumulativeOp, x: CubeTensor, dim: usize) -> CubeTensor {
    let shape = x.shape();
    let [outer, inner] = [&shape[..dim], &shape[dim + 1..]].map(|dims| dims.iter().product::<usize>());
    let flat = contiguous(x).reshaped([outer, shape[dim], inner].into());
    scan(Join::new(op.prefix(), flat.dtype()), &flat).reshaped(shape)
}

/// Along the second of three dimensions of a contiguous tensor. Lines that are few and long are scanned in
/// parts.
fn scan(how: Join, x: &CubeTensor) -> CubeTensor {
    let [outer, terms, inner] = [0, 1, 2].map(|d| x.spec().shape[d]);
    let count = outer * terms * inner;
    if count == 0 {
        return CubeTensor::empty(x.spec().clone(), x.engine());
    }
    let lines = outer * inner;
    // Cubes that keep a device busy where each has a row, units where each has a column.
    let (wanted, step) =
        if inner == 1 { (1024_usize.div_ceil(lines), BLOCK as usize) } else { ((1 << 16) / lines, 32) };
    let chunk = terms.div_ceil(wanted.max(1)).next_multiple_of(step);
    let parts = terms.div_ceil(chunk);
    if parts > 1 && is_half(x.dtype()) {
        // Partial results in `f32` are rounded once, after the carry is added.
        let wide = elementwise(Elementwise::Cast { x: x.clone(), dtype: DType::F32 });
        return elementwise(Elementwise::Cast { x: scan(how, &wide), dtype: x.dtype() });
    }
    let out = CubeTensor::empty(x.spec().clone(), x.engine());
    let totals = TensorSpec::new([outer, parts, inner], partial(x.dtype()));
    let totals = CubeTensor::empty(totals, x.engine());
    let words = |count: usize| -> Vec<u32> {
        let [count, terms, chunk, parts, inner] = [count, terms, chunk, parts, inner].map(word);
        ScanWords { count, terms, chunk, parts, inner }.words()
    };
    if inner == 1 {
        let units = CubeDim::new_1d(UNITS);
        launch_cubes(ScanRows { how }, &[x], &[&out, &totals], &words(outer), outer * parts, units);
    } else {
        let units = lines * parts;
        launch(ScanColumns { how }, &[x], &[&out, &totals], &words(units), units);
    }
    if parts > 1 {
        let before = scan(how, &totals);
        launch(Carry { how }, &[&before], &[&out], &words(count), count);
    }
    out
}
