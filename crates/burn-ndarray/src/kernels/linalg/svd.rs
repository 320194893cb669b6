use super::eigh::{points_down, unit_of};
use super::qr::qr;
use super::reflector::project_out;
use super::rows::{Real, dot, norm, pair, rotate, scale, transposed};
use crate::memory::list;
use alloc::vec::Vec;

/// Rounds of rotations; some ten are usual.
const SWEEPS: usize = 60;

/// Computes `U` over `s` over `V` by one-sided Jacobi rotations of pairs of rows, which is accurate in all
/// digits of each singular value. `false` where the iteration does not converge.
pub fn svd<E: Real>(x: &[E], rows: usize, cols: usize, out: &mut [E]) -> bool {
    let (tall, short, long) = (rows > cols, rows.min(cols), rows.max(cols));
    let unit = unit_of(x);
    // `[long, short]` and `[short, long]`, one the transposed of the other.
    let mut columns = if tall { x.to_vec() } else { transposed(x, rows, cols) };
    scale(&mut columns, E::one() / unit);
    let mut work;
    let mut frame = None;
    if long > short {
        // x = Q R: R is smaller.
        let mut stacked = list(E::zero(), (long + short) * short);
        qr(&columns, long, short, &mut stacked);
        work = transposed(&stacked[long * short..], short, short);
        stacked.truncate(long * short);
        frame = Some(stacked);
    } else {
        work = transposed(&columns, long, short);
    }
    let mut turns = list(E::zero(), short * short);
    (0..short).for_each(|i| turns[i * short + i] = E::one());
    if !orthogonalize(&mut work, &mut turns, short) {
        return false;
    }
    let values: Vec<E> = work.chunks_exact(short).map(norm).collect();
    let mut order: Vec<usize> = (0..short).collect();
    order.sort_by(|&i, &j| values[j].partial_cmp(&values[i]).unwrap_or(core::cmp::Ordering::Equal));
    let sorted =
        |x: &[E]| -> Vec<E> { order.iter().flat_map(|&i| x[i * short..][..short].iter().copied()).collect() };
    let (mut work, turns) = (sorted(&work), sorted(&turns));
    let values: Vec<E> = order.iter().map(|&i| values[i]).collect();
    normalize(&mut work, &values, short);
    // Rows are vectors: those of the short side, and those of the long one.
    let (shorts, longs) = match frame {
        None => (turns, work),
        Some(frame) => {
            let along = |turn: &[E]| frame.chunks_exact(short).map(|row| dot(row, turn)).collect::<Vec<E>>();
            (work, turns.chunks_exact(short).flat_map(along).collect())
        }
    };
    let (lefts, rights) = if tall { (longs, shorts) } else { (shorts, longs) };
    write(&lefts, &values, unit, &rights, out);
    true
}

fn write<E: Real>(lefts: &[E], values: &[E], unit: E, rights: &[E], out: &mut [E]) {
    let inner = values.len();
    let (rows, cols) = (lefts.len() / inner, rights.len() / inner);
    let (u, rest) = out.split_at_mut(rows * inner);
    let (s, v) = rest.split_at_mut(inner);
    for j in 0..inner {
        let (left, right) = (&lefts[j * rows..][..rows], &rights[j * cols..][..cols]);
        let sign = if points_down(left) { -E::one() } else { E::one() };
        (0..rows).for_each(|i| u[i * inner + j] = sign * left[i]);
        (0..cols).for_each(|i| v[i * inner + j] = sign * right[i]);
        s[j] = values[j] * unit;
    }
}

/// Turns rows of `x` in pairs, and those of `turns` with them, until no two have a part in common.
fn orthogonalize<E: Real>(x: &mut [E], turns: &mut [E], size: usize) -> bool {
    let two = E::one() + E::one();
    let tolerance = two * E::epsilon() * E::of(size as f64).sqrt();
    for _ in 0..SWEEPS {
        let mut squares: Vec<E> = x.chunks_exact(size).map(|row| dot(row, row)).collect();
        let largest = squares.iter().fold(E::zero(), |largest, &square| largest.max(square));
        // Rows of nothing but rounding are as good as zero.
        let nothing = largest * E::epsilon() * E::epsilon() * E::of(1e-4);
        let mut turned = false;
        for high in 1..size {
            for low in 0..high {
                let (a, b) = (squares[low], squares[high]);
                if a <= nothing || b <= nothing {
                    continue;
                }
                let (row, other) = pair(x, size, low, high);
                let common = dot(row, other);
                if common.abs() <= tolerance * a.sqrt() * b.sqrt() {
                    continue;
                }
                turned = true;
                let ratio = (b - a) / (two * common);
                let root = ratio.abs() + (E::one() + ratio * ratio).sqrt();
                let tangent = if ratio < E::zero() { -E::one() / root } else { E::one() / root };
                let cos = E::one() / (E::one() + tangent * tangent).sqrt();
                rotate(row, other, cos, tangent * cos);
                let (row, other) = pair(turns, size, low, high);
                rotate(row, other, cos, tangent * cos);
                squares[low] = a - tangent * common;
                squares[high] = b + tangent * common;
            }
        }
        if !turned {
            return true;
        }
    }
    false
}

/// Rows to length 1. Those of length (almost) 0 become any at right angles to the others.
fn normalize<E: Real>(x: &mut [E], values: &[E], size: usize) {
    let nothing = values.first().copied().unwrap_or(E::zero()) * E::epsilon() * E::of(0.01);
    for i in 0..size {
        let (done, rest) = x.split_at_mut(i * size);
        let row = &mut rest[..size];
        if values[i] > nothing {
            row.iter_mut().for_each(|x| *x /= values[i]);
            continue;
        }
        let mut best = E::zero();
        for k in 0..size {
            let mut candidate = list(E::zero(), size);
            candidate[k] = E::one();
            project_out(&mut candidate, done);
            let length = norm(&candidate);
            if length > best {
                best = length;
                row.copy_from_slice(&candidate);
            }
        }
        scale(row, E::one() / best);
        project_out(row, done);
    }
}
