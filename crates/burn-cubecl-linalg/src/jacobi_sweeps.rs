//! Sweeps of Jacobi rotations over a batch of matrices: the launches, and what pairs of blocks have in
//! common, for rows and for symmetric matrices.

use crate::block_jacobi::{Block, RoundRotations, Shared, most_seen};
use crate::jacobi::{Pair, deferral_after, nothing_seen, pair_at, seen_before, sweeps, tournament};
use crate::working::sizes;
use burn_backend::{DType, HasSpec};
use burn_cubecl::CubeTensor;
use burn_cubecl::kernels::{Body, Kernel, LaunchWords, launch_cubes, launch_words, word};
use cubecl::ir::ManagedVariable;
use cubecl::prelude::*;

launch_words! {
    /// Matrices of `size` rows, and the round of a sweep over them.
    pub struct SweepWords {
        pub batch: u32,
        pub size: u32,
        /// Columns that are rotated towards a diagonal; `size` others follow.
        pub long: u32,
        pub round: u32,
        pub sweep: u32,
        pub sweeps: u32,
    }
}

/// Results of the block pairs of a round.
#[derive(CubeType)]
pub struct RoundArrays<E: Float> {
    /// Rotations less the identity, and whether there were any, by block pair.
    pub changes: Array<E>,
    pub is_changed: Array<u32>,
    /// Largest off-diagonal element by matrix, sweep and block pair of a round.
    pub seen: Array<E>,
}

impl<E: Float> RoundArrays<E> {
    /// The last three arrays of a kernel, the first of which has number `at`.
    pub fn of(body: &Body, at: usize) -> RoundArraysExpand<E> {
        let [changes, is_changed, seen]: [ManagedVariable; 3] = [0, 1, 2].map(|k| body.variable(at + k));
        RoundArraysExpand { changes: changes.into(), is_changed: is_changed.into(), seen: seen.into() }
    }
}

/// Two blocks of rows of a matrix that a cube rotates.
#[derive(CubeType, Clone)]
pub struct BlockPair<E: Float> {
    /// Index of the pair among all, its matrix, and the number of pairs of a matrix.
    pub cube: u32,
    pub matrix: u32,
    pub pairs: u32,
    pub pair: Pair,
    /// Whether the previous sweep left something to rotate.
    pub is_active: bool,
    /// As [`deferral_after`] returns it; 0 in the first sweep, in which nothing is known.
    pub deferral: E,
}

#[cube]
pub fn block_pair<E: Float>(
    seen: &Array<E>,
    words: &SweepWords,
    cube: u32,
    matrix: u32,
    pairs: u32,
) -> BlockPair<E> {
    let pair = pair_at(cube % pairs, words.round, pairs);
    let before = seen_before::<E>(seen, matrix, words.sweep, words.sweeps, pairs);
    let is_active = before > E::new(0.0);
    let deferral = select(words.sweep > 0u32, deferral_after::<E>(before), E::new(0.0));
    BlockPair::<E> { cube, matrix, pairs, pair, is_active, deferral }
}

/// Records whether the pair rotated something, and its largest off-diagonal element.
#[cube]
pub fn end_block_pair<E: Float>(
    round: &mut RoundArrays<E>,
    shared: &Shared<E>,
    block_pair: &BlockPair<E>,
    is_turned: bool,
    words: &SweepWords,
    #[comptime] block: Block,
) {
    if UNIT_POS == 0u32 {
        round.is_changed[block_pair.cube as usize] = select(is_turned, 1u32, 0u32);
        let first = (block_pair.matrix * words.sweeps + words.sweep) * block_pair.pairs;
        let at = (first + block_pair.cube % block_pair.pairs) as usize;
        let most = most_seen::<E>(shared, block);
        round.seen[at] = select(most > round.seen[at], most, round.seen[at]);
    }
}

/// Matrices `x` to rotate: columns from `long` on follow the others.
#[derive(Clone, Copy, Debug)]
pub struct Sweeps<'a> {
    pub x: &'a CubeTensor,
    /// A number of each matrix that elements are compared with.
    pub scale: &'a CubeTensor,
    pub long: usize,
}

/// Kernels of a kind of matrices.
#[derive(Debug)]
pub struct SweepKernels<Rotate, Apply> {
    /// A round of block pairs, a cube for each.
    pub rotate: Rotate,
    /// Whether it writes the matrix as well.
    pub rotates_in_place: bool,
    /// The rotations of a round, applied to the matrix.
    pub apply: Apply,
}

impl Sweeps<'_> {
    /// How rows are divided, and whether elements are `f64`.
    pub fn block(&self) -> (Block, bool) {
        let ([_, size, _], dtype) = (sizes(self.x), self.x.dtype());
        (Block::of(size, dtype, self.x.engine()), dtype == DType::F64)
    }

    fn words(&self, round: usize, sweep: usize) -> Vec<u32> {
        let [batch, size, _] = sizes(self.x);
        SweepWords {
            batch: word(batch),
            size: word(size),
            long: word(self.long),
            round: word(round),
            sweep: word(sweep),
            sweeps: word(sweeps(self.x.dtype())),
        }
        .words()
    }

    /// Rotates matrices whose rows fit into one pair of blocks, in place: a cube for each.
    pub fn run_at_once<All: Kernel>(self, all: All) {
        let ([batch, ..], (block, _)) = (sizes(self.x), self.block());
        launch_cubes(all, &[self.scale], &[self.x], &self.words(0, 0), batch, block.units());
    }

    /// Rotates the matrices in place. The number of cubes that apply a round to one matrix depends on its
    /// pairs of blocks.
    pub fn run<Rotate: Kernel, Apply: Kernel>(
        self,
        kernels: SweepKernels<Rotate, Apply>,
        apply_cubes: impl Fn(usize) -> usize,
    ) {
        let Sweeps { x, scale, .. } = self;
        let SweepKernels { rotate, rotates_in_place, apply } = kernels;
        let ([batch, size, _], (block, _)) = (sizes(x), self.block());
        let pairs = block.pairs(size);
        let seen = nothing_seen(x, batch, pairs);
        let RoundRotations { changes, changed } = RoundRotations::of(x, batch, pairs, block);
        let all = [x, scale, &changes, &changed, &seen];
        let in_place = [scale, x, &changes, &changed, &seen];
        let (read, written) = if rotates_in_place { in_place.split_at(1) } else { all.split_at(2) };
        tournament(pairs, x.dtype(), |sweep, round| {
            let words = self.words(round, sweep);
            launch_cubes(rotate.clone(), read, written, &words, batch * pairs, block.units());
            let cubes = batch * apply_cubes(pairs);
            launch_cubes(apply.clone(), &[&changes, &changed], &[x], &words, cubes, block.units());
        });
    }
}
