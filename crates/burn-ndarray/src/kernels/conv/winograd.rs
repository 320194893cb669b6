//! Convolution with a quarter of the products: `F(4x4, 3x3)`, or with four tenths, `F(4x4, 2x2)`; in one
//! dimension with a half, `F(4, 3)`, or with four tenths, `F(4, 5)`.
//!
//! Kernels are 3 x 3 or 2 x 2, along the last two dimensions and at each position of a strided kernel: one of
//! 4 x 4 with a stride of 2 is four of 2 x 2. Kernels of one row have three or five taps and no stride.
//!
//! Its rounding errors are about three times those of sums in order, for kernels of two taps six times, for
//! those of one row twice: of the size of those of `f32` sums of ten times as many terms, and more. A result
//! that is not finite spreads over its tile; convolutions with such results are computed again without
//! transforms.

use super::geometry::Geometry;
use super::winograd_pass::{Kernels, Pass, Results, Sizes};
use super::winograd_points::RESULTS;
use super::winograd_reading::Reading;
use super::winograd_transform::BLOCK;
use super::workspace;
use crate::gemm::epilogue::Epilogue;
use crate::tensor::NdTensor;
use alloc::vec::Vec;

/// Whether transforms pay: enough channels on both sides, and enough tiles to a weight.
fn pays(pass: &Pass<'_>) -> bool {
    let Sizes { images, rows, .. } = pass.sizes;
    let (channels, points) = (pass.channels(), pass.points());
    let ([down, along], [rows_down, _]) = (pass.reading.taps, pass.reading.points());
    let vectors = |slices: usize| (images * slices * pass.tiles_of_slice()).div_ceil(16);
    let [_, height, width] = pass.results[0].domain;
    let depth = channels * pass.reading.slices;
    // Rows of tiles are put together, which is dear for short ones.
    let input = 420 * points / 36 + 240 * rows_down / width.div_ceil(RESULTS).min(BLOCK);
    let (output, kernel) = if down == 1 { (80, 8) } else { (300, 25) };
    let (mut transformed, mut direct) = (input * channels * vectors(pass.transformed_slices()), 0);
    for Results { domain: [slices, ..], .. } in &pass.results {
        transformed += (points * depth * rows + output * rows) * vectors(*slices) + kernel * depth * rows;
        direct += down * along * depth * rows * (images * slices * height * (width + along - 1)).div_ceil(16);
    }
    // Results with a stride are written one by one, and kernels are transformed for each phase.
    let (least, of) = match pass.out_step {
        [1, 1, 1] if down == 1 => (4, 5),
        [1, 1, 1] => (2, 3),
        _ => (1, 2),
    };
    channels >= 16 && rows >= 16 && transformed * of < direct * least
}

/// `out = weight * x` with its epilogue, if transforms pay and all products are finite.
pub fn forward(g: &Geometry, x: &[f32], weight: &NdTensor, epilogue: Epilogue<'_>, out: &mut [f32]) -> bool {
    let Some(reading) = Reading::forward(g) else { return false };
    let (buffer, weight) = (weight.buffer(), weight.slice());
    let sizes =
        Sizes { images: g.batch, channels: g.group_in, rows: g.group_out, input: g.input, output: g.output };
    let results = [Results { reading, domain: g.output, first: [0; 3] }];
    let kernels = Kernels { weight, row: g.depth(), channel: g.taps(), buffer: Some(buffer) };
    run(Pass::all(sizes, [1; 3], results.into(), x, epilogue), &kernels, out)
}

/// The gradient of [`forward`] by its input: for each phase of the stride a convolution of the gradient with
/// the taps of the phase, from the last to the first.
pub fn input_grad(g: &Geometry, grad: &[f32], weight: &[f32], out: &mut [f32]) -> bool {
    let kernels = Kernels { weight, row: g.taps(), channel: g.depth(), buffer: None };
    let sizes =
        Sizes { images: g.batch, channels: g.group_out, rows: g.group_in, input: g.output, output: g.input };
    let [_, height, width] = g.window.stride;
    let mut passes = Vec::new();
    for place in 0..height * width {
        // They differ along the first dimension alone.
        let phases = g.phases().skip(place).step_by(height * width);
        let results = phases.filter(|phase| !phase.count.contains(&0)).map(|phase| {
            let reading = Reading::backward(g, phase)?;
            Some(Results { reading, domain: phase.count, first: phase.first })
        });
        let Some(results) = results.collect() else { return false };
        passes.extend(Pass::all(sizes, g.window.stride, results, grad, Epilogue::default()));
    }
    run(passes, &kernels, out)
}

/// Runs all passes, or none of them.
fn run(passes: Vec<Pass<'_>>, kernels: &Kernels<'_>, out: &mut [f32]) -> bool {
    !workspace::IS_SCARCE && passes.iter().all(pays) && passes.iter().all(|pass| pass.run(kernels, out))
}
