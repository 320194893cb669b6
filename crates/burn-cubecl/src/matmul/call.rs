use super::form::Form;
use super::plain::plain_product;
use super::tile::{Along, Tile, tiled_product};
use crate::element::computed;
use crate::kernel::{A, Body, D, Kernel, UNITS, launch, launch_cubes};
use crate::strides::{self, broadcast};
use crate::tensor::CubeTensor;
use burn_backend::*;
use cubecl::CubeDim;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Product {
    /// Dimensions of the batch.
    batch: usize,
    tile: Option<(Tile, Along)>,
}

impl Kernel for Product {
    const NAME: &'static str = "matmul";
    // Units look at sizes before they load and store, and places are those of views.
    const CHECKED: bool = false;

    fn title(&self) -> String {
        format!("{} {}", Self::NAME, Form(self.tile.map(|(tile, _)| tile)))
    }

    fn expand(&self, body: &mut Body) {
        let (lhs, rhs, out) = (body.array(0), body.array(1), body.array(2));
        let [batch, rows, cols, depth] = [0, 1, 2, 3].map(|at| body.word(at));
        let sides = body.words(4, 6);
        let [sizes, left, right] = [0, 1, 2].map(|k| body.words(10 + k * self.batch, self.batch));
        // What sums are made with.
        body.scope.register_type::<D>(computed(body.dtype(0)));
        let scope = &mut body.scope;
        match self.tile {
            None => plain_product::expand::<A, D>(
                scope, lhs, rhs, out, batch, rows, cols, depth, sides, sizes, left, right,
            ),
            Some((tile, along)) => tiled_product::expand::<A, D>(
                scope, lhs, rhs, out, batch, rows, cols, depth, sides, sizes, left, right, tile, along,
            ),
        }
    }
}

/// How the matrices of an operand lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    Rows,
    Columns,
    Apart,
}

impl Lie {
    fn of(by_row: usize, by_col: usize) -> Self {
        match (by_row, by_col) {
            (_, 1) => Lie::Rows,
            (1, _) => Lie::Columns,
            _ => Lie::Apart,
        }
    }
}

/// A product of batches of matrices that our kernels compute.
#[derive(Debug)]
pub struct Call<'a> {
    lhs: &'a CubeTensor,
    rhs: &'a CubeTensor,
    pub out: &'a CubeTensor,
    matrices: Shape,
    pub batch: usize,
    pub rows: usize,
    pub cols: usize,
    pub depth: usize,
    /// Strides of both operands, repeated to the batch.
    left: Dims,
    right: Dims,
}

impl<'a> Call<'a> {
    /// `out` is contiguous and of the shape of the product.
    pub fn new(lhs: &'a CubeTensor, rhs: &'a CubeTensor, out: &'a CubeTensor) -> Self {
        let shape = &out.spec().shape;
        let rank = shape.rank();
        let (rows, cols) = (shape[rank - 2], shape[rank - 1]);
        let depth = *lhs.spec().shape.last().expect("a matrix");
        let matrices: Shape = shape[..rank - 2].iter().copied().collect();
        let strides_of = |x: &CubeTensor, own: [usize; 2]| {
            let wide = matrices.iter().copied().chain(own).collect();
            broadcast(x, &wide)
        };
        let (left, right) = (strides_of(lhs, [rows, depth]), strides_of(rhs, [depth, cols]));
        let batch = matrices.num_elements();
        Call { lhs, rhs, out, matrices, batch, rows, cols, depth, left, right }
    }

    pub fn is_empty(&self) -> bool {
        self.batch * self.rows * self.cols == 0
    }

    /// Strides of rows and columns of the left and of the right matrices.
    fn inner_strides(&self) -> [usize; 4] {
        let rank = self.left.len();
        [self.left[rank - 2], self.left[rank - 1], self.right[rank - 2], self.right[rank - 1]]
    }

    /// How the left and the right matrices lie.
    pub fn lie(&self) -> [Lie; 2] {
        let [left_row, left_col, right_row, right_col] = self.inner_strides();
        [Lie::of(left_row, left_col), Lie::of(right_row, right_col)]
    }

    /// The kernels that are for it.
    pub fn forms(&self) -> Vec<Form> {
        let bytes = computed(self.out.dtype()).size();
        let shared = self.out.engine().hardware().max_shared_memory_size;
        let fits = |form: &Form| form.fits(self.rows, self.cols, bytes, shared);
        Form::all().iter().copied().filter(fits).collect()
    }

    pub fn launch(&self, form: Form) {
        let Call { lhs, rhs, out, batch, rows, cols, depth, .. } = *self;
        let [left_row, left_col, right_row, right_col] = self.inner_strides();
        let sides = [lhs.offset(), rhs.offset(), left_row, left_col, right_row, right_col];
        let mut words: Vec<u32> =
            strides::words(&[batch, rows, cols, depth]).chain(strides::words(&sides)).collect();
        let outer = self.matrices.rank();
        for list in [&self.matrices.dims, &self.left, &self.right] {
            words.extend(list[..outer].iter().rev().map(|&number| number as u32));
        }
        let along =
            Along { left_inner: self.lie()[0] != Lie::Columns, right_inner: self.lie()[1] == Lie::Columns };
        let kernel = Product { batch: outer, tile: form.0.map(|tile| (tile, along)) };
        let operands = [lhs, rhs];
        match form.0 {
            None => launch(kernel, &operands, &[out], &words, batch * rows * cols),
            Some(tile) => {
                let (down, across) = (rows.div_ceil(tile.rows as usize), cols.div_ceil(tile.cols as usize));
                launch_cubes(
                    kernel,
                    &operands,
                    &[out],
                    &words,
                    batch * down * across,
                    CubeDim::new_1d(UNITS),
                );
            }
        }
    }
}
