use super::geometry::Geometry;
use crate::elements::number::Number;
use core::ops::Range;

/// Elements of unfolded input that stay in the second cache.
const CACHED: usize = 64 << 10;

/// How many output lines to unfold at a time.
pub fn lines_at_once(g: &Geometry) -> usize {
    (CACHED / (g.depth() * g.output[2]).max(1)).clamp(1, g.lines().max(1))
}

/// Writes the input elements of each product: row `(channel, tap)`, column one output element of `lines`.
pub fn unfold<E: Number>(g: &Geometry, x: &[E], lines: Range<usize>, cols: &mut [E]) {
    let (width, stride) = (g.output[2], g.window.stride[2]);
    let [_, heights, widths] = g.input;
    let [depth_taps, height_taps, width_taps] = g.window.kernel;
    let mut out = cols.chunks_exact_mut(width.max(1));
    for channel in 0..g.group_in {
        let plane = &x[channel * g.area_in()..][..g.area_in()];
        for a in 0..depth_taps {
            let depths = g.window.windows(0, a, g.input[0], g.output[0]);
            for b in 0..height_taps {
                let inside = g.window.windows(1, b, heights, g.output[1]);
                for c in 0..width_taps {
                    let columns = g.window.windows(2, c, widths, width);
                    for line in lines.clone() {
                        let Some(out) = out.next() else { return };
                        let (i, j) = (line / g.output[1], line % g.output[1]);
                        if columns.is_empty() || !depths.contains(&i) || !inside.contains(&j) {
                            out.fill(E::ZERO);
                            continue;
                        }
                        let row = g.window.element(0, i, a) * heights + g.window.element(1, j, b);
                        let from = &plane[row * widths + g.window.element(2, columns.start, c)..];
                        out[..columns.start].fill(E::ZERO);
                        out[columns.end..].fill(E::ZERO);
                        let out = &mut out[columns.clone()];
                        if stride == 1 {
                            out.copy_from_slice(&from[..out.len()]);
                        } else {
                            out.iter_mut().zip(from.iter().step_by(stride)).for_each(|(out, &x)| *out = x);
                        }
                    }
                }
            }
        }
    }
}

/// The reverse: adds each column element to the input element it was read from.
pub fn fold<E: Number>(g: &Geometry, x: &mut [E], lines: Range<usize>, cols: &[E]) {
    let (width, stride) = (g.output[2], g.window.stride[2]);
    let [_, heights, widths] = g.input;
    let [depth_taps, height_taps, width_taps] = g.window.kernel;
    let mut rows = cols.chunks_exact(width.max(1));
    for channel in 0..g.group_in {
        let plane = &mut x[channel * g.area_in()..][..g.area_in()];
        for a in 0..depth_taps {
            let depths = g.window.windows(0, a, g.input[0], g.output[0]);
            for b in 0..height_taps {
                let inside = g.window.windows(1, b, heights, g.output[1]);
                for c in 0..width_taps {
                    let columns = g.window.windows(2, c, widths, width);
                    for line in lines.clone() {
                        let Some(from) = rows.next() else { return };
                        let (i, j) = (line / g.output[1], line % g.output[1]);
                        if columns.is_empty() || !depths.contains(&i) || !inside.contains(&j) {
                            continue;
                        }
                        let row = g.window.element(0, i, a) * heights + g.window.element(1, j, b);
                        let to = &mut plane[row * widths + g.window.element(2, columns.start, c)..];
                        let from = &from[columns.clone()];
                        if stride == 1 {
                            to.iter_mut().zip(from).for_each(|(to, &x)| *to = to.plus(x));
                        } else {
                            to.iter_mut().step_by(stride).zip(from).for_each(|(to, &x)| *to = to.plus(x));
                        }
                    }
                }
            }
        }
    }
}
