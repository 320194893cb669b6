//! The kernel of a block that folds rows: the units of a team have a row, or go along it, and fold it
//! together.

use super::passes::Passes;
use super::program::{ProgramStep, ScalarWords, read_scalars};
use super::row_access::Access;
use super::row_cache::RowCache;
use super::step::Steps;
use super::value::KernelValue;
use crate::device::arithmetic::Abilities;
use crate::launch::element::storage;
use crate::launch::kernel::{Body, Kernel, UNITS};
use crate::launch::row_groups::{self, Team, lane, together};
use crate::launch::strides;
use crate::launch::words::launch_words;
use crate::ops::accumulate::{Join, Partial, join, partial};
use crate::ops::math::infinity;
use burn_backend::*;
use cubecl::ir::ManagedVariable;
use cubecl::prelude::*;
use std::collections::HashMap;

launch_words! {
    pub struct RowCounts {
        /// Rows.
        pub count: u32,
        /// Vectors and elements of a row.
        pub vectors: u32,
        pub terms: u32,
        /// Turns in which a team goes along a row.
        pub turns: u32,
    }
}

/// A program with folds as it is compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RowKernel {
    pub steps: Vec<ProgramStep>,
    pub accesses: Vec<Access>,
    /// Registers, and whether all elements are wanted of them or one of each row.
    pub outputs: Vec<(Register, bool)>,
    /// Dimensions of the rows among each other, and of a row.
    pub ranks: [usize; 2],
    pub scalars: usize,
    pub team: Team,
    pub width: usize,
    /// Vectors of a unit at a time.
    pub each: usize,
    /// Whether units keep their part of the row; otherwise they go along it in each pass.
    pub kept: bool,
    /// Whether there are so few rows that the kernel takes as long as its loads take one after the other.
    pub are_few: bool,
    /// Whether every unit has as many elements as it is written for.
    pub exact: bool,
    /// By input, the vectors of shared memory for its row, 0 if passes load it from the device's memory.
    pub cached: Vec<usize>,
    pub abilities: Abilities,
}

#[cube]
fn last_of(count: u32) -> u32 {
    count - 1u32
}

#[cube]
fn at_most(x: u32, last: u32) -> u32 {
    select(x < last, x, last)
}

#[cube]
fn later(x: u32, by: u32) -> u32 {
    x + by
}

#[cube]
fn scaled(x: u32, #[comptime] by: u32) -> u32 {
    x * by
}

#[cube]
fn both(x: bool, y: bool) -> bool {
    x && y
}

#[cube]
fn neutral<T: Numeric>(#[comptime] how: Join) -> T {
    T::from_int(comptime!(how.neutral()))
}

/// Returns the initial value of a fold of floats.
#[cube]
fn first<T: Numeric>(#[comptime] how: Join, #[comptime] is_largest: bool) -> T {
    if comptime!(!how.is_idempotent()) {
        T::from_int(comptime!(how.neutral()))
    } else if comptime!(is_largest) {
        T::cast_from(-infinity())
    } else {
        T::cast_from(infinity())
    }
}

#[cube]
fn divided<T: Numeric>(x: T, count: u32) -> T {
    x / T::cast_from(count)
}

#[cube]
fn shared<T: Numeric>() -> SharedMemory<T> {
    SharedMemory::<T>::new(comptime!(UNITS as usize))
}

/// Words and offsets of a launch, in the kernel.
struct Frame<'a> {
    kernel: &'a RowKernel,
    passes: Passes,
    /// Inputs first.
    arrays: Vec<(ManagedVariable, DType)>,
    scalars: Vec<ScalarWords>,
    /// By input, of its first element in the row, and how it goes on.
    starts: Vec<NativeExpand<u32>>,
    along: Vec<Option<SequenceExpand<u32>>>,
    sizes: SequenceExpand<u32>,
    lane: NativeExpand<u32>,
    row: NativeExpand<u32>,
    inside: NativeExpand<bool>,
    /// Vectors and elements of a row.
    vectors: NativeExpand<u32>,
    terms: NativeExpand<u32>,
    /// By register, what is the same in all of the row and known by now.
    rows: Vec<Option<KernelValue>>,
    shared: HashMap<DType, ManagedVariable>,
    /// By input.
    caches: Vec<Option<RowCache>>,
}

