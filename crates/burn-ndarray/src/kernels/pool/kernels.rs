//! The inner loops of pooling, compiled for several instruction sets.

use super::geometry::Planes;
use crate::elements::arithmetic::Arithmetic;
use crate::elements::number::Number;
use crate::simd::dispatch;

/// An element of planes.
pub trait Folded: Number {
    /// The sum of each window; `line` has room for a row of input.
    fn sums(planes: &Planes, xs: &[Self], line: &mut [Self], out: &mut [Self]);
    /// The largest element of each window; NaN if one is NaN.
    fn largest(planes: &Planes, xs: &[Self], line: &mut [Self], out: &mut [Self]);
    /// Adds each share of a row of results to what its window covers.
    fn spread(planes: &Planes, row: usize, shares: &[Self], line: &mut [Self], out: &mut [Self]);
}

#[inline(always)]
fn fold<E: Number>(
    planes: &Planes,
    xs: &[E],
    line: &mut [E],
    out: &mut [E],
    none: E,
    f: impl Fn(E, E) -> E + Copy,
) {
    let window = &planes.window;
    let pairs =
        window.kernel[2] == 2 && window.stride[2] == 2 && window.dilation[2] == 1 && window.padding[2] == 0;
    for (row, out) in out.chunks_exact_mut(planes.output[2]).enumerate() {
        let mut empty = true;
        planes.for_lines(row, |elements| {
            let xs = &xs[elements];
            if core::mem::replace(&mut empty, false) {
                line.copy_from_slice(xs);
            } else {
                line.iter_mut().zip(xs).for_each(|(line, &x)| *line = f(*line, x));
            }
        });
        if empty {
            line.fill(none);
        }
        if pairs {
            out.iter_mut().zip(line.as_chunks::<2>().0).for_each(|(out, &[a, b])| *out = f(a, b));
            continue;
        }
        out.fill(none);
        planes
            .for_columns(|columns, element| gather(&mut out[columns], &line[element..], window.stride[2], f));
    }
}

/// `out[k] = f(out[k], xs[k * stride])`.
#[inline(always)]
fn gather<E: Number>(out: &mut [E], xs: &[E], stride: usize, f: impl Fn(E, E) -> E + Copy) {
    match stride {
        1 => out.iter_mut().zip(xs).for_each(|(out, &x)| *out = f(*out, x)),
        2 => gather_each::<E, 2>(out, xs, f),
        3 => gather_each::<E, 3>(out, xs, f),
        _ => out.iter_mut().zip(xs.chunks(stride)).for_each(|(out, xs)| *out = f(*out, xs[0])),
    }
}

#[inline(always)]
fn gather_each<E: Number, const STRIDE: usize>(out: &mut [E], xs: &[E], f: impl Fn(E, E) -> E) {
    let (chunks, rest) = xs.as_chunks::<STRIDE>();
    let whole = chunks.len().min(out.len());
    out[..whole].iter_mut().zip(chunks).for_each(|(out, xs)| *out = f(*out, xs[0]));
    // The last element may end the row, within its stride.
    out[whole..].iter_mut().zip(rest).for_each(|(out, &x)| *out = f(*out, x));
}

#[inline(always)]
fn spread_row<E: Number>(planes: &Planes, row: usize, shares: &[E], line: &mut [E], out: &mut [E]) {
    line.fill(E::ZERO);
    planes.for_columns(|columns, element| {
        let (to, shares) = (&mut line[element..], &shares[columns]);
        match planes.window.stride[2] {
            1 => to.iter_mut().zip(shares).for_each(|(to, &x)| *to = to.plus(x)),
            2 => to.chunks_mut(2).zip(shares).for_each(|(to, &x)| to[0] = to[0].plus(x)),
            3 => to.chunks_mut(3).zip(shares).for_each(|(to, &x)| to[0] = to[0].plus(x)),
            stride => to.chunks_mut(stride).zip(shares).for_each(|(to, &x)| to[0] = to[0].plus(x)),
        }
    });
    planes.for_lines(row, |elements| {
        out[elements].iter_mut().zip(&*line).for_each(|(out, &x)| *out = out.plus(x));
    });
}

macro_rules! folded {
    ($($ty:ident)*) => {$(
        impl Folded for $ty {
            fn sums(planes: &Planes, xs: &[$ty], line: &mut [$ty], out: &mut [$ty]) {
                #[inline(always)]
                fn body<const FMA: bool>(planes: &Planes, xs: &[$ty], line: &mut [$ty], out: &mut [$ty]) {
                    fold(planes, xs, line, out, $ty::ZERO, $ty::plus);
                }
                dispatch! { fn run(planes: &Planes, xs: &[$ty], line: &mut [$ty], out: &mut [$ty]) = body }
                run(planes, xs, line, out);
            }
            fn largest(planes: &Planes, xs: &[$ty], line: &mut [$ty], out: &mut [$ty]) {
                #[inline(always)]
                fn body<const FMA: bool>(planes: &Planes, xs: &[$ty], line: &mut [$ty], out: &mut [$ty]) {
                    fold(planes, xs, line, out, $ty::LOWEST, $ty::larger);
                }
                dispatch! { fn run(planes: &Planes, xs: &[$ty], line: &mut [$ty], out: &mut [$ty]) = body }
                run(planes, xs, line, out);
            }
            fn spread(planes: &Planes, row: usize, shares: &[$ty], line: &mut [$ty], out: &mut [$ty]) {
                #[inline(always)]
                fn body<const FMA: bool>(
                    planes: &Planes,
                    row: usize,
                    shares: &[$ty],
                    line: &mut [$ty],
                    out: &mut [$ty],
                ) {
                    spread_row(planes, row, shares, line, out);
                }
                dispatch! {
                    fn run(planes: &Planes, row: usize, shares: &[$ty], line: &mut [$ty], out: &mut [$ty]) = body
                }
                run(planes, row, shares, line, out);
            }
        }
    )*};
}
folded!(f32);
#[cfg(feature = "dtypes")]
folded!(f64);

/// Integers are pooled rarely: by what the crate is compiled for.
macro_rules! folded_plainly {
    ($($ty:ident)*) => {$(
        impl Folded for $ty {
            fn sums(planes: &Planes, xs: &[$ty], line: &mut [$ty], out: &mut [$ty]) {
                fold(planes, xs, line, out, $ty::ZERO, $ty::plus);
            }
            fn largest(planes: &Planes, xs: &[$ty], line: &mut [$ty], out: &mut [$ty]) {
                fold(planes, xs, line, out, $ty::LOWEST, $ty::larger);
            }
            fn spread(planes: &Planes, row: usize, shares: &[$ty], line: &mut [$ty], out: &mut [$ty]) {
                spread_row(planes, row, shares, line, out);
            }
        }
    )*};
}
folded_plainly!(i64);
#[cfg(feature = "dtypes")]
folded_plainly!(u64);
