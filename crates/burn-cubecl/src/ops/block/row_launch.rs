//! Words and vectors that the kernel of a block that folds rows is launched with.

use super::kernel_size::{LONGEST, length};
use super::passes::Passes;
use super::program::Program;
use super::row_access::Access;
use super::row_cache::{CachedRow, RowInput};
use super::row_kernel::{RowCounts, RowKernel};
use super::vector::{self, Inner};
use crate::device::arithmetic::Abilities;
use crate::device::engine::Engine;
use crate::launch::kernel::UNITS;
use crate::launch::row_groups::Team;
use crate::launch::strides::{self, Merged, broadcast};
use crate::launch::tensor::CubeTensor;
use crate::launch::words::{LaunchWords, word};
use burn_backend::*;

/// Elements that a unit keeps of a row, for all values that later passes need.
const KEPT: usize = 64;
/// Elements of a unit at a time, where a row is gone along.
const AT_ONCE: usize = 8;
/// Rows that are over before a second load would come back.
const FEW: usize = 16;
/// Teams that keep a device busy.
const BUSY: usize = 1024;

/// Which cubes compute a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// One, or a part of one.
    OneCube,
    /// Each of the launch, in full; there is one row.
    EachCube,
}

/// The kernel of a block that folds rows, and what it is launched with.
pub struct RowLaunch {
    pub kernel: RowKernel,
    pub words: Vec<u32>,
    /// Rows.
    pub count: usize,
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
    (Team { size: size as u32, across }, own_of(vectors, size))
}

/// Vectors of a unit, where this many units share a row: few kernels for all lengths that are not whole.
fn own_of(vectors: usize, units: usize) -> usize {
    let own = vectors.div_ceil(units);
    if vectors == own * units && own <= 4 {
        own
    } else if own <= 8 {
        own.next_power_of_two()
    } else {
        own.next_multiple_of(4)
    }
}

/// Inputs of rows: rows among each other, and elements of a row.
struct Axes {
    count: usize,
    rows: Merged,
    terms: usize,
    inner: Merged,
    /// Those of a row come first.
    both: Merged,
}

impl Axes {
    fn new(shape: &Shape, folded: usize, inputs: &[&CubeTensor]) -> Self {
        let pick = |range: std::ops::Range<usize>| {
            let part: Shape = shape[range.clone()].iter().copied().collect();
            let strides: Vec<Dims> =
                inputs.iter().map(|x| broadcast(x, shape)[range.clone()].iter().copied().collect()).collect();
            (part.num_elements(), Merged::new(&part, &strides))
        };
        let kept_rank = shape.rank() - folded;
        let (count, rows) = pick(0..kept_rank);
        let (terms, inner) = pick(kept_rank..shape.rank());
        // Vectors lie within a row, and rows begin with one.
        let both = Merged {
            sizes: inner.sizes.iter().chain(&rows.sizes).copied().collect(),
            strides: inner.strides.iter().zip(&rows.strides).map(|(x, y)| [&x[..], y].concat()).collect(),
        };
        Axes { count, rows, terms, inner, both }
    }

    /// How each input is read.
    fn accesses(&self) -> Vec<Access> {
        let access = |strides: &Vec<usize>| {
            let is_same = strides.iter().all(|&stride| stride == 0);
            if is_same { Access::Row } else { Access::Along(Inner::of(strides)) }
        };
        self.inner.strides.iter().map(access).collect()
    }

    /// Elements of a vector.
    fn width(
        &self,
        engine: &dyn Engine,
        inputs: &[&CubeTensor],
        specs: &[TensorSpec],
        sharing: Sharing,
        offsets: &[usize],
    ) -> usize {
        let dtypes = inputs.iter().map(|x| x.dtype()).chain(specs.iter().map(HasSpec::dtype));
        match sharing {
            _ if self.inner.rank() == 0 => 1,
            Sharing::OneCube => vector::width(engine, dtypes, &self.both, offsets),
            Sharing::EachCube => vector::widest(engine, dtypes, &self.both, offsets),
        }
    }

    /// Whether neighbouring rows of an input are neighbours in memory, and elements of a row are not.
    fn is_across(&self, accesses: &[Access]) -> bool {
        let is_across = |(access, rows): (&Access, &Vec<usize>)| {
            *access == Access::Along(Inner::Apart) && rows.first() == Some(&1)
        };
        accesses.iter().zip(&self.rows.strides).any(is_across)
    }

