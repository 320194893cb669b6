use super::form::{Form, Units};
use super::matrices::{Matrices, MatricesExpand, OperandExpand, View};
use super::plain::{Block, block_sums, col_in, row_in, unit_block};
use super::tile::{Along, Tile, col_of, computes, row_of, sum_of, tiled_sums, unit_tile};
use crate::device::engine::Engine;
use crate::launch::element::computed;
use crate::launch::kernel::{A, Body, D, Kernel, UNITS, launch_cubes};
use crate::launch::strides::{self, broadcast};
use crate::launch::tensor::CubeTensor;
use crate::ops::block::{Own, Reading, Tail};
use burn_backend::*;
use cubecl::CubeDim;
use cubecl::ir::Scope;
use cubecl::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Product {
    /// Dimensions of the batch.
    batch: usize,
    units: Units,
    along: Along,
    tail: Tail,
}

impl Kernel for Product {
    const NAME: &'static str = "matmul";
    // Units check sizes before they load and store, and offsets are those of views.
    const CHECKED: bool = false;

    fn title(&self) -> String {
        format!("{} {}{}", Self::NAME, Form(self.units), self.tail)
    }

    fn expand(&self, body: &mut Body) {
        let matrices = Matrices::read(body, self.batch);
        let operands =
            [0, 1].map(|at| OperandExpand { elements: body.array(at), view: View::read(body, self.batch) });
        let tail = self.tail.read(body, self.batch, 2);
        // Type of the accumulators.
        body.scope.register_type::<D>(computed(body.dtype(0)));
        let factors = Factors(operands);
        match self.units {
            Units::Alone(block) => factors.alone(&mut body.scope, &matrices, &tail, block),
            Units::Together(tile) => {
                factors.together(&mut body.scope, &matrices, &tail, tile, self.along);
            }
        }
    }
}

/// The factors of a product, in the kernel.
struct Factors([OperandExpand<A>; 2]);

impl Factors {
    /// Each unit computes a block.
    fn alone(self, scope: &mut Scope, matrices: &MatricesExpand, tail: &Reading, block: Block) {
        let at = strides::position::expand(scope);
        let place = unit_block::expand(scope, at, matrices.clone(), block);
        let inside = strides::is_below::expand(scope, place.which.clone(), matrices.batch.clone());
        branch::if_expand(scope, inside, |scope| {
            let [lhs, rhs] = self.0;
            let sums = block_sums::expand::<A, D>(scope, lhs, rhs, matrices.clone(), place.clone(), block);
            let rows = (0..block.rows).map(|at| row_in::expand(scope, place.clone(), at)).collect();
            let cols = (0..block.cols).map(|at| col_in::expand(scope, place.clone(), at)).collect();
            let is_whole = block.rows * block.cols == 1;
            let own = Own { which: place.which.clone(), rows, cols, is_whole };
            let sum = |scope: &mut Scope, row, col| {
                sum_of::expand::<D>(scope, sums.clone(), row * block.cols as usize + col)
            };
            tail.write(scope, matrices, &own, &[sum]);
        });
    }

    /// The units of a cube compute a tile.
    fn together(
        self,
        scope: &mut Scope,
        matrices: &MatricesExpand,
        tail: &Reading,
        tile: Tile,
        along: Along,
    ) {
        let part = unit_tile::expand(scope, matrices.clone(), tile);
        let inside = strides::is_below::expand(scope, part.which.clone(), matrices.batch.clone());
        branch::if_expand(scope, inside, |scope| {
            let [lhs, rhs] = self.0;
            let sums =
                tiled_sums::expand::<A, D>(scope, lhs, rhs, matrices.clone(), part.clone(), tile, along);
            let computes = computes::expand(scope, part.clone(), tile);
            branch::if_expand(scope, computes, |scope| {
                let row = |at| row_of::expand(scope, part.clone(), at, tile);
                let rows = (0..tile.own_rows).map(row).collect();
                let col = |at| col_of::expand(scope, part.clone(), at, tile);
                let cols = (0..tile.own_cols).map(col).collect();
                let own = Own { which: part.which.clone(), rows, cols, is_whole: false };
                let sum = |scope: &mut Scope, row, col| {
                    sum_of::expand::<D>(scope, sums.clone(), row * tile.own_cols as usize + col)
                };
                tail.write(scope, matrices, &own, &[sum]);
            });
        });
    }
}

