//! A block that folds rows, as one kernel: how its rows are shared.

use super::kernel_size::{LONGEST, length};
use super::passes::Passes;
use super::program::Program;
use super::row_access::Access;
use super::row_cache::{CachedRow, RowInput};
use super::row_kernel::{RowCounts, RowKernel};
use super::vector::{self, Inner};
use crate::device::arithmetic::Abilities;
use crate::launch::kernel::{UNITS, launch_vectors};
use crate::launch::row_groups::Team;
use crate::launch::strides::{self, Merged, broadcast};
use crate::launch::tensor::{CubeTensor, require};
use crate::launch::words::{LaunchWords, word};
use burn_backend::*;
use cubecl::CubeDim;

/// Elements that a unit keeps of a row, for all values that later passes need.
const KEPT: usize = 64;
/// Elements of a unit at a time, where a row is gone along.
const AT_ONCE: usize = 8;
/// Rows that are over before a second load would come back.
const FEW: usize = 16;
/// Teams that keep a device busy.
const BUSY: usize = 1024;

/// Whether the folds of a block, if it has some, are of kinds that are written here.
pub fn are_known<T>(block: &Block<T>) -> bool
where
    T: HasSpec,
{
    let first = block.first_step();
    let dtype = |r: Register| match block.inputs.get(usize::from(r)) {
        Some(x) => x.dtype(),
        None => block.specs[usize::from(r) - first].dtype,
    };
    let known = |step: &BlockStep<Register>| {
        let is_known = |(op, x): (ReduceOp, &Register)| {
            !matches!(op, ReduceOp::Any | ReduceOp::All) && dtype(*x).is_float()
        };
        step.as_reduce().is_none_or(is_known)
    };
    let rank = block.shape.rank();
    let terms: usize = block.shape[rank - block.folded..].iter().product();
    block.folded == 0 || (terms > 1 && block.steps.iter().all(known))
}

/// How rows of so many vectors are shared: units of a team, and vectors of a unit.
fn shared_by(count: usize, vectors: usize, width: usize, across: bool) -> (Team, usize) {
    let wanted = vectors * width / 16;
    let least = if vectors < 8 { 1 } else { 8 };
    let mut size = wanted.next_power_of_two().clamp(least, UNITS as usize);
    if across {
        // Neighbours have neighbouring rows.
        size = size.min(8);
    }
    // Few rows: more units for each, as long as all have some.
    while size < UNITS as usize && count * size < BUSY * UNITS as usize && vectors > size {
        size *= 2;
    }
    // Half of the units, where none of them is idle then.
    let half = size / 2;
    if !vectors.is_multiple_of(size) && half >= 8 && vectors.is_multiple_of(half) && vectors / half <= 4 {
        size = half;
    }
    let own = vectors.div_ceil(size);
    // Few kernels for all lengths that are not whole.
    let each = if vectors == own * size && own <= 4 {
        own
    } else if own <= 8 {
        own.next_power_of_two()
    } else {
        own.next_multiple_of(4)
    };
    (Team { size: size as u32, across }, each)
}

