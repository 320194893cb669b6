//! Other sizes of spatial dimensions.

use super::lowering::{Lowering, Size};
use super::taps;
use crate::error::{Outcome, fail};
use crate::export::graph_writer::{float, text};
use crate::export::size_expr::{Number, constant};
use burn_capture::Value;
use burn_ir::{DType, InterpolateMode, Interpolation, TensorData};

pub(super) fn lower(to: &mut Lowering<'_>, x: Value, options: &Interpolation) -> Outcome<String> {
    let sizes: Vec<Number> = to.numbers().to_vec();
    let fixed: Option<Vec<(usize, usize)>> = (0..sizes.len())
        .map(|spatial| Some((to.fixed_dim(x, 2 + spatial)?, constant(&sizes[spatial])? as usize)))
        .collect();
    let Some(fixed) = fixed else { return resize(to, x, options, &sizes) };
    Ok(match options.mode {
        // Products of numbers of 32 bits round some coordinates to the next element; indices are exact.
        InterpolateMode::Nearest | InterpolateMode::NearestExact if !scales_evenly(&fixed) => {
            by_index(to, x, options, &fixed)
        }
        InterpolateMode::Lanczos => by_taps(to, x, options, &fixed),
        InterpolateMode::Cubic if fixed.len() != 2 => by_taps(to, x, options, &fixed),
        InterpolateMode::Linear | InterpolateMode::Cubic if !options.factors.is_empty() => {
            by_taps(to, x, options, &fixed)
        }
        InterpolateMode::Nearest
        | InterpolateMode::NearestExact
        | InterpolateMode::Linear
        | InterpolateMode::Cubic => resize(to, x, options, &sizes)?,
    })
}

/// Whether every output size is a multiple of the input size.
fn scales_evenly(sizes: &[(usize, usize)]) -> bool {
    sizes.iter().all(|(input, output)| output.is_multiple_of(*input))
}

fn by_index(to: &mut Lowering<'_>, x: Value, options: &Interpolation, sizes: &[(usize, usize)]) -> String {
    let mut name = to.name(x);
    for (spatial, &(input, output)) in sizes.iter().enumerate() {
        let sources: Vec<i64> =
            options.taps(spatial, input, output).sources.iter().map(|&source| source as i64).collect();
        let indices = to.writer.constant(TensorData::from(&sources[..]));
        let axis = crate::export::graph_writer::int("axis", 2 + spatial as i64);
        name = to.op_with("Gather", &[&name, &indices], vec![axis]);
    }
    name
}

fn by_taps(to: &mut Lowering<'_>, x: Value, options: &Interpolation, sizes: &[(usize, usize)]) -> String {
    let mut name = to.name(x);
    for (spatial, &(input, output)) in sizes.iter().enumerate() {
        let all = options.taps(spatial, input, output);
        let weight = |from: usize, into: usize| {
            let own = into * all.count..(into + 1) * all.count;
            own.filter(|&tap| all.sources[tap] == from).map(|tap| all.weights[tap]).sum()
        };
        name = taps::multiply(to, &name, x, 2 + spatial, input, output, weight);
    }
    name
}

fn resize(to: &mut Lowering<'_>, x: Value, options: &Interpolation, sizes: &[Number]) -> Outcome<String> {
    let name = to.name(x);
    let corners = if options.align_corners { "align_corners" } else { "half_pixel" };
    let attributes = match options.mode {
        InterpolateMode::Nearest => vec![
            text("mode", "nearest"),
            text("coordinate_transformation_mode", "asymmetric"),
            text("nearest_mode", "floor"),
        ],
        // The centre at `(i + 1/2) s - 1/2`, halves rounded up, is the element `floor((i + 1/2) s)`.
        InterpolateMode::NearestExact => vec![
            text("mode", "nearest"),
            text("coordinate_transformation_mode", "half_pixel"),
            text("nearest_mode", "round_prefer_ceil"),
        ],
        InterpolateMode::Linear => {
            vec![text("mode", "linear"), text("coordinate_transformation_mode", corners)]
        }
        InterpolateMode::Cubic => vec![
            text("mode", "cubic"),
            text("coordinate_transformation_mode", corners),
            float("cubic_coeff_a", -0.75),
        ],
        InterpolateMode::Lanczos => fail!("ONNX has no Lanczos interpolation, and the sizes are dynamic"),
    };
    if !options.factors.is_empty() && !options.align_corners {
        let scales: Vec<f64> = [1.0, 1.0].into_iter().chain(options.factors.iter().copied()).collect();
        let scales = TensorData::from(&scales[..]).convert_dtype(DType::F32);
        let scales = to.writer.constant(scales);
        return Ok(to.op_with("Resize", &[&name, "", &scales], attributes));
    }
    let mut target = Vec::with_capacity(sizes.len() + 2);
    for dim in 0..2 {
        let number = to.dim(x, dim);
        target.push(to.size(&number, &[x])?);
    }
    for number in sizes {
        let size: Size = to.size(number, &[x])?;
        target.push(size);
    }
    let target = to.list(target);
    Ok(to.op_with("Resize", &[&name, "", "", &target], attributes))
}
