/// A matrix somewhere in memory.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<P> {
    pub start: P,
    /// Elements from one row to the next.
    pub row_step: isize,
    pub col_step: isize,
}

impl<P> Matrix<P> {
    pub fn new(start: P, row_step: usize, col_step: usize) -> Self {
        Matrix { start, row_step: row_step as isize, col_step: col_step as isize }
    }
}

impl<P: Copy> Matrix<P> {
    /// Transposes the matrix.
    pub fn turned(self) -> Self {
        Matrix { start: self.start, row_step: self.col_step, col_step: self.row_step }
    }
}

/// Rows of the result, columns of the result, and the dimension between.
pub type Sizes = (usize, usize, usize);
