use burn_backend::DType;
use cubecl::server::Handle;

/// Memory layout of a batch of matrices, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Matrices {
    /// Columns are contiguous, not rows.
    pub transposed: bool,
    /// Leading dimension: distance from one row to the next, or column where columns are contiguous.
    pub leading: usize,
    /// Stride from one matrix of the batch to the next; 0 where there is only one.
    pub stride: usize,
}

impl Matrices {
    /// Describes matrices of `rows` and `cols` with these strides; `None` where neither rows nor columns are
    /// contiguous.
    pub fn new(rows: usize, cols: usize, by_row: usize, by_col: usize, stride: usize) -> Option<Self> {
        // A larger stride is a negative one, wrapped.
        const SANE: usize = 1 << 40;
        let fits = |step: usize, leading: usize, across: usize, along: usize| {
            (step == 1 || across == 1)
                && (along == 1 || (leading >= across && leading < SANE))
                && stride < SANE
        };
        if fits(by_col, by_row, cols, rows) {
            let leading = if rows == 1 { cols } else { by_row };
            Some(Matrices { transposed: false, leading, stride })
        } else if fits(by_row, by_col, rows, cols) {
            let leading = if cols == 1 { rows } else { by_col };
            Some(Matrices { transposed: true, leading, stride })
        } else {
            None
        }
    }
}

/// Activation applied to a product before it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Activation {
    #[default]
    None,
    Relu,
    /// Approximation of GELU by the hyperbolic tangent.
    Gelu,
}

/// `out = activation(alpha lhs rhs + beta out + bias)`, for batches of matrices; rows of `out` are
/// contiguous.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Product {
    pub dtype: DType,
    pub batch: usize,
    pub rows: usize,
    pub cols: usize,
    pub depth: usize,
    pub lhs: Matrices,
    pub rhs: Matrices,
    pub alpha: f32,
    pub beta: f32,
    pub activation: Activation,
}

impl Product {
    /// Merges the left batch into rows of one matrix, where all share the same right matrix.
    #[must_use]
    pub fn folded(mut self) -> Self {
        if self.batch == 1 || self.rhs.stride != 0 || self.lhs.transposed {
            return self;
        }
        let Product { rows, depth, .. } = self;
        let lhs = &mut self.lhs;
        if rows == 1 && lhs.stride >= depth {
            lhs.leading = lhs.stride;
        } else if lhs.stride != rows * lhs.leading {
            return self;
        }
        lhs.stride = 0;
        self.rows *= self.batch;
        self.batch = 1;
        self
    }
}

/// Location of an operand: a buffer, and an offset in bytes.
#[derive(Clone, Debug)]
pub struct DeviceRange {
    pub handle: Handle,
    pub offset: u64,
}

impl DeviceRange {
    /// Alignment of the address in bytes, up to the largest that algorithms ask for.
    pub(super) fn alignment(&self) -> u32 {
        let offset = self.offset + self.handle.offset_start.unwrap_or(0);
        1 << offset.trailing_zeros().min(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_those_without_copies() {
        let row_major = Matrices { transposed: false, leading: 5, stride: 0 };
        assert_eq!(Matrices::new(3, 5, 5, 1, 0), Some(row_major));
        assert_eq!(Matrices::new(3, 5, 1, 3, 0), Some(Matrices { transposed: true, leading: 3, stride: 0 }));
        // A slice of columns.
        assert_eq!(Matrices::new(3, 5, 8, 1, 0), Some(Matrices { transposed: false, leading: 8, stride: 0 }));
        // Every second column, rows that are repeated, and rows that count backward.
        assert_eq!(Matrices::new(3, 5, 10, 2, 0), None);
        assert_eq!(Matrices::new(3, 5, 0, 1, 0), None);
        assert_eq!(Matrices::new(3, 5, 5_usize.wrapping_neg(), 1, 0), None);
        // One row, one column, with strides that say nothing.
        assert_eq!(Matrices::new(1, 5, 99, 1, 0), Some(row_major));
        assert_eq!(Matrices::new(5, 1, 7, 3, 0), Some(Matrices { transposed: false, leading: 7, stride: 0 }));
    }

    #[test]
    fn a_batch_that_meets_one_matrix_is_one_matrix() {
        let lhs = Matrices { transposed: false, leading: 4, stride: 12 };
        let rhs = Matrices { transposed: true, leading: 4, stride: 0 };
        let (alpha, beta, activation) = (1.0, 0.0, Activation::None);
        let product = Product {
            dtype: DType::F32,
            batch: 7,
            rows: 3,
            cols: 5,
            depth: 4,
            lhs,
            rhs,
            alpha,
            beta,
            activation,
        };
        let folded = product.folded();
        assert_eq!((folded.batch, folded.rows, folded.lhs.stride), (1, 21, 0));
        let apart = Product { lhs: Matrices { stride: 13, ..lhs }, ..product };
        assert_eq!(apart.folded(), apart);
        let single = Product { rows: 1, lhs: Matrices { stride: 13, ..lhs }, ..product };
        assert_eq!((single.folded().rows, single.folded().lhs.leading), (7, 13));
    }
}
