use crate::launch::kernel::{A, Body, Kernel, UNITS, launch_cubes};
use crate::launch::lines::{LineView, LineWords, Lines, LinesKind, along, line_start};
use crate::launch::row_groups::{Team, lane, row, together};
use crate::launch::tensor::CubeTensor;
use crate::ops::accumulate::{Join, join, partial};
use crate::ops::block::Program;
use crate::ops::layout::permute;
use crate::ops::math::{exp, infinity, log};
use burn_backend::*;
use cubecl::CubeDim;
use cubecl::prelude::*;

/// Elements of a line that a unit can keep.
const KEPT: usize = 32;

/// How the units of a cube share lines, and how many elements each keeps: 0 where that is too many.
fn team_of(lines: &Lines) -> (Team, u32) {
    let across = lines.are_across();
    let size = match lines.terms {
        _ if across => 8,
        ..=512 => 32,
        _ => UNITS,
    };
    let own = lines.terms.div_ceil(size as usize);
    // Few kernels for all lengths.
    let kept = if own <= 8 { own.next_power_of_two() } else { own.next_multiple_of(4) };
    (Team { size, across }, if kept <= KEPT { kept as u32 } else { 0 })
}

/// Whether cubes of one line each would leave most of the device idle for long.
pub fn are_few_and_long(lines: usize, terms: usize) -> bool {
    terms > 1 << 16 && lines < 64
}

/// Softmax of lines: one read and one write of each element where a line fits into registers, else two reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Softmax {
    lines: LinesKind,
    team: Team,
    kept: u32,
    log: bool,
}

#[cube]
fn kept_softmax<E: Numeric>(
    x: &Array<E>,
    out: &mut Array<E>,
    lines: &LineWords,
    from: &LineView,
    to: &LineView,
    #[comptime] kernel: Softmax,
) {
    let (team, kept, is_log) = comptime!((kernel.team, kernel.kept, kernel.log));
    let mut shared = SharedMemory::<f32>::new(comptime!(UNITS as usize));
    let line = row(team);
    let lane = lane(team);
    let inside = line < lines.count;
    let start = line_start(lines, from, line);
    let mut values = Array::<f32>::new(comptime!(kept as usize));
    let mut largest = -infinity();
    #[unroll]
    for r in 0..comptime!(kept as usize) {
        let k = lane + comptime!(r as u32 * team.size);
        let mut value = -infinity();
        if inside && k < lines.terms {
            value = f32::cast_from(x[along(from, start, k)]);
        }
        values[r] = value;
        largest = join::<f32>(largest, value, comptime!(Join::MAX));
    }
    let largest = together::<f32>(largest, &mut shared, team, comptime!(Join::MAX));
    let mut sum = 0.0f32;
    #[unroll]
    for r in 0..comptime!(kept as usize) {
        let k = lane + comptime!(r as u32 * team.size);
        let shifted = values[r] - largest;
        let e = exp(shifted);
        if comptime!(is_log) {
            values[r] = shifted;
        } else {
            values[r] = e;
        }
        sum += select(k < lines.terms, e, 0.0f32);
    }
    let sum = together::<f32>(sum, &mut shared, team, comptime!(Join::SUM));
    let scale = if comptime!(is_log) { log(sum) } else { 1.0f32 / sum };
    let start = line_start(lines, to, line);
    #[unroll]
    for r in 0..comptime!(kept as usize) {
        let k = lane + comptime!(r as u32 * team.size);
        if inside && k < lines.terms {
            let value = if comptime!(is_log) { values[r] - scale } else { values[r] * scale };
            out[along(to, start, k)] = E::cast_from(value);
        }
    }
}

/// Returns the shift of the exponentials: 0 in place of minus infinity, since `-inf - (-inf)` is NaN.
#[cube]
fn finite_shift(largest: f32) -> f32 {
    select(largest == -infinity(), 0.0f32, largest)
}

#[cube]
fn load_or_least<E: Numeric>(x: &Array<E>, from: &LineView, start: u32, k: u32, end: u32) -> f32 {
    let mut value = -infinity();
    if k < end {
        value = f32::cast_from(x[along(from, start, k)]);
    }
    value
}

