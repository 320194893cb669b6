//! Where the largest elements are: of equals the first; NaN is the largest.

use super::geometry::Planes;
use crate::elements::number::Number;
use crate::simd::dispatch;

/// An element of planes whose largest are looked for.
pub trait Contest: Number {
    /// The largest element of each window of a row of results and its index in the plane, -1 for no element.
    fn max_indices(planes: &Planes, row: usize, xs: &[Self], values: &mut [Self], places: &mut [i64]);
    /// Writes the gradient of a plane whose windows are squares of two beside each other.
    ///
    /// `room` is as long as four rows of results.
    fn square_grad(planes: &Planes, xs: &[Self], grad: &[Self], room: &mut [Self], out: &mut [Self]);
}

/// Whether windows are squares of two beside each other.
pub fn are_squares(planes: &Planes) -> bool {
    let w = &planes.window;
    let square = [1, 2, 2];
    w.kernel == square
        && w.stride == square
        && w.padding == [0; 3]
        && (w.dilation[1], w.dilation[2]) == (1, 1)
}

#[inline(always)]
fn wins<E: Number>(x: E, other: E) -> bool {
    (x > other) | (x.is_nan() & !other.is_nan())
}

#[inline(always)]
fn max_indices<E: Number>(planes: &Planes, row: usize, xs: &[E], values: &mut [E], places: &mut [i64]) {
    values.fill(E::LOWEST);
    places.fill(-1);
    planes.for_lines(row, |elements| {
        let line = &xs[elements.clone()];
        planes.for_columns(|columns, element| {
            let (line, place) = (&line[element..], elements.start + element);
            let (values, places) = (&mut values[columns.clone()], &mut places[columns]);
            match planes.window.stride[2] {
                1 => challenge(line.iter().copied(), 1, place, values, places),
                2 => challenge_each::<E, 2>(line, place, values, places),
                3 => challenge_each::<E, 3>(line, place, values, places),
                stride => challenge(line.iter().copied().step_by(stride), stride, place, values, places),
            }
        });
    });
}

#[inline(always)]
fn challenge_each<E: Number, const STRIDE: usize>(
    line: &[E],
    place: usize,
    values: &mut [E],
    places: &mut [i64],
) {
    let (chunks, rest) = line.as_chunks::<STRIDE>();
    let whole = chunks.len().min(values.len());
    challenge(chunks.iter().map(|chunk| chunk[0]), STRIDE, place, &mut values[..whole], &mut places[..whole]);
    // The last element may end the row, within its stride.
    let place = place + whole * STRIDE;
    challenge(rest.iter().copied(), STRIDE, place, &mut values[whole..], &mut places[whole..]);
}

/// Puts elements, `stride` apart and the first of them at `place`, in the place of those that they win over.
#[inline(always)]
fn challenge<E: Number>(
    xs: impl Iterator<Item = E>,
    stride: usize,
    place: usize,
    values: &mut [E],
    places: &mut [i64],
) {
    let mut at = place as i64;
    for ((value, best), x) in values.iter_mut().zip(places).zip(xs) {
        let won = wins(x, *value) | (*best < 0);
        *value = if won { x } else { *value };
        *best = if won { at } else { *best };
        // The position after the last one is not used, and may be no number.
        at = at.wrapping_add(stride as i64);
    }
}

#[inline(always)]
fn square_grad<E: Number>(planes: &Planes, xs: &[E], grad: &[E], room: &mut [E], out: &mut [E]) {
    let [_, _, width] = planes.input;
    let (height_out, width_out) = (planes.output[1], planes.output[2]);
    let slice = planes.input[1] * width;
    // Each corner of the squares is a row of its own, so that loops read and write neighbours.
    let mut corners = room.chunks_exact_mut(width_out);
    let mut corner = || corners.next().expect("room for four rows");
    let (a, b, c, d) = (corner(), corner(), corner(), corner());
    for depth in 0..planes.output[0] {
        let (xs, out) = (&xs[depth * slice..][..slice], &mut out[depth * slice..][..slice]);
        let grad = &grad[depth * height_out * width_out..][..height_out * width_out];
        let rows = xs.chunks_exact(2 * width).zip(out.chunks_exact_mut(2 * width));
        for ((xs, out), grad) in rows.zip(grad.chunks_exact(width_out)) {
            split(&xs[..width], a, b);
            split(&xs[width..], c, d);
            route(a, b, c, d, grad);
            join(a, b, &mut out[..width]);
            join(c, d, &mut out[width..]);
        }
        out[height_out * 2 * width..].fill(E::ZERO);
    }
}