/// One vector of a row.
struct Piece {
    /// Its number, which is that of the last one where there are no more.
    at: NativeExpand<u32>,
    /// Whether there is one.
    inside: NativeExpand<bool>,
    /// By register, what was computed of it.
    values: Vec<Option<Vec<KernelValue>>>,
}

impl Frame<'_> {
    /// The vectors of this unit from its first one after `start`.
    fn pieces(&self, steps: &mut Steps, start: Option<NativeExpand<u32>>) -> Vec<Piece> {
        let last = last_of::expand(steps.scope, self.vectors.clone());
        let own = match start {
            Some(start) => later::expand(steps.scope, self.lane.clone(), start),
            None => self.lane.clone(),
        };
        let piece = |k: usize| {
            let at = later::expand(steps.scope, own.clone(), (k as u32 * self.kernel.team.size).into());
            let inside = strides::is_below::expand(steps.scope, at.clone(), self.vectors.clone());
            let at = if self.kernel.exact { at } else { at_most::expand(steps.scope, at, last.clone()) };
            Piece { at, inside, values: vec![None; self.passes.varies.len()] }
        };
        (0..self.kernel.each).map(piece).collect()
    }

    fn inputs(&self) -> usize {
        self.kernel.accesses.len()
    }

    /// Computes these registers of the pieces, and what they need.
    fn compute(&self, steps: &mut Steps, pieces: &mut [Piece], wanted: impl Iterator<Item = usize>) {
        let inputs = self.inputs();
        let is_missing = |r: usize| self.passes.varies[r] && pieces[0].values[r].is_none();
        let mut needed = vec![false; self.passes.varies.len()];
        wanted.for_each(|r| needed[r] = is_missing(r));
        for (at, step) in self.kernel.steps.iter().enumerate().rev() {
            if needed[inputs + at] {
                step.operands().filter(|&r| is_missing(r)).for_each(|r| needed[r] = true);
            }
        }
        for r in (0..inputs).filter(|&r| needed[r]) {
            self.load(steps, pieces, r);
        }
        for piece in &mut *pieces {
            for (at, step) in self.kernel.steps.iter().enumerate().filter(|(at, _)| needed[inputs + at]) {
                let each = (0..self.kernel.width)
                    .map(|k| step.write(steps, &self.scalars, |r| self.value(piece, usize::from(r), k)));
                let result = each.collect();
                piece.values[inputs + at] = Some(result);
            }
        }
    }

    /// Loads an input of the pieces: from shared memory, if an earlier pass has left it there.
    fn load(&self, steps: &mut Steps, pieces: &mut [Piece], r: usize) {
        let (array, dtype) = &self.arrays[r];
        let width = self.kernel.accesses[r].width(self.kernel.width);
        let cache = self.caches[r].as_ref();
        if let Some(cache) = cache.filter(|cache| cache.is_written.get()) {
            for piece in pieces {
                piece.values[r] = Some(steps.load_vector(&cache.memory, *dtype, piece.at.clone(), width));
            }
            return;
        }
        for piece in &mut *pieces {
            let index = match &self.along[r] {
                Some(along) => strides::place::expand(
                    steps.scope,
                    piece.at.clone(),
                    self.sizes.clone(),
                    along.clone(),
                    self.starts[r].clone(),
                ),
                None => self.starts[r].clone(),
            };
            piece.values[r] = Some(steps.load_vector(array, *dtype, index, width));
        }
        let Some(cache) = cache else { return };
        for piece in pieces {
            let list = piece.values[r].clone().expect("is loaded");
            let place = piece.at.clone();
            steps.when(piece.inside.clone(), |steps| steps.store_vector(&cache.memory, place, &list));
        }
        cache.is_written.set(true);
    }

    /// Element `k` of a register of a piece.
    fn value<'a>(&'a self, piece: &'a Piece, r: usize, k: usize) -> &'a KernelValue {
        let list = piece.values[r].as_ref().map(|list| &list[k % list.len()]);
        list.or(self.rows[r].as_ref()).expect("operands come before results")
    }

    /// The elements of the pieces as one.
    fn folded(
        &self,
        steps: &mut Steps,
        pieces: &[Piece],
        r: usize,
        how: Join,
        dtype: DType,
    ) -> ManagedVariable {
        let partial_dtype = partial(dtype);
        let mut list: Vec<ManagedVariable> = Vec::new();
        for piece in pieces {
            for k in 0..self.kernel.width {
                let value = self.value(piece, r, k);
                // The last element may be joined twice where that is no harm.
                if self.kernel.exact || how.is_idempotent() {
                    list.push(value.variable.clone());
                } else {
                    steps.scope.register_type::<Partial>(storage(partial_dtype));
                    let none = neutral::expand::<Partial>(steps.scope, how);
                    let none = KernelValue::new(none, value.dtype);
                    let inside = KernelValue::new(piece.inside.clone(), DType::Bool);
                    list.push(steps.choose(&inside, value, &none).variable);
                }
            }
        }
        steps.scope.register_type::<Partial>(storage(partial_dtype));
        while list.len() > 1 {
            list = list
                .chunks(2)
                .map(|pair| match pair {
                    [x, y] => {
                        join::expand::<Partial>(steps.scope, x.clone().into(), y.clone().into(), how).into()
                    }
                    _ => pair[0].clone(),
                })
                .collect();
        }
        list.remove(0)
    }

    /// Combines the partial results of all units of a team into the result of a fold.
    fn finished(
        &mut self,
        steps: &mut Steps,
        own: ManagedVariable,
        op: ReduceOp,
        how: Join,
        dtype: DType,
    ) -> KernelValue {
        let partial_dtype = partial(dtype);
        steps.scope.register_type::<Partial>(storage(partial_dtype));
        let memory = self
            .shared
            .entry(partial_dtype)
            .or_insert_with(|| shared::expand::<Partial>(steps.scope).into())
            .clone();
        let (memory, team) = (memory.into(), self.kernel.team);
        let mut result = together::expand::<Partial>(steps.scope, own.into(), memory, team, how);
        if op == ReduceOp::Mean {
            result = divided::expand::<Partial>(steps.scope, result, self.terms.clone());
        }
        steps.rounded(KernelValue::new(result, dtype))
    }

    /// Writes these outputs of the pieces.
    fn store(&self, steps: &mut Steps, pieces: &[Piece], outputs: &[usize]) {
        let width = self.kernel.width;
        for &output in outputs {
            let (r, _) = self.kernel.outputs[output];
            let (array, _) = &self.arrays[self.inputs() + output];
            let start = number_of(steps, &self.row, &self.vectors);
            for piece in pieces {
                let list: Vec<KernelValue> =
                    (0..width).map(|k| self.value(piece, usize::from(r), k).clone()).collect();
                let inside = if self.kernel.exact {
                    self.inside.clone()
                } else {
                    both::expand(steps.scope, self.inside.clone(), piece.inside.clone())
                };
                steps.when(inside, |steps| {
                    let place = later::expand(steps.scope, start.clone(), piece.at.clone());
                    steps.store_vector(array, place, &list);
                });
            }
        }
    }
}