#[cube]
fn streamed_softmax<E: Numeric>(
    x: &Array<E>,
    out: &mut Array<E>,
    lines: &LineWords,
    from: &LineView,
    to: &LineView,
    #[comptime] kernel: Softmax,
) {
    let (team, is_log) = comptime!((kernel.team, kernel.log));
    let mut shared = SharedMemory::<f32>::new(comptime!(UNITS as usize));
    let line = row(team);
    let lane = lane(team);
    let end = select(line < lines.count, lines.terms, 0u32);
    let start = line_start(lines, from, line);
    let size = comptime!(team.size);
    let mut largest = -infinity();
    let mut sum = 0.0f32;
    let mut k = lane;
    while k < end {
        let a = load_or_least::<E>(x, from, start, k, end);
        let b = load_or_least::<E>(x, from, start, k + size, end);
        let c = load_or_least::<E>(x, from, start, k + comptime!(2 * team.size), end);
        let d = load_or_least::<E>(x, from, start, k + comptime!(3 * team.size), end);
        let ab = join::<f32>(a, b, comptime!(Join::MAX));
        let cd = join::<f32>(c, d, comptime!(Join::MAX));
        let next = join::<f32>(largest, join::<f32>(ab, cd, comptime!(Join::MAX)), comptime!(Join::MAX));
        let shift = finite_shift(next);
        sum =
            sum * exp(largest - shift) + (exp(a - shift) + exp(b - shift) + exp(c - shift) + exp(d - shift));
        largest = next;
        k += comptime!(4 * team.size);
    }
    let all = together::<f32>(largest, &mut shared, team, comptime!(Join::MAX));
    let own = sum * exp(largest - finite_shift(all));
    let sum = together::<f32>(own, &mut shared, team, comptime!(Join::SUM));
    let scale = if comptime!(is_log) { log(sum) } else { 1.0f32 / sum };
    let target = line_start(lines, to, line);
    k = lane;
    while k < end {
        let shifted = f32::cast_from(x[along(from, start, k)]) - all;
        let value = if comptime!(is_log) { shifted - scale } else { exp(shifted) * scale };
        out[along(to, target, k)] = E::cast_from(value);
        k += size;
    }
}

impl Kernel for Softmax {
    const NAME: &'static str = "softmax";

    fn expand(&self, body: &mut Body) {
        let (x, out) = (body.array(0), body.array(1));
        let (lines, [from, to]) = self.lines.read(body);
        let expand = if self.kept == 0 { streamed_softmax::expand::<A> } else { kept_softmax::expand::<A> };
        expand(&mut body.scope, x, out, lines, from, to, *self);
    }
}

/// Rows that a block of folds keeps in registers.
const LONGEST_ROW: usize = 1 << 14;

/// Along the last dimension, as a block that folds rows, in what sums are made in.
fn of_rows(x: &CubeTensor, log: bool) -> CubeTensor {
    let spec = x.spec();
    let mut p = Program::new(1);
    let rows = p.cast(0, partial(spec.dtype));
    let largest = p.fold(ReduceOp::Max, rows);
    let shifted = p.binary(BinaryOp::Sub, rows, largest);
    let e = p.unary(UnaryOp::Exp, shifted);
    let sum = p.fold(ReduceOp::Sum, e);
    let result = if log {
        let scale = p.unary(UnaryOp::Log, sum);
        p.binary(BinaryOp::Sub, shifted, scale)
    } else {
        let scale = p.unary(UnaryOp::Recip, sum);
        p.binary(BinaryOp::Mul, e, scale)
    };
    let result = p.cast(result, spec.dtype);
    p.output(result);
    p.run_rows(&spec.shape, 1, &[x], vec![spec.clone()]).remove(0)
}

/// Softmax or its logarithm along `dim`, in one kernel. `otherwise` computes the same by reductions, which
/// share long lines among cubes.
pub fn softmax(
    x: CubeTensor,
    dim: usize,
    log: bool,
    otherwise: impl FnOnce(CubeTensor, usize) -> CubeTensor,
) -> CubeTensor {
    let out = CubeTensor::empty(x.spec().clone(), x.engine());
    let lines = Lines::new(&[&x, &out], dim);
    if lines.count * lines.terms == 0 {
        return out;
    }
    if are_few_and_long(lines.count, lines.terms) {
        return otherwise(x, dim);
    }
    if x.dtype() == DType::F64 {
        // The kernels beside compute in `f32`.
        let mut axes: Dims = (0..x.spec().shape.rank()).collect();
        axes.swap(dim, x.spec().shape.rank() - 1);
        return permute(of_rows(&permute(x, &axes), log), &axes);
    }
    if dim + 1 == x.spec().shape.rank() && lines.terms <= LONGEST_ROW && !lines.are_across() {
        return of_rows(&x, log);
    }
    let (team, kept) = team_of(&lines);
    let kernel = Softmax { lines: lines.kind(), team, kept, log };
    let cubes = lines.count.div_ceil(team.rows() as usize);
    launch_cubes(kernel, &[&x], &[&out], &lines.words(), cubes, CubeDim::new_1d(UNITS));
    out
}
