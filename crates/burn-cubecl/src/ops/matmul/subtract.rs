use super::call::MatmulCall;
use super::form::{Form, Units};
use super::matrices::{Matrices, Operand, OperandExpand, View, first_of};
use super::model::{Machine, Sizes};
use super::plain::{Block, block_sums, col_in, row_in, unit_block};
use super::tile::{Along, Tile, col_of, computes, row_of, sum_of, tiled_sums, unit_tile};
use crate::launch::kernel::{A, Body, Kernel, UNITS, launch_cubes};
use crate::launch::strides;
use crate::launch::strides::broadcast;
use crate::launch::tensor::CubeTensor;
use burn_backend::{Dims, HasSpec, Shape};
use cubecl::CubeDim;
use cubecl::prelude::*;

/// A product that is taken from what a view holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Subtract {
    /// Dimensions of the batch.
    batch: usize,
    units: Units,
    along: Along,
    /// Which factors lie in the buffer that is written.
    is_own: [bool; 2],
}

#[cube]
fn subtract_block<E: Numeric>(
    lhs: &Operand<E>,
    rhs: &Operand<E>,
    out: &mut Array<E>,
    target: &View,
    matrices: &Matrices,
    #[comptime] block: Block,
) {
    let place = unit_block(strides::position(), matrices, block);
    if place.which < matrices.batch {
        let sums = block_sums::<E, E>(lhs, rhs, matrices, &place, block);
        let first = first_of(target, place.which, matrices);
        // All loads are under way before the first store, behind which none would start.
        let mut left = Array::<E>::new(comptime!((block.rows * block.cols) as usize));
        #[unroll]
        for is_store in 0..2u32 {
            #[unroll]
            for i in 0..comptime!(block.rows) {
                let row = row_in(&place, i);
                #[unroll]
                for j in 0..comptime!(block.cols) {
                    let (col, at) = (col_in(&place, j), comptime!((i * block.cols + j) as usize));
                    if row < matrices.rows && col < matrices.cols {
                        let to = (first + row * target.by_row + col * target.by_col) as usize;
                        if comptime!(is_store > 0) {
                            out[to] = left[at] - sum_of::<E>(&sums, at);
                        } else {
                            left[at] = out[to];
                        }
                    }
                }
            }
        }
    }
}

#[cube]
fn subtract_tile<E: Numeric>(
    lhs: &Operand<E>,
    rhs: &Operand<E>,
    out: &mut Array<E>,
    target: &View,
    matrices: &Matrices,
    #[comptime] tile: Tile,
    #[comptime] along: Along,
) {
    let part = unit_tile(matrices, tile);
    if part.which < matrices.batch {
        let sums = tiled_sums::<E, E>(lhs, rhs, matrices, &part, tile, along);
        if computes(&part, tile) {
            let first = first_of(target, part.which, matrices);
            let mut left = Array::<E>::new(comptime!((tile.own_rows * tile.own_cols) as usize));
            #[unroll]
            for is_store in 0..2u32 {
                #[unroll]
                for i in 0..comptime!(tile.own_rows) {
                    let row = row_of(&part, i, tile);
                    #[unroll]
                    for j in 0..comptime!(tile.own_cols) {
                        let (col, at) = (col_of(&part, j, tile), comptime!((i * tile.own_cols + j) as usize));
                        if row < matrices.rows && col < matrices.cols {
                            let to = (first + row * target.by_row + col * target.by_col) as usize;
                            if comptime!(is_store > 0) {
                                out[to] = left[at] - sum_of::<E>(&sums, at);
                            } else {
                                left[at] = out[to];
                            }
                        }
                    }
                }
            }
        }
    }
}

impl Kernel for Subtract {
    const NAME: &'static str = "subtract_product";
    // Units check sizes before they load and store, and offsets are those of views.
    const CHECKED: bool = false;

    fn title(&self) -> String {
        format!("{} {}", Self::NAME, Form(self.units))
    }

    fn expand(&self, body: &mut Body) {
        let matrices = Matrices::read(body, self.batch);
        let [left, right, target] = std::array::from_fn(|_| View::read(body, self.batch));
        let others = self.is_own.iter().filter(|&&is_own| !is_own).count();
        let out = body.array::<A>(others);
        let [lhs, rhs] = [0, 1].map(|factor| match self.is_own[factor] {
            true => out.clone(),
            false => body.array::<A>(if self.is_own[0] { 0 } else { factor }),
        });
        let lhs = OperandExpand::<A> { elements: lhs, view: left };
        let rhs = OperandExpand::<A> { elements: rhs, view: right };
        let scope = &mut body.scope;
        match self.units {
            Units::Alone(block) => {
                subtract_block::expand::<A>(scope, lhs, rhs, out, target, matrices, block);
            }
            Units::Together(tile) => {
                subtract_tile::expand::<A>(scope, lhs, rhs, out, target, matrices, tile, self.along);
            }
        }
    }
}

/// A factor, and whether it is another part of the buffer that is written.
#[derive(Clone, Copy, Debug)]
pub struct Factor<'a> {
    pub x: &'a CubeTensor,
    pub is_own: bool,
}

/// `target -= lhs rhs` in place, by a kernel of ours: those of libraries may round factors. The target is a
/// view of a buffer that no other tensor shares.
pub fn subtract_product(target: &CubeTensor, lhs: Factor, rhs: Factor) {
    let shape = target.shape();
    let call = MatmulCall::new(lhs.x, rhs.x, &shape);
    if call.is_empty() || call.depth == 0 {
        return;
    }
    let forms = call.forms();
    let sizes = [call.batch, call.rows, call.cols, call.depth];
    let form = forms[Sizes(sizes).advice(&forms, call.lie(), Machine::of(call.engine()))];
    let outer = &shape[..shape.rank() - 2];
    let mut words: Vec<u32> = strides::words(&sizes).collect();
    words.extend(outer.iter().rev().map(|&size| size as u32));
    let strides_of = |x: &CubeTensor, own: [usize; 2]| -> Dims {
        broadcast(x, &outer.iter().copied().chain(own).collect::<Shape>())
    };
    words.extend(View::words(&strides_of(lhs.x, [call.rows, call.depth]), lhs.x.offset()));
    words.extend(View::words(&strides_of(rhs.x, [call.depth, call.cols]), rhs.x.offset()));
    words.extend(View::words(target.strides(), target.offset()));
    let kernel =
        Subtract { batch: outer.len(), units: form.0, along: call.along(), is_own: [lhs.is_own, rhs.is_own] };
    let inputs: Vec<_> = [lhs, rhs].iter().filter(|factor| !factor.is_own).map(|factor| factor.x).collect();
    launch_cubes(kernel, &inputs, &[target], &words, call.cubes(form), CubeDim::new_1d(UNITS));
}