/// The first element of a row.
fn number_of(steps: &mut Steps, row: &NativeExpand<u32>, terms: &NativeExpand<u32>) -> NativeExpand<u32> {
    #[cube]
    fn product(row: u32, terms: u32) -> u32 {
        row * terms
    }
    product::expand(steps.scope, row.clone(), terms.clone())
}

impl Kernel for RowKernel {
    const NAME: &'static str = "block_of_rows";
    /// Offsets are those of views, which lie within their buffers.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        let count = self.accesses.len() + self.outputs.len();
        let arrays = (0..count).map(|at| (body.variable(at), body.dtype(at))).collect();
        let row = row_groups::row::expand(&mut body.scope, self.team);
        self.write(body, arrays, row);
    }
}

impl RowKernel {
    /// Writes what the team of this row computes, for arrays that are those of the inputs and outputs.
    pub fn write(&self, body: &mut Body, arrays: Vec<(ManagedVariable, DType)>, row: NativeExpand<u32>) {
        let [outer, inner] = self.ranks;
        let RowCountsExpand { count, vectors, terms, turns } = body.read::<RowCounts>();
        let (outer_sizes, sizes) = (body.next_words(outer), body.next_words(inner));
        let inside = strides::is_below::expand(&mut body.scope, row.clone(), count.clone());
        let last = last_of::expand(&mut body.scope, count);
        let row = at_most::expand(&mut body.scope, row, last);
        let (mut starts, mut along) = (Vec::new(), Vec::new());
        for access in &self.accesses {
            let (start, strides) = (body.next_word(), body.next_words(outer));
            starts.push(strides::place::expand(
                &mut body.scope,
                row.clone(),
                outer_sizes.clone(),
                strides,
                start,
            ));
            along.push((*access != Access::Row).then(|| body.next_words(inner)));
        }
        let scalars = read_scalars(body, self.scalars);
        let passes = Passes::new(&self.steps, self.accesses.iter().map(|access| *access != Access::Row));
        let lane = lane::expand(&mut body.scope, self.team);
        let rows = vec![None; passes.varies.len()];
        let cache = |(r, &count): (usize, &usize)| {
            let dtype = arrays[r].1;
            (count > 0).then(|| RowCache::new(&mut body.scope, dtype, [count, self.width]))
        };
        let caches = self.cached.iter().enumerate().map(cache).collect();
        let mut frame = Frame {
            kernel: self,
            passes,
            arrays,
            scalars,
            starts,
            along,
            sizes,
            lane,
            row,
            inside,
            vectors,
            terms,
            rows,
            shared: HashMap::new(),
            caches,
        };
        frame.expand(&mut Steps { scope: &mut body.scope, abilities: self.abilities }, turns);
    }
}

