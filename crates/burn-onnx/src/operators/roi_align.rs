//! Features of regions of images.

use super::iota::{along, iota, item, part};
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};
use burn_ir::DType;

/// Sizes of the grid of bins and of the samples in each bin.
#[derive(Clone, Copy, Debug)]
struct Bins {
    rows: usize,
    columns: usize,
    samples: (usize, usize),
}

/// Elements and weights of samples along one dimension.
struct Samples {
    low: Tensor,
    high: Tensor,
    /// Weights of both; 0 where the sample is beyond the image.
    weights: (Tensor, Tensor),
}

/// Means (or largest parts) of bilinear samples in a grid of bins (He et al., 2017). Since version 10; since
/// 16 regions count from the centres of pixels unless an attribute says otherwise.
pub(super) fn roi_align(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, rois, batch) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.tensor(b, 2)?);
    require!(x.rank() == 4 && rois.rank() == 2, "expected an image of rank 4 and regions [count, 4], got {x:?} and {rois:?}");
    let size = |name: &str, default: i64| match usize::try_from(node.int(name, default)?) {
        Ok(size) => Ok(size),
        Err(_) => fail!("attribute `{name}` is negative"),
    };
    let (rows, columns, ratio) = (size("output_height", 1)?, size("output_width", 1)?, size("sampling_ratio", 0)?);
    require!(
        (1..=MOST_BINS).contains(&rows) && (1..=MOST_BINS).contains(&columns) && ratio <= MOST_SAMPLES,
        "a grid of {rows} x {columns} bins of {ratio} samples; expected 1 to {MOST_BINS} bins and at most {MOST_SAMPLES} samples"
    );
    let batch = b.convert(&batch, DType::I64)?;
    if ratio > 0 {
        let bins = Bins { rows, columns, samples: (ratio, ratio) };
        return Ok(vec![pooled(node, b, &x, &rois, &batch, bins)?.into()]);
    }
    // As many samples as a bin has pixels, which differs between regions.
    let host = b.host(&OnnxValue::Tensor(rois.clone()))?;
    let numbers: Option<Vec<f64>> = host.elements.iter().map(Expr::to_f64).collect();
    let Some(numbers) = numbers else {
        fail!("a sampling ratio of 0 depends on the regions; set a positive one to record the model")
    };
    let scale = node.float("spatial_scale", 1.0)?;
    let shortest = if is_half_pixel(node)? { 0.0 } else { 1.0 };
    let mut each = Vec::new();
    for (place, region) in numbers.chunks_exact(4).enumerate() {
        b.budget.trip()?;
        let count = |length: f64, bins: usize| {
            let length = (length * scale).max(shortest);
            ((length / bins as f64).ceil() as usize).clamp(1, MOST_SAMPLES)
        };
        let samples = (count(region[3] - region[1], rows), count(region[2] - region[0], columns));
        let (own, batch) = (part(b, &rois, 0, place, place + 1)?, part(b, &batch, 0, place, place + 1)?);
        each.push(pooled(node, b, &x, &own, &batch, Bins { rows, columns, samples })?);
    }
    require!(!each.is_empty(), "there is no region");
    Ok(vec![b.cat(&each, 0)?.into()])
}

/// The most bins along a side of a region.
const MOST_BINS: usize = 1 << 16;

/// The most samples along a side of a bin.
const MOST_SAMPLES: usize = 1024;

fn is_half_pixel(node: &Node<'_>) -> Outcome<bool> {
    let default = if node.opset < 16 { "output_half_pixel" } else { "half_pixel" };
    Ok(node.text("coordinate_transformation_mode", default)? == "half_pixel")
}

