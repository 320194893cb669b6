use crate::element::computed;
use crate::kernel::{A, Body, D, Kernel, launch, launch_cubes};
use crate::layout::contiguous;
use crate::library::{Answer, Epilogue};
use crate::strides::{self, broadcast};
use crate::tensor::CubeTensor;
use burn_backend::*;
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Rows and columns that a cube computes.
const TILE: usize = 64;
/// Of the inner dimension, at a time.
const DEPTH: usize = 16;
/// Units of a cube, along each side of the tile.
const SIDE: usize = 16;
/// Rows and columns of a unit.
const OWN: usize = TILE / SIDE;

/// Where the matrices of a batch are: sizes of the batch, the innermost first, and strides of both operands.
#[cube]
#[allow(clippy::too_many_arguments)]
fn product<E: Numeric, S: Numeric>(
    lhs: &Array<E>,
    rhs: &Array<E>,
    out: &mut Array<E>,
    batch: u32,
    rows: u32,
    cols: u32,
    depth: u32,
    sides: &Sequence<u32>,
    sizes: &Sequence<u32>,
    left: &Sequence<u32>,
    right: &Sequence<u32>,
) {
    let at = strides::position();
    if at < batch * rows * cols {
        let col = at % cols;
        let row = (at / cols) % rows;
        let which = at / (cols * rows);
        let mut from = strides::place(which, sizes, left, *sides.index(0usize)) + row * *sides.index(2usize);
        let mut to = strides::place(which, sizes, right, *sides.index(1usize)) + col * *sides.index(5usize);
        let mut sum = S::from_int(0);
        for _ in 0..depth {
            sum += S::cast_from(lhs[from as usize]) * S::cast_from(rhs[to as usize]);
            from += *sides.index(3usize);
            to += *sides.index(4usize);
        }
        out[at as usize] = E::cast_from(sum);
    }
}

