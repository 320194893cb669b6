//! Where the largest elements are: of equals the first; NaN is the largest.

use super::planes::Planes;
use crate::number::Number;
use crate::simd::dispatch;

/// An element of planes whose largest are looked for.
pub trait Contest: Number {
    /// The largest element of each window of a row of results and its place in the plane, -1 for no element.
    fn winners(planes: &Planes, row: usize, xs: &[Self], values: &mut [Self], places: &mut [i64]);
    /// Writes the gradient of a plane whose windows are squares of two beside each other.
    fn square_grad(planes: &Planes, xs: &[Self], grad: &[Self], out: &mut [Self]);
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
    x > other || (x.is_nan() && !other.is_nan())
}

#[inline(always)]
fn winners<E: Number>(planes: &Planes, row: usize, xs: &[E], values: &mut [E], places: &mut [i64]) {
    values.fill(E::LOWEST);
    places.fill(-1);
    planes.for_lines(row, |elements| {
        let line = &xs[elements.clone()];
        planes.for_columns(|columns, element| {
            let (line, place) = (&line[element..], elements.start + element);
            let (values, places) = (&mut values[columns.clone()], &mut places[columns]);
            match planes.window.stride[2] {
                1 => challenge(line, 1, place, values, places),
                2 => challenge(line, 2, place, values, places),
                stride => challenge(line, stride, place, values, places),
            }
        });
    });
}

/// Puts elements, `stride` apart and the first of them at `place`, in the place of those that they win over.
#[inline(always)]
fn challenge<E: Number>(line: &[E], stride: usize, place: usize, values: &mut [E], places: &mut [i64]) {
    let line = &line[..(values.len() - 1) * stride + 1];
    for (k, (value, best)) in values.iter_mut().zip(places).enumerate() {
        let x = line[k * stride];
        let won = wins(x, *value) | (*best < 0);
        *value = if won { x } else { *value };
        *best = if won { (place + k * stride) as i64 } else { *best };
    }
}

#[inline(always)]
fn square_grad<E: Number>(planes: &Planes, xs: &[E], grad: &[E], out: &mut [E]) {
    let [_, _, width] = planes.input;
    let (height_out, width_out) = (planes.output[1], planes.output[2]);
    let slice = planes.input[1] * width;
    for depth in 0..planes.output[0] {
        let (xs, out) = (&xs[depth * slice..][..slice], &mut out[depth * slice..][..slice]);
        let grad = &grad[depth * height_out * width_out..][..height_out * width_out];
        let rows = xs.chunks_exact(2 * width).zip(out.chunks_exact_mut(2 * width));
        for ((xs, out), grad) in rows.zip(grad.chunks_exact(width_out)) {
            let ((top, bottom), (out_top, out_bottom)) = (xs.split_at(width), out.split_at_mut(width));
            let xs = top.as_chunks::<2>().0.iter().zip(bottom.as_chunks::<2>().0);
            let outs = out_top.as_chunks_mut::<2>().0.iter_mut().zip(out_bottom.as_chunks_mut::<2>().0);
            for (((&[a, b], &[c, d]), (top, bottom)), &grad) in xs.zip(outs).zip(grad) {
                let right = wins(b, a);
                let upper = if right { b } else { a };
                let right_below = wins(d, c);
                let below = wins(if right_below { d } else { c }, upper);
                let chosen = |chosen: bool| if chosen { grad } else { E::ZERO };
                *top = [chosen(!below & !right), chosen(!below & right)];
                *bottom = [chosen(below & !right_below), chosen(below & right_below)];
            }
            if width % 2 == 1 {
                (out_top[width - 1], out_bottom[width - 1]) = (E::ZERO, E::ZERO);
            }
        }
        out[height_out * 2 * width..].fill(E::ZERO);
    }
}

macro_rules! contests {
    ($($ty:ident)*) => {$(
        impl Contest for $ty {
            fn winners(planes: &Planes, row: usize, xs: &[$ty], values: &mut [$ty], places: &mut [i64]) {
                #[inline(always)]
                fn body<const FMA: bool>(
                    planes: &Planes,
                    row: usize,
                    xs: &[$ty],
                    values: &mut [$ty],
                    places: &mut [i64],
                ) {
                    winners(planes, row, xs, values, places);
                }
                dispatch! {
                    fn run(planes: &Planes, row: usize, xs: &[$ty], values: &mut [$ty], places: &mut [i64]) = body
                }
                run(planes, row, xs, values, places);
            }
            fn square_grad(planes: &Planes, xs: &[$ty], grad: &[$ty], out: &mut [$ty]) {
                #[inline(always)]
                fn body<const FMA: bool>(planes: &Planes, xs: &[$ty], grad: &[$ty], out: &mut [$ty]) {
                    square_grad(planes, xs, grad, out);
                }
                dispatch! { fn run(planes: &Planes, xs: &[$ty], grad: &[$ty], out: &mut [$ty]) = body }
                run(planes, xs, grad, out);
            }
        }
    )*};
}
contests!(f64 f32);

/// Integers are pooled rarely: by what the crate is compiled for.
macro_rules! contests_plainly {
    ($($ty:ident)*) => {$(
        impl Contest for $ty {
            fn winners(planes: &Planes, row: usize, xs: &[$ty], values: &mut [$ty], places: &mut [i64]) {
                winners(planes, row, xs, values, places);
            }
            fn square_grad(planes: &Planes, xs: &[$ty], grad: &[$ty], out: &mut [$ty]) {
                square_grad(planes, xs, grad, out);
            }
        }
    )*};
}
contests_plainly!(i64 u64);