    /// The sizes of both, and where each input begins and goes on.
    fn words(&self, accesses: &[Access], offsets: &[usize], width: usize) -> Vec<u32> {
        let mut words: Vec<u32> = strides::words(&self.rows.sizes).collect();
        words.extend(strides::words(&vector::sizes(&self.inner, width)));
        for (at, access) in accesses.iter().enumerate() {
            let (own, start) = vector::places(&self.both.strides[at], offsets[at], access.width(width));
            let (along, outer) = own.split_at(self.inner.rank());
            words.extend(strides::words(&[start]));
            words.extend(strides::words(outer));
            if *access != Access::Row {
                words.extend(strides::words(along));
            }
        }
        words
    }
}

/// How a unit has its part of a row.
struct RowPart {
    /// Vectors at a time.
    each: usize,
    kept: bool,
    /// By input, vectors in shared memory.
    cached: Vec<usize>,
}

impl RowPart {
    /// The part of a unit that has `own` of the vectors of `width` elements of a row.
    fn new(
        program: &Program,
        outputs: &[(Register, bool)],
        inputs: &[RowInput],
        team: Team,
        [own, vectors, width]: [usize; 3],
        bytes: usize,
    ) -> Self {
        let (steps, cached) = (&program.steps, vec![0; inputs.len()]);
        let passes = Passes::new(steps, inputs.iter().map(|input| input.access != Access::Row));
        let waiting = passes.waiting(steps, outputs).max(1);
        if own * width * waiting <= KEPT && own * width * length(steps) <= LONGEST {
            return RowPart { each: own, kept: true, cached };
        }
        let read_again = passes.read_again(steps, outputs);
        let again = |(input, read_again): (&RowInput, bool)| RowInput { read_again, ..*input };
        let list: Vec<RowInput> = inputs.iter().zip(read_again).map(again).collect();
        let row = CachedRow::new(bytes, &list, [vectors, width], length(steps));
        match row.filter(|_| team.rows() == 1) {
            Some(row) => RowPart { each: row.each, kept: false, cached: row.vectors },
            None => RowPart { each: (AT_ONCE / width).max(1), kept: false, cached },
        }
    }
}

impl RowLaunch {
    /// The launch of a program that folds the last `folded` dimensions of `shape`, with results of these
    /// specs; `None` for no elements.
    pub fn new(
        program: Program,
        (shape, folded): (&Shape, usize),
        inputs: &[&CubeTensor],
        specs: &[TensorSpec],
        sharing: Sharing,
    ) -> Option<Self> {
        let engine = inputs[0].engine();
        let program = program.suited_to(engine);
        let outputs: Vec<(Register, bool)> =
            program.outputs.iter().zip(specs).map(|(&r, spec)| (r, spec.shape == *shape)).collect();
        let axes = Axes::new(shape, folded, inputs);
        let (count, terms) = (axes.count, axes.terms);
        if count * terms == 0 {
            return None;
        }
        let offsets: Vec<usize> = inputs.iter().map(|x| x.offset()).collect();
        let width = axes.width(engine, inputs, specs, sharing, &offsets);
        let accesses = axes.accesses();
        let vectors = terms / width;
        let (team, own) = match sharing {
            Sharing::OneCube => shared_by(count, vectors, width, axes.is_across(&accesses)),
            Sharing::EachCube => (Team { size: UNITS, across: false }, own_of(vectors, UNITS as usize)),
        };
        let input =
            |(x, &access): (&&CubeTensor, &Access)| RowInput { access, dtype: x.dtype(), read_again: false };
        let list: Vec<RowInput> = inputs.iter().zip(&accesses).map(input).collect();
        let bytes = engine.hardware().max_shared_memory_size;
        let RowPart { each, kept, cached } =
            RowPart::new(&program, &outputs, &list, team, [own, vectors, width], bytes);
        let turns = vectors.div_ceil(each * team.size as usize);
        let mut words =
            RowCounts { count: word(count), vectors: word(vectors), terms: word(terms), turns: word(turns) }
                .words();
        words.extend(axes.words(&accesses, &offsets, width));
        words.extend(program.scalars.iter().flatten());
        let kernel = RowKernel {
            ranks: [axes.rows.rank(), axes.inner.rank()],
            scalars: program.scalars.len(),
            steps: program.steps,
            accesses,
            outputs,
            team,
            width,
            each,
            kept,
            are_few: count <= FEW,
            exact: vectors == turns * each * team.size as usize,
            cached,
            abilities: Abilities::of(engine),
        };
        Some(RowLaunch { kernel, words, count })
    }

    /// Returns the vector width of each input.
    pub fn widths(&self) -> impl Iterator<Item = usize> {
        self.kernel.accesses.iter().map(|access| access.width(self.kernel.width))
    }
}