/// As [`product`]; the units of a cube bring a tile of both operands to shared memory and each compute a square of it.
#[cube]
#[allow(clippy::too_many_arguments)]
fn tiled_product<E: Numeric, S: Numeric>(
    lhs: &Array<E>,
    rhs: &Array<E>,
    out: &mut Array<E>,
    batch: u32,
    rows: u32,
    cols: u32,
    depth: u32,
    sides: &Sequence<u32>,
    sizes: &Sequence<u32>,
    left: &Sequence<u32>,
    right: &Sequence<u32>,
) {
    let tiles_down = (rows + 63u32) / 64u32;
    let tiles_across = (cols + 63u32) / 64u32;
    let cube = CUBE_POS as u32;
    let which = cube / (tiles_down * tiles_across);
    if which < batch {
        let top = (cube / tiles_across) % tiles_down * 64u32;
        let side = cube % tiles_across * 64u32;
        let unit = UNIT_POS;
        let (x, y) = (unit % 16u32, unit / 16u32);
        let from = strides::place(which, sizes, left, *sides.index(0usize));
        let to = strides::place(which, sizes, right, *sides.index(1usize));
        let mut a = SharedMemory::<S>::new(1024usize);
        let mut b = SharedMemory::<S>::new(1024usize);
        let mut sums = Array::<S>::new(16usize);
        #[unroll]
        for k in 0..16 {
            sums[k] = S::from_int(0);
        }
        let steps = (depth + 15u32) / 16u32;
        for step in 0..steps {
            let start = step * 16u32;
            #[unroll]
            for part in 0..4u32 {
                let k = unit + part * 256u32;
                // 64 rows of 16 of the left operand, 16 rows of 64 of the right one.
                let (r, d) = (k / 16u32, k % 16u32);
                let mut value = S::from_int(0);
                if top + r < rows && start + d < depth {
                    let place = from + (top + r) * *sides.index(2usize) + (start + d) * *sides.index(3usize);
                    value = S::cast_from(lhs[place as usize]);
                }
                a[(d * 64u32 + r) as usize] = value;
                let (e, c) = (k / 64u32, k % 64u32);
                let mut other = S::from_int(0);
                if side + c < cols && start + e < depth {
                    let place = to + (start + e) * *sides.index(4usize) + (side + c) * *sides.index(5usize);
                    other = S::cast_from(rhs[place as usize]);
                }
                b[(e * 64u32 + c) as usize] = other;
            }
            sync_cube();
            for d in 0..16u32 {
                #[unroll]
                for i in 0..4u32 {
                    let factor = a[(d * 64u32 + y + i * 16u32) as usize];
                    #[unroll]
                    for j in 0..4u32 {
                        let at = comptime!((i * 4 + j) as usize);
                        sums[at] += factor * b[(d * 64u32 + x + j * 16u32) as usize];
                    }
                }
            }
            sync_cube();
        }
        #[unroll]
        for i in 0..4u32 {
            #[unroll]
            for j in 0..4u32 {
                let row = top + y + i * 16u32;
                let col = side + x + j * 16u32;
                if row < rows && col < cols {
                    let at = comptime!((i * 4 + j) as usize);
                    out[((which * rows + row) * cols + col) as usize] = E::cast_from(sums[at]);
                }
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Product {
    batch: usize,
    tiled: bool,
}

impl Kernel for Product {
    const NAME: &'static str = "matmul";

    fn expand(&self, body: &mut Body) {
        let (lhs, rhs, out) = (body.array(0), body.array(1), body.array(2));
        let [batch, rows, cols, depth] = [0, 1, 2, 3].map(|at| body.word(at));
        let sides = body.words(4, 6);
        let [sizes, left, right] = [0, 1, 2].map(|k| body.words(10 + k * self.batch, self.batch));
        // What sums are made with.
        body.scope.register_type::<D>(computed(body.dtype(0)));
        let kernel = if self.tiled { tiled_product::expand::<A, D> } else { product::expand::<A, D> };
        kernel(&mut body.scope, lhs, rhs, out, batch, rows, cols, depth, sides, sizes, left, right);
    }
}

/// Whether the device's own library computes it.
fn by_library(lhs: &CubeTensor, rhs: &CubeTensor, out: &CubeTensor, epilogue: Epilogue) -> bool {
    let Some(library) = out.engine().library() else { return false };
    match library.product(lhs, rhs, out, epilogue) {
        Answer::Done => true,
        Answer::No | Answer::Failed(_) => false,
        Answer::IfContiguous => {
            let (lhs, rhs) = (contiguous(lhs.clone()), contiguous(rhs.clone()));
            library.product(&lhs, &rhs, out, epilogue) == Answer::Done
        }
    }
}

/// Memory for the product.
fn room(lhs: &CubeTensor, rhs: &CubeTensor) -> CubeTensor {
    let spec = output_specs(&Operation::Matmul { lhs, rhs }).unwrap_or_else(|error| panic!("{error}")).one();
    CubeTensor::empty(spec, lhs.engine())
}

/// The product with what is done to it, where the device's own library offers that.
pub fn with_epilogue(lhs: &CubeTensor, rhs: &CubeTensor, epilogue: Epilogue) -> Option<CubeTensor> {
    let out = room(lhs, rhs);
    by_library(lhs, rhs, &out, epilogue).then_some(out)
}

pub fn matmul(lhs: &CubeTensor, rhs: &CubeTensor) -> CubeTensor {
    let out = room(lhs, rhs);
    if by_library(lhs, rhs, &out, Epilogue::default()) {
        return out;
    }
    let rank = out.spec().shape.rank();
    let (rows, cols) = (out.spec().shape[rank - 2], out.spec().shape[rank - 1]);
    let depth = *lhs.spec().shape.last().expect("a matrix");
    let shape = out.shape();
    let matrices: Shape = shape[..rank - 2].iter().copied().collect();
    let strides_of = |x: &CubeTensor, own: [usize; 2]| {
        let wide = matrices.iter().copied().chain(own).collect();
        broadcast(x, &wide)
    };
    let (left, right) = (strides_of(lhs, [rows, depth]), strides_of(rhs, [depth, cols]));
    let batch = matrices.num_elements();
    let sides =
        [lhs.offset(), rhs.offset(), left[rank - 2], left[rank - 1], right[rank - 2], right[rank - 1]];
    let mut words: Vec<u32> =
        strides::words(&[batch, rows, cols, depth]).chain(strides::words(&sides)).collect();
    for list in [&matrices.dims, &left, &right] {
        words.extend(list[..rank - 2].iter().rev().map(|&number| number as u32));
    }
    let tiled = rows.min(cols) >= 32 && depth >= 16;
    let kernel = Product { batch: rank - 2, tiled };
    let count = shape.num_elements();
    if tiled && count > 0 {
        let cubes = batch * rows.div_ceil(TILE) * cols.div_ceil(TILE);
        const { assert!(OWN == 4 && DEPTH == 16) };
        launch_cubes(kernel, &[lhs, rhs], &[&out], &words, cubes, CubeDim::new_1d((SIDE * SIDE) as u32));
    } else {
        launch(kernel, &[lhs, rhs], &[&out], &words, count);
    }
    out
}
