//! Depthwise convolution by kernels of 3 x 3 that move by one: each row of a plane is read once for three rows of
//! results.

use super::geometry::Geometry;
use super::stage::Source;
use crate::buffer::Buffer;
use crate::parallel::{self, Shared};
use crate::simd::{Lanes, with_lanes};

/// Vectors of a row that are summed together.
const VECTORS: usize = 2;

fn fits(g: &Geometry) -> bool {
    let w = &g.window;
    let plane = w.kernel == [1, 3, 3] && w.stride == [1; 3] && w.dilation == [1; 3] && w.padding[0] == 0;
    plane && g.input[0] == 1 && g.group_in == 1 && g.group_out == 1 && g.groups > 1
}

/// `out = weight * x + bias`, for groups of one channel.
pub fn forward(g: &Geometry, x: &[f32], weight: &[f32], bias: Option<&[f32]>, out: &mut [f32]) -> bool {
    if !fits(g) {
        return false;
    }
    let origin = [-(g.window.padding[1] as isize), -(g.window.padding[2] as isize)];
    let planes = Planes { count: g.groups, input: g.input, output: g.output, origin, turned: false };
    planes.run(x, weight, bias, out);
    true
}

/// The gradient of [`forward`] by its input.
pub fn input_grad(g: &Geometry, grad: &[f32], weight: &[f32], out: &mut [f32]) -> bool {
    if !fits(g) {
        return false;
    }
    let origin = [g.window.padding[1] as isize - 2, g.window.padding[2] as isize - 2];
    let planes = Planes { count: g.groups, input: g.output, output: g.input, origin, turned: true };
    planes.run(grad, weight, None, out);
    true
}

struct Planes {
    /// Planes of an image.
    count: usize,
    input: [usize; 3],
    output: [usize; 3],
    /// The first element that a kernel reads, along each dimension.
    origin: [isize; 2],
    /// Whether kernels are turned by half a circle.
    turned: bool,
}

impl Planes {
    fn run(&self, x: &[f32], weight: &[f32], bias: Option<&[f32]>, out: &mut [f32]) {
        let [_, height, width] = self.output;
        let (area_in, area_out) = (self.input[1] * self.input[2], height * width);
        let pitch = (width + 2).next_multiple_of(16);
        let source = Source {
            input: self.input,
            step: [1; 3],
            origin: [0, self.origin[0], self.origin[1]],
            pitch: [height + 2, pitch],
        };
        let (len, start) = ((height + 2) * pitch, Shared(out.as_mut_ptr()));
        parallel::for_ranges(out.len() / area_out, area_out, &|range| {
            // Vectors may reach beyond the last row.
            let mut staged = Buffer::new((len + (VECTORS + 1) * 16) * size_of::<f32>());
            let staged: &mut [f32] = staged.as_mut_slice().expect("a new buffer is unique");
            staged[len..].fill(0.0);
            for plane in range {
                source.copy(&x[plane * area_in..][..area_in], 0..len, staged);
                let channel = plane % self.count;
                let mut kernel: [f32; 9] = core::array::from_fn(|tap| weight[channel * 9 + tap]);
                if self.turned {
                    kernel.reverse();
                }
                let args = Plane {
                    staged: staged.as_ptr(),
                    pitch,
                    kernel,
                    bias: bias.map_or(0.0, |bias| bias[channel]),
                    height,
                    width,
                    out: start.get().wrapping_add(plane * area_out),
                };
                // SAFETY: the staged plane has two more rows and columns, and room for vectors; each plane of
                // results is written once.
                unsafe { sums(&args) };
            }
        });
    }
}

struct Plane {
    staged: *const f32,
    pitch: usize,
    kernel: [f32; 9],
    bias: f32,
    height: usize,
    width: usize,
    out: *mut f32,
}

with_lanes! {
    /// # Safety
    /// Two rows and columns more than results may be read, and vectors beyond; results may be written.
    fn sums(args: &Plane) = body
}

#[inline(always)]
unsafe fn body<V: Lanes, const R: usize, const N: usize>(args: &Plane) {
    let mut column = 0;
    while column < args.width {
        // SAFETY: by the contract.
        column += unsafe {
            if args.width - column > V::LANES {
                columns::<V, VECTORS>(args, column)
            } else {
                columns::<V, 1>(args, column)
            }
        };
    }
}

/// All results of `N` vectors of columns.
///
/// # Safety
/// As for [`sums`].
#[inline(always)]
unsafe fn columns<V: Lanes, const N: usize>(args: &Plane, column: usize) -> usize {
    // SAFETY: by the contract.
    unsafe {
        let bias = V::splat(args.bias);
        let mut kernel = [bias; 9];
        for tap in 0..9 {
            kernel[tap] = V::splat(args.kernel[tap]);
        }
        // Sums of the row of results whose first row of input was the last one, and the one before.
        let (mut one, mut two) = ([bias; N], [bias; N]);
        let mut from = args.staged.add(column);
        for row in 0..args.height + 2 {
            for v in 0..N {
                let mut x = [bias; 3];
                for c in 0..3 {
                    x[c] = V::load(from.add(v * V::LANES + c));
                }
                let (mut three, mut next, mut first) = (two[v], one[v], bias);
                for c in 0..3 {
                    three = x[c].times_plus(kernel[6 + c], three);
                    next = x[c].times_plus(kernel[3 + c], next);
                    first = x[c].times_plus(kernel[c], first);
                }
                (one[v], two[v]) = (first, next);
                if row >= 2 {
                    let at = column + v * V::LANES;
                    let out = args.out.add((row - 2) * args.width + at);
                    if at + V::LANES <= args.width {
                        three.store(out);
                    } else {
                        three.store_first(out, args.width - at);
                    }
                }
            }
            from = from.add(args.pitch);
        }
    }
    N * V::LANES
}
