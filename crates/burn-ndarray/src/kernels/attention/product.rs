//! The product of two tiles, which lie in the nearer caches.

use super::vector::Vector;

/// Rows of a strip: with so many rows of [`Vector::WIDTH`] sums, the registers are full.
pub const ROWS: usize = 6;

/// The factor on the left, of which single elements are read.
#[derive(Clone, Copy, Debug)]
pub struct Left<E> {
    pub start: *const E,
    /// Elements from one row to the next, or from one column to the next where it is `turned`; the others are
    /// neighbours.
    pub step: usize,
    pub turned: bool,
}

/// Rows of neighbours.
#[derive(Clone, Copy, Debug)]
pub struct StridedRows<P> {
    pub start: P,
    /// Elements from one row to the next; below zero as its two's complement.
    pub step: usize,
}

impl<E> StridedRows<*const E> {
    /// The rows from `row` on.
    pub fn after(self, row: usize) -> Self {
        StridedRows { start: self.start.wrapping_add(row.wrapping_mul(self.step)), step: self.step }
    }
}

/// `out = left right`, or `out += left right`: rows (whole strips), columns (whole vectors), and the
/// dimension between.
#[derive(Clone, Copy, Debug)]
pub struct Product<E> {
    pub sizes: [usize; 3],
    pub left: Left<E>,
    pub right: StridedRows<*const E>,
    pub out: StridedRows<*mut E>,
    pub accumulate: bool,
}

/// # Safety
/// The elements may be read, those of `out` written; nothing else touches `out`. The machine has the
/// instructions of `V`.
#[inline(always)]
pub unsafe fn product<V: Vector>(product: Product<V::Elem>) {
    let cols = product.sizes[1] / V::LANES;
    let mut col = 0;
    while col < cols {
        let (width, at) = (V::WIDTH.min(cols - col), col * V::LANES);
        // SAFETY: by the contract; the columns are there.
        unsafe {
            match width {
                1 => strips::<V, 1>(&product, at),
                2 => strips::<V, 2>(&product, at),
                3 => strips::<V, 3>(&product, at),
                _ => strips::<V, 4>(&product, at),
            }
        }
        col += width;
    }
}

/// The columns from `at` on, as many as `WIDTH` vectors have.
///
/// # Safety
/// As for [`product`].
#[inline(always)]
unsafe fn strips<V: Vector, const WIDTH: usize>(product: &Product<V::Elem>, at: usize) {
    if WIDTH > V::WIDTH {
        return;
    }
    for row in (0..product.sizes[0]).step_by(ROWS) {
        // SAFETY: by the contract.
        unsafe {
            if product.left.turned {
                strip::<V, WIDTH, true>(product, row, at);
            } else {
                strip::<V, WIDTH, false>(product, row, at);
            }
        }
    }
}

/// # Safety
/// As for [`product`].
#[inline(always)]
unsafe fn strip<V: Vector, const WIDTH: usize, const TURNED: bool>(
    product: &Product<V::Elem>,
    row: usize,
    at: usize,
) {
    let step = product.left.step;
    let (row_step, next) = if TURNED { (1, step) } else { (step, 1) };
    let mut left = product.left.start.wrapping_add(row * row_step);
    let mut right = product.right.start.wrapping_add(at);
    // SAFETY: by the contract.
    unsafe {
        let mut sums = [[V::splat(V::ZERO); WIDTH]; ROWS];
        for _ in 0..product.sizes[2] {
            let mut factors = [sums[0][0]; WIDTH];
            for c in 0..WIDTH {
                factors[c] = V::load(right.add(c * V::LANES));
            }
            for r in 0..ROWS {
                let x = V::splat(left.add(r * row_step).read());
                for c in 0..WIDTH {
                    sums[r][c] = x.times_plus(factors[c], sums[r][c]);
                }
            }
            left = left.wrapping_add(next);
            right = right.wrapping_add(product.right.step);
        }
        for r in 0..ROWS {
            let out = product.out.start.wrapping_add((row + r) * product.out.step + at);
            for c in 0..WIDTH {
                let to = out.add(c * V::LANES);
                let sum = if product.accumulate { sums[r][c].plus(V::load(to)) } else { sums[r][c] };
                sum.store(to);
            }
        }
    }
}