fn pooled(node: &Node<'_>, b: &mut Builder, x: &Tensor, rois: &Tensor, batch: &Tensor, bins: Bins) -> Outcome<Tensor> {
    let [batches, channels, height, width] = x.dims() else { fail!("expected four dimensions") };
    let (batches, channels) = (batches.clone(), channels.clone());
    let (height, width) = (height.clone(), width.clone());
    let count = rois.dim(0)?;
    let half_pixel = is_half_pixel(node)?;
    let scaled = b.mul_scalar(rois, node.float("spatial_scale", 1.0)?.into())?;
    let scaled = if half_pixel { b.sub_scalar(&scaled, 0.5.into())? } else { scaled };
    let rows = samples(b, &scaled, (1, 3), &height, (bins.rows, bins.samples.0), half_pixel)?;
    let columns = samples(b, &scaled, (0, 2), &width, (bins.columns, bins.samples.1), half_pixel)?;
    let (down, across) = (bins.rows * bins.samples.0, bins.columns * bins.samples.1);
    // A row of the table is a pixel with all its channels.
    let pixels = b.permute(x, &[0, 2, 3, 1])?;
    let pixels = b.reshape(&pixels, &[Expr::product([&batches, &height, &width]), channels.clone()])?;
    let first = b.mul_scalar(batch, height.clone() * width.clone())?;
    let first = b.reshape(&first, &[count.clone(), 1.into(), 1.into()])?;
    let points = [count.clone(), down.into(), across.into()];
    let mut corners = Vec::new();
    for (row, vertical) in [(&rows.low, &rows.weights.0), (&rows.high, &rows.weights.1)] {
        for (column, horizontal) in [(&columns.low, &columns.weights.0), (&columns.high, &columns.weights.1)] {
            let row = b.reshape(row, &[count.clone(), down.into(), 1.into()])?;
            let column = b.reshape(column, &[count.clone(), 1.into(), across.into()])?;
            let place = b.mul_scalar(&row, width.clone())?;
            let place = b.add(&place, &column)?;
            let place = b.add(&place, &first)?;
            let place = b.reshape(&place, &[Expr::product(&points)])?;
            let value = b.select(&pixels, 0, &place)?;
            let vertical = b.reshape(vertical, &[count.clone(), down.into(), 1.into()])?;
            let horizontal = b.reshape(horizontal, &[count.clone(), 1.into(), across.into()])?;
            let weight = b.mul(&vertical, &horizontal)?;
            let weight = b.reshape(&weight, &[Expr::product(&points), 1.into()])?;
            corners.push(b.mul(&value, &weight)?);
        }
    }
    let is_mean = match &node.text("mode", "avg")?[..] {
        "avg" => true,
        "max" => false,
        other => fail!("attribute `mode` must be avg or max, found `{other}`"),
    };
    let mut corners = corners.into_iter();
    let Some(mut whole) = corners.next() else { fail!("a sample has no corner") };
    for corner in corners {
        whole = if is_mean { b.add(&whole, &corner)? } else { b.max_pair(&whole, &corner)? };
    }
    let (rows, columns) = (Expr::from(bins.rows), Expr::from(bins.columns));
    let samples = (Expr::from(bins.samples.0), Expr::from(bins.samples.1));
    let parts = [count.clone(), rows.clone(), samples.0, columns.clone(), samples.1, channels.clone()];
    let parts = b.reshape(&whole, &parts)?;
    let pooled = if is_mean { b.mean_dims(&parts, &[2, 4])? } else { b.max_dims(&parts, &[2, 4])? };
    let pooled = b.reshape(&pooled, &[count, rows, columns, channels])?;
    b.permute(&pooled, &[0, 3, 1, 2])
}

/// Samples along one dimension, `[regions, bins samples]`.
fn samples(
    b: &mut Builder,
    rois: &Tensor,
    columns: (usize, usize),
    size: &Expr,
    (bins, samples): (usize, usize),
    half_pixel: bool,
) -> Outcome<Samples> {
    let count = rois.dim(0)?;
    let dtype = rois.dtype();
    let (start, end) = (item(b, rois, 1, columns.0)?, item(b, rois, 1, columns.1)?);
    let mut length = b.sub(&end, &start)?;
    if !half_pixel {
        length = b.clamp_min(&length, 1.0.into())?;
    }
    // The middle of sample i is at (i + 1/2) of the length over the number of all samples.
    let middles = iota(b, &(bins * samples).into(), 1, 2, dtype)?;
    let middles = b.add_scalar(&middles, 0.5.into())?;
    let middles = b.div_scalar(&middles, ((bins * samples) as f64).into())?;
    let (start, length) = (along(b, &start, 0, 2)?, along(b, &length, 0, 2)?);
    let offset = b.mul(&length, &middles)?;
    let place = b.add(&start, &offset)?;
    let wide = [count, (bins * samples).into()];
    let place = b.expand(&place, &wide)?;
    let (under, over) = (b.greater_equal_elem(&place, (-1.0).into())?, b.lower_equal_elem(&place, size.clone())?);
    let inside = b.bool_and(&under, &over)?;
    let inside = b.convert(&inside, dtype)?;
    let last = size.clone() - 1;
    let place = b.clamp(&place, 0.into(), last.clone())?;
    let low = b.floor(&place)?;
    let ratio = b.sub(&place, &low)?;
    let high = b.add_scalar(&low, 1.into())?;
    let high = b.clamp_max(&high, last)?;
    let rest = b.neg(&ratio)?;
    let rest = b.add_scalar(&rest, 1.into())?;
    let weights = (b.mul(&rest, &inside)?, b.mul(&ratio, &inside)?);
    Ok(Samples { low: b.convert(&low, DType::I64)?, high: b.convert(&high, DType::I64)?, weights })
}