#[inline(always)]
fn split<E: Number>(xs: &[E], even: &mut [E], odd: &mut [E]) {
    for ((&[x, y], even), odd) in xs.as_chunks::<2>().0.iter().zip(even).zip(odd) {
        (*even, *odd) = (x, y);
    }
}

/// The reverse of [`split`]; a last element that belongs to no pair becomes zero.
#[inline(always)]
fn join<E: Number>(even: &[E], odd: &[E], out: &mut [E]) {
    let (pairs, rest) = out.as_chunks_mut::<2>();
    for ((pair, &x), &y) in pairs.iter_mut().zip(even).zip(odd) {
        *pair = [x, y];
    }
    rest.fill(E::ZERO);
}

/// Replaces the largest of four by the gradient, the others by zero.
#[inline(always)]
fn route<E: Number>(a: &mut [E], b: &mut [E], c: &mut [E], d: &mut [E], grad: &[E]) {
    let len = grad.len();
    let (a, b, c, d) = (&mut a[..len], &mut b[..len], &mut c[..len], &mut d[..len]);
    for k in 0..len {
        let right = wins(b[k], a[k]);
        let upper = if right { b[k] } else { a[k] };
        let right_below = wins(d[k], c[k]);
        let lower = if right_below { d[k] } else { c[k] };
        let below = wins(lower, upper);
        let chosen = |chosen: bool| if chosen { grad[k] } else { E::ZERO };
        a[k] = chosen(!below & !right);
        b[k] = chosen(!below & right);
        c[k] = chosen(below & !right_below);
        d[k] = chosen(below & right_below);
    }
}

macro_rules! contests {
    ($($ty:ident)*) => {$(
        impl Contest for $ty {
            fn max_indices(planes: &Planes, row: usize, xs: &[$ty], values: &mut [$ty], places: &mut [i64]) {
                #[inline(always)]
                fn body<const FMA: bool>(
                    planes: &Planes,
                    row: usize,
                    xs: &[$ty],
                    values: &mut [$ty],
                    places: &mut [i64],
                ) {
                    max_indices(planes, row, xs, values, places);
                }
                dispatch! {
                    fn run(planes: &Planes, row: usize, xs: &[$ty], values: &mut [$ty], places: &mut [i64]) = body
                }
                run(planes, row, xs, values, places);
            }
            fn square_grad(planes: &Planes, xs: &[$ty], grad: &[$ty], room: &mut [$ty], out: &mut [$ty]) {
                #[inline(always)]
                fn body<const FMA: bool>(
                    planes: &Planes,
                    xs: &[$ty],
                    grad: &[$ty],
                    room: &mut [$ty],
                    out: &mut [$ty],
                ) {
                    square_grad(planes, xs, grad, room, out);
                }
                dispatch! {
                    fn run(planes: &Planes, xs: &[$ty], grad: &[$ty], room: &mut [$ty], out: &mut [$ty]) = body
                }
                run(planes, xs, grad, room, out);
            }
        }
    )*};
}
contests!(f32);
#[cfg(feature = "dtypes")]
contests!(f64);

/// Integers are pooled rarely: by what the crate is compiled for.
macro_rules! contests_plainly {
    ($($ty:ident)*) => {$(
        impl Contest for $ty {
            fn max_indices(planes: &Planes, row: usize, xs: &[$ty], values: &mut [$ty], places: &mut [i64]) {
                max_indices(planes, row, xs, values, places);
            }
            fn square_grad(planes: &Planes, xs: &[$ty], grad: &[$ty], room: &mut [$ty], out: &mut [$ty]) {
                square_grad(planes, xs, grad, room, out);
            }
        }
    )*};
}
contests_plainly!(i64);
#[cfg(feature = "dtypes")]
contests_plainly!(u64);