impl Program {
    /// The results of steps that fold the last `folded` dimensions of `shape`, of these specs.
    pub fn run_rows(
        self,
        shape: &Shape,
        folded: usize,
        inputs: &[&CubeTensor],
        specs: Vec<TensorSpec>,
    ) -> Vec<CubeTensor> {
        let engine = inputs[0].engine();
        specs.iter().for_each(|spec| require(engine, spec.dtype));
        let Program { steps, outputs: results, scalars, .. } = self.suited_to(engine);
        let outputs: Vec<(Register, bool)> =
            results.iter().zip(&specs).map(|(&r, spec)| (r, spec.shape == *shape)).collect();
        let results: Vec<CubeTensor> =
            specs.into_iter().map(|spec| CubeTensor::empty(spec, engine)).collect();
        let kept_rank = shape.rank() - folded;
        let pick = |range: std::ops::Range<usize>| {
            let part: Shape = shape[range.clone()].iter().copied().collect();
            let strides: Vec<Dims> =
                inputs.iter().map(|x| broadcast(x, shape)[range.clone()].iter().copied().collect()).collect();
            (part.num_elements(), Merged::new(&part, &strides))
        };
        let (count, rows) = pick(0..kept_rank);
        let (terms, inner) = pick(kept_rank..shape.rank());
        if count * terms == 0 {
            return results;
        }
        // Vectors lie within a row, and rows begin with one.
        let both = Merged {
            sizes: inner.sizes.iter().chain(&rows.sizes).copied().collect(),
            strides: inner.strides.iter().zip(&rows.strides).map(|(x, y)| [&x[..], y].concat()).collect(),
        };
        let offsets: Vec<usize> = inputs.iter().map(|x| x.offset()).collect();
        let dtypes = inputs.iter().copied().chain(&results).map(|x| x.dtype());
        let width = if inner.rank() == 0 { 1 } else { vector::width(engine, dtypes, &both, &offsets) };
        let accesses: Vec<Access> = inner
            .strides
            .iter()
            .map(|strides| {
                let is_same = strides.iter().all(|&stride| stride == 0);
                if is_same { Access::Row } else { Access::Along(Inner::of(strides)) }
            })
            .collect();
        let vectors = terms / width;
        let is_across = |(access, rows): (&Access, &Vec<usize>)| {
            *access == Access::Along(Inner::Apart) && rows.first() == Some(&1)
        };
        let across = accesses.iter().zip(&rows.strides).any(is_across);
        let (team, mut each) = shared_by(count, vectors, width, across);
        let passes = Passes::new(&steps, accesses.iter().map(|access| *access != Access::Row));
        let waiting = passes.waiting(&steps, &outputs).max(1);
        let kept = each * width * waiting <= KEPT && each * width * length(&steps) <= LONGEST;
        let mut cached = vec![0; inputs.len()];
        if !kept {
            each = (AT_ONCE / width).max(1);
            let bytes = engine.hardware().max_shared_memory_size;
            let list: Vec<RowInput> = (inputs.iter().zip(&accesses))
                .zip(passes.read_again(&steps, &outputs))
                .map(|((x, &access), read_again)| RowInput { access, dtype: x.dtype(), read_again })
                .collect();
            let row = CachedRow::new(bytes, &list, [vectors, width], length(&steps));
            if let Some(row) = row.filter(|_| team.rows() == 1) {
                (each, cached) = (row.each, row.vectors);
            }
        }
        let turns = vectors.div_ceil(each * team.size as usize);
        let exact = vectors == turns * each * team.size as usize;
        let mut words =
            RowCounts { count: word(count), vectors: word(vectors), terms: word(terms), turns: word(turns) }
                .words();
        words.extend(strides::words(&rows.sizes));
        words.extend(strides::words(&vector::sizes(&inner, width)));
        for (at, access) in accesses.iter().enumerate() {
            let (own, start) = vector::places(&both.strides[at], offsets[at], access.width(width));
            let (along, outer) = own.split_at(inner.rank());
            words.extend(strides::words(&[start]));
            words.extend(strides::words(outer));
            if *access != Access::Row {
                words.extend(strides::words(along));
            }
        }
        words.extend(scalars.iter().flatten());
        let kernel = RowKernel {
            ranks: [rows.rank(), inner.rank()],
            scalars: scalars.len(),
            steps,
            accesses,
            outputs,
            team,
            width,
            each,
            kept,
            are_few: count <= FEW,
            exact,
            cached,
            abilities: Abilities::of(engine),
        };
        let widths = kernel.accesses.iter().map(|access| access.width(width));
        let widths = widths.chain(kernel.outputs.iter().map(|&(_, whole)| if whole { width } else { 1 }));
        let widths = widths.collect();
        let cubes = count.div_ceil(team.rows() as usize);
        let places: Vec<&CubeTensor> = results.iter().collect();
        launch_vectors(kernel, inputs, &places, widths, &words, cubes, CubeDim::new_1d(UNITS));
        results
    }
}