/// Memory layout of the matrices of an operand.
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
pub struct MatmulCall<'a> {
    lhs: &'a CubeTensor,
    rhs: &'a CubeTensor,
    /// Shape of the batch.
    outer: Shape,
    pub batch: usize,
    pub rows: usize,
    pub cols: usize,
    pub depth: usize,
    /// Strides of both operands, repeated to the batch.
    left: Dims,
    right: Dims,
}

impl<'a> MatmulCall<'a> {
    /// A product of this shape.
    pub fn new(lhs: &'a CubeTensor, rhs: &'a CubeTensor, shape: &Shape) -> Self {
        let rank = shape.rank();
        let (rows, cols) = (shape[rank - 2], shape[rank - 1]);
        let depth = *lhs.spec().shape.last().expect("a matrix");
        let outer: Shape = shape[..rank - 2].iter().copied().collect();
        let strides_of = |x: &CubeTensor, own: [usize; 2]| {
            let wide = outer.iter().copied().chain(own).collect();
            broadcast(x, &wide)
        };
        let (left, right) = (strides_of(lhs, [rows, depth]), strides_of(rhs, [depth, cols]));
        let batch = outer.num_elements();
        MatmulCall { lhs, rhs, outer, batch, rows, cols, depth, left, right }
    }

    pub fn dtype(&self) -> DType {
        self.lhs.dtype()
    }

    pub fn engine(&self) -> &'static dyn Engine {
        self.lhs.engine()
    }

    pub fn is_empty(&self) -> bool {
        self.batch * self.rows * self.cols == 0
    }

    /// Strides of rows and columns of the left and of the right matrices.
    fn inner_strides(&self) -> [usize; 4] {
        let rank = self.left.len();
        [self.left[rank - 2], self.left[rank - 1], self.right[rank - 2], self.right[rank - 1]]
    }

    /// Returns the memory layouts of the left and the right matrices.
    pub fn lie(&self) -> [Lie; 2] {
        let [left_row, left_col, right_row, right_col] = self.inner_strides();
        [Lie::of(left_row, left_col), Lie::of(right_row, right_col)]
    }

    /// Along what a tile is loaded.
    pub(super) fn along(&self) -> Along {
        let [left, right] = self.lie();
        Along { left_inner: left != Lie::Columns, right_inner: right == Lie::Columns }
    }

    /// How many cubes a kernel takes.
    pub(super) fn cubes(&self, form: Form) -> usize {
        let MatmulCall { batch, rows, cols, .. } = *self;
        let parts =
            |[down, across]: [u32; 2]| batch * rows.div_ceil(down as usize) * cols.div_ceil(across as usize);
        match form.0 {
            Units::Alone(block) => parts([block.rows, block.cols]).div_ceil(UNITS as usize),
            Units::Together(tile) => parts([tile.rows, tile.cols]),
        }
    }

    /// Returns the kernels that fit the product.
    pub fn forms(&self) -> Vec<Form> {
        let bytes = computed(self.dtype()).size();
        let shared = self.engine().hardware().max_shared_memory_size;
        let fits = |form: &Form| form.fits(self.rows, self.cols, bytes, shared);
        Form::all().iter().copied().filter(fits).collect()
    }

    /// Launches the kernel, which writes the outputs of the epilogue.
    pub fn launch(&self, form: Form, epilogue: EpilogueArgs) {
        let MatmulCall { batch, rows, cols, depth, .. } = *self;
        let mut words: Vec<u32> = strides::words(&[batch, rows, cols, depth]).collect();
        words.extend(self.outer.iter().rev().map(|&size| size as u32));
        for (x, strides) in [(self.lhs, &self.left), (self.rhs, &self.right)] {
            words.extend(View::words(strides, x.offset()));
        }
        words.extend(epilogue.words);
        let (units, along) = (form.0, self.along());
        let kernel = Product { batch: self.outer.rank(), units, along, tail: epilogue.tail };
        let inputs: Vec<&CubeTensor> = [self.lhs, self.rhs].iter().chain(epilogue.inputs).copied().collect();
        launch_cubes(kernel, &inputs, epilogue.outputs, &words, self.cubes(form), CubeDim::new_1d(UNITS));
    }
}

/// Epilogue of a product, with its operands.
pub struct EpilogueArgs<'a> {
    pub tail: Tail,
    pub inputs: &'a [&'a CubeTensor],
    /// Contiguous and of the shape of the product.
    pub outputs: &'a [&'a CubeTensor],
    pub words: Vec<u32>,
}

impl<'a> EpilogueArgs<'a> {
    /// The product is the result.
    pub fn none(outputs: &'a [&'a CubeTensor; 1]) -> Self {
        EpilogueArgs { tail: Tail::none(), inputs: &[], outputs, words: Vec::new() }
    }
}