/// A fold of a pass: its register, what it folds, and how.
struct Fold {
    result: usize,
    x: usize,
    op: ReduceOp,
    how: Join,
    dtype: DType,
}

impl Frame<'_> {
    fn expand(&mut self, steps: &mut Steps, turns: NativeExpand<u32>) {
        let inputs = self.inputs();
        let mut dtypes: Vec<DType> = self.arrays[..inputs].iter().map(|(_, dtype)| *dtype).collect();
        for step in &self.kernel.steps {
            let first = step.operands().last().map(|r| dtypes[r]);
            dtypes.push(match step {
                ProgramStep::Scalar { dtype, .. } | ProgramStep::Cast { dtype, .. } => *dtype,
                ProgramStep::Compare { .. } => DType::Bool,
                ProgramStep::Unary { .. }
                | ProgramStep::Binary { .. }
                | ProgramStep::Quotient { .. }
                | ProgramStep::Corrected { .. } => first.expect("an operand"),
                ProgramStep::Choose { .. } | ProgramStep::Fold { .. } => first.expect("an operand"),
            });
        }
        for r in (0..inputs).filter(|&r| !self.passes.varies[r]) {
            let (array, dtype) = &self.arrays[r];
            self.rows[r] = Some(steps.load(array, *dtype, self.starts[r].clone()));
        }
        let mut pieces = if self.kernel.kept { self.pieces(steps, None) } else { Vec::new() };
        if self.kernel.kept && self.kernel.are_few {
            // One way to memory and back instead of one for each pass.
            for r in (0..inputs).filter(|&r| self.passes.varies[r]) {
                self.load(steps, &mut pieces, r);
            }
        }
        for pass in 0..=self.passes.pass.iter().copied().max().unwrap_or(0) {
            self.same_in_rows(steps, pass);
            let folds = self.folds(pass, &dtypes);
            let whole = |&output: &usize| {
                let (r, is_whole) = self.kernel.outputs[output];
                is_whole && self.passes.pass[usize::from(r)] == pass
            };
            let outputs: Vec<usize> = (0..self.kernel.outputs.len()).filter(whole).collect();
            if folds.is_empty() && outputs.is_empty() {
                continue;
            }
            let results = outputs.iter().map(|&output| usize::from(self.kernel.outputs[output].0));
            let wanted: Vec<usize> = folds.iter().map(|fold| fold.x).chain(results).collect();
            let own: Vec<ManagedVariable> = if self.kernel.kept {
                self.compute(steps, &mut pieces, wanted.into_iter());
                let own = folds.iter().map(|f| self.folded(steps, &pieces, f.x, f.how, f.dtype)).collect();
                self.store(steps, &pieces, &outputs);
                own
            } else {
                self.along(steps, turns.clone(), &folds, &outputs, &wanted)
            };
            for (fold, own) in folds.iter().zip(own) {
                let value = self.finished(steps, own, fold.op, fold.how, fold.dtype);
                self.rows[fold.result] = Some(value);
            }
        }
        let inside = self.inside.clone();
        let lane = self.lane.clone();
        let is_first = strides::is_below::expand(steps.scope, lane, 1u32.into());
        let writes = both::expand(steps.scope, inside, is_first);
        steps.when(writes, |steps| {
            for (output, (r, is_whole)) in self.kernel.outputs.iter().enumerate() {
                if !is_whole {
                    let value = self.rows[usize::from(*r)].as_ref().expect("is of the row");
                    steps.store(&self.arrays[inputs + output].0, self.row.clone(), value);
                }
            }
        });
    }

    /// Computes what this pass can know of whole rows.
    fn same_in_rows(&mut self, steps: &mut Steps, pass: usize) {
        let inputs = self.inputs();
        for (at, step) in self.kernel.steps.iter().enumerate() {
            let r = inputs + at;
            if self.passes.varies[r]
                || self.passes.pass[r] != pass
                || matches!(step, ProgramStep::Fold { .. })
            {
                continue;
            }
            let value = step.write(steps, &self.scalars, |r| {
                self.rows[usize::from(r)].as_ref().expect("operands come before results")
            });
            self.rows[r] = Some(value);
        }
    }

    fn folds(&self, pass: usize, dtypes: &[DType]) -> Vec<Fold> {
        let fold = |(at, step): (usize, &ProgramStep)| {
            let ProgramStep::Fold { op, x } = *step else { return None };
            let (result, x) = (self.inputs() + at, usize::from(x));
            let dtype = dtypes[x];
            (self.passes.pass[x] == pass).then(|| Fold { result, x, op, how: Join::new(op, dtype), dtype })
        };
        self.kernel.steps.iter().enumerate().filter_map(fold).collect()
    }

    /// A pass along the rows: what this unit has of each fold.
    fn along(
        &self,
        steps: &mut Steps,
        turns: NativeExpand<u32>,
        folds: &[Fold],
        outputs: &[usize],
        wanted: &[usize],
    ) -> Vec<ManagedVariable> {
        let totals: Vec<ManagedVariable> = folds
            .iter()
            .map(|fold| {
                let ty = storage(partial(fold.dtype));
                steps.scope.register_type::<Partial>(ty);
                let total = steps.scope.create_local_mut(ty);
                let start = first::expand::<Partial>(steps.scope, fold.how, fold.op == ReduceOp::Max);
                assign::expand::<Partial>(steps.scope, start, total.clone().into());
                total
            })
            .collect();
        let stride = self.kernel.team.size * self.kernel.each as u32;
        steps.repeat(0u32.into(), turns, |steps, turn| {
            let start = scaled::expand(steps.scope, turn, stride);
            let mut pieces = self.pieces(steps, Some(start));
            self.compute(steps, &mut pieces, wanted.iter().copied());
            for (fold, total) in folds.iter().zip(&totals) {
                let own = self.folded(steps, &pieces, fold.x, fold.how, fold.dtype);
                steps.scope.register_type::<Partial>(storage(partial(fold.dtype)));
                let sum = join::expand::<Partial>(steps.scope, total.clone().into(), own.into(), fold.how);
                assign::expand::<Partial>(steps.scope, sum, total.clone().into());
            }
            self.store(steps, &pieces, outputs);
        });
        totals
    }
}
