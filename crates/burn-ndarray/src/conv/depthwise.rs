//! Groups of few channels: rows of the image, shifted by each tap, without matrices.

use super::geometry::Geometry;
use crate::number::Number;
use crate::parallel;
use core::ops::Range;

/// One row of a tap: the output columns it reaches, and the input column of the first.
struct Row {
    columns: Range<usize>,
    first: usize,
    stride: usize,
}

impl Geometry {
    #[inline(always)]
    fn row(&self, tap: usize) -> Row {
        let columns = self.window.windows(2, tap, self.input[2], self.output[2]);
        let first = if columns.is_empty() { 0 } else { self.window.element(2, columns.start, tap) };
        Row { columns, first, stride: self.window.stride[2] }
    }
}

pub fn forward<E: Number>(g: &Geometry, x: &[E], weight: &[E], bias: Option<&[E]>, out: &mut [E]) {
    let (area_in, area_out, channels) = (g.area_in(), g.area_out(), g.groups * g.group_out);
    parallel::for_chunks(out, area_out, area_out * g.depth(), &|index, out| {
        let (image, channel) = (index / channels, index % channels);
        let group = channel / g.group_out;
        out.fill(bias.map_or(E::ZERO, |bias| bias[channel]));
        for c in 0..g.group_in {
            let x = &x[((image * g.groups + group) * g.group_in + c) * area_in..][..area_in];
            let weight = &weight[(channel * g.group_in + c) * g.taps()..][..g.taps()];
            g.for_line_taps(0..g.lines(), |line, tap, row| {
                for (k, &weight) in weight[tap..][..g.window.kernel[2]].iter().enumerate() {
                    let Row { columns, first, stride } = g.row(k);
                    let from = &x[row * g.input[2] + first..];
                    let to = &mut out[line * g.output[2]..][columns];
                    if stride == 1 {
                        to.iter_mut().zip(from).for_each(|(to, &x)| *to = to.plus(weight.times(x)));
                    } else {
                        let from = from.iter().step_by(stride);
                        to.iter_mut().zip(from).for_each(|(to, &x)| *to = to.plus(weight.times(x)));
                    }
                }
            });
        }
    });
}

pub fn input_grad<E: Number>(g: &Geometry, grad: &[E], weight: &[E], out: &mut [E]) {
    let (area_in, area_out, channels) = (g.area_in(), g.area_out(), g.groups * g.group_in);
    parallel::for_chunks(out, area_in.max(1), area_out * g.group_out * g.taps(), &|index, out| {
        let (image, channel) = (index / channels, index % channels);
        let (group, c) = (channel / g.group_in, channel % g.group_in);
        out.fill(E::ZERO);
        for o in group * g.group_out..(group + 1) * g.group_out {
            let grad = &grad[(image * g.groups * g.group_out + o) * area_out..][..area_out];
            let weight = &weight[(o * g.group_in + c) * g.taps()..][..g.taps()];
            g.for_line_taps(0..g.lines(), |line, tap, row| {
                for (k, &weight) in weight[tap..][..g.window.kernel[2]].iter().enumerate() {
                    let Row { columns, first, stride } = g.row(k);
                    let to = &mut out[row * g.input[2] + first..];
                    let from = &grad[line * g.output[2]..][columns];
                    if stride == 1 {
                        to.iter_mut().zip(from).for_each(|(to, &x)| *to = to.plus(weight.times(x)));
                    } else {
                        let to = to.iter_mut().step_by(stride);
                        to.zip(from).for_each(|(to, &x)| *to = to.plus(weight.times(x)));
                    }
                }
            });
        }
    });
}

pub fn weight_grad<E: Number>(g: &Geometry, grad: &[E], x: &[E], out: &mut [E]) {
    let (area_in, area_out, taps) = (g.area_in(), g.area_out(), g.taps());
    // One chunk for each pair of channels.
    parallel::for_chunks(out, taps, g.batch * area_out * taps, &|index, out| {
        let (channel, c) = (index / g.group_in, index % g.group_in);
        let group = channel / g.group_out;
        out.fill(E::ZERO);
        for image in 0..g.batch {
            let grad = &grad[(image * g.groups * g.group_out + channel) * area_out..][..area_out];
            let x = &x[((image * g.groups + group) * g.group_in + c) * area_in..][..area_in];
            g.for_line_taps(0..g.lines(), |line, tap, row| {
                for (k, out) in out[tap..][..g.window.kernel[2]].iter_mut().enumerate() {
                    let Row { columns, first, stride } = g.row(k);
                    let grad = &grad[line * g.output[2]..][columns];
                    let x = &x[row * g.input[2] + first..];
                    *out = out.plus(dot(grad, x, stride));
                }
            });
        }
    });
}

/// `sum(x[i] * y[i * stride])`.
#[inline(always)]
fn dot<E: Number>(x: &[E], y: &[E], stride: usize) -> E {
    const LANES: usize = 16;
    if stride != 1 {
        return x.iter().zip(y.iter().step_by(stride)).fold(E::ZERO, |sum, (&x, &y)| sum.plus(x.times(y)));
    }
    let y = &y[..x.len()];
    let (xs, x_rest) = x.as_chunks::<LANES>();
    let (ys, y_rest) = y.as_chunks::<LANES>();
    let mut lanes = [E::ZERO; LANES];
    for (x, y) in xs.iter().zip(ys) {
        for lane in 0..LANES {
            lanes[lane] = lanes[lane].plus(x[lane].times(y[lane]));
        }
    }
    let rest = x_rest.iter().zip(y_rest).fold(E::ZERO, |sum, (&x, &y)| sum.plus(x.times(y)));
    lanes.into_iter().fold(rest, E::plus)
}
