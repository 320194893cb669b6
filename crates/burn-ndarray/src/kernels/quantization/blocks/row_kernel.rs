//! Products of one row of blocks with some rows of activations.
//!
//! These are compiled for each format, unit and number of rows: loops take a tenth of the code of
//! `array::map` and `array::from_fn`.

use super::activations::{ActivationRow, SUM};
use super::format::{Block, SuperBlock};
use super::unit::Unit;

/// Elements of a block, and of a super-block.
const BLOCK: usize = 32;
const SUPER_BLOCK: usize = 256;

/// Sums of the products of a row with `ROWS` others.
struct Sums<U: Unit, const ROWS: usize> {
    products: [U::Floats; ROWS],
    /// The same in each lane.
    minima: [U::Floats; ROWS],
}

impl<U: Unit, const ROWS: usize> Sums<U, ROWS> {
    #[inline(always)]
    fn new() -> Self {
        Sums { products: [U::splat(0.0); ROWS], minima: [U::splat(0.0); ROWS] }
    }

    #[inline(always)]
    fn add_block<F: Block<BYTES>, const BYTES: usize>(
        &mut self,
        block: &[u8; BYTES],
        index: usize,
        codes: &[&[[i8; BLOCK]]; ROWS],
        x: &[ActivationRow<'_>; ROWS],
    ) {
        let (weights, [d, m]) = (F::codes::<U>(block), F::scales::<U>(block));
        for row in 0..ROWS {
            let own = U::load_codes(&codes[row][index]);
            let dots = if F::IS_SIGNED { U::dot_signed(weights, own) } else { U::dot(weights, own) };
            let scale = U::multiply(d, U::splat(x[row].scales[index]));
            self.products[row] = U::add_scaled(self.products[row], dots, scale);
            if !F::IS_SIGNED {
                let sum = U::splat(x[row].minima[index]);
                self.minima[row] = U::multiply_add(self.minima[row], m, sum);
            }
        }
    }
}

/// Multiplies a row of blocks of 32.
#[inline(always)]
pub fn blocks<U: Unit, F: Block<BYTES>, const BYTES: usize, const ROWS: usize>(
    row: &[u8],
    x: [ActivationRow<'_>; ROWS],
) -> [f32; ROWS] {
    let blocks = row.as_chunks::<BYTES>().0;
    let count = blocks.len();
    let (mut x, mut codes) = (x, [[].as_slice(); ROWS]);
    for (x, codes) in x.iter_mut().zip(&mut codes) {
        *codes = &x.codes.as_chunks().0[..count];
        (x.scales, x.minima) = (&x.scales[..count], &x.minima[..count]);
    }
    // Two sums, since an addition waits for the one before it.
    let (mut even, mut odd) = (Sums::<U, ROWS>::new(), Sums::<U, ROWS>::new());
    for index in (0..count & !1).step_by(2) {
        even.add_block::<F, BYTES>(&blocks[index], index, &codes, &x);
        odd.add_block::<F, BYTES>(&blocks[index + 1], index + 1, &codes, &x);
    }
    if count % 2 == 1 {
        even.add_block::<F, BYTES>(&blocks[count - 1], count - 1, &codes, &x);
    }
    let mut results = [0.0; ROWS];
    for (row, result) in results.iter_mut().enumerate() {
        let products = U::add(even.products[row], odd.products[row]);
        // An eighth of each of eight lanes.
        let minima = U::add(even.minima[row], odd.minima[row]);
        *result = U::sum(U::multiply_add(products, minima, U::splat(0.125)));
    }
    results
}

/// Multiplies a row of super-blocks.
#[inline(always)]
pub fn super_blocks<U: Unit, F: SuperBlock<BYTES>, const BYTES: usize, const ROWS: usize>(
    row: &[u8],
    x: [ActivationRow<'_>; ROWS],
) -> [f32; ROWS] {
    let blocks = row.as_chunks::<BYTES>().0;
    let (mut codes, mut sums) = ([[].as_slice(); ROWS], [[].as_slice(); ROWS]);
    let mut scales = [[].as_slice(); ROWS];
    for (row, x) in x.iter().enumerate() {
        codes[row] = &x.codes.as_chunks::<BLOCK>().0[..blocks.len() * (SUPER_BLOCK / BLOCK)];
        sums[row] = &x.sums.as_chunks::<{ SUPER_BLOCK / SUM }>().0[..blocks.len()];
        scales[row] = &x.scales[..blocks.len()];
    }
    let mut products = [U::splat(0.0); ROWS];
    let mut minima = [U::splat(0.0); ROWS];
    for (index, block) in blocks.iter().enumerate() {
        let (weights, [s, t], [d, m]) =
            (F::codes::<U>(block), F::sub_scales::<U>(block), F::scales::<U>(block));
        let own = U::scales(s);
        for row in 0..ROWS {
            let mut dots = U::no_ints();
            for part in 0..8 {
                let x = U::load_codes(&codes[row][8 * index + part]);
                dots = U::dot_scaled(dots, weights[part], x, U::scale(own, part));
            }
            let scale = U::splat(scales[row][index]);
            products[row] = U::add_scaled(products[row], dots, U::multiply(d, scale));
            let sums = U::dot_sums(t, &sums[row][index]);
            minima[row] = U::add_scaled(minima[row], sums, U::multiply(m, scale));
        }
    }
    let mut results = [0.0; ROWS];
    for (row, result) in results.iter_mut().enumerate() {
        *result = U::sum(U::multiply_add(products[row], minima[row], U::splat(-1.0)));
    }
    results
}
