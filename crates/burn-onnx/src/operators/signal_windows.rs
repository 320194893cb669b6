//! Windows of signals, and weights of mel bands. Since version 17.

use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, Function, OnnxValue};
use burn_ir::{DType, TensorData};
use std::f64::consts::TAU;

/// `sum over k of coefficients[k] cos(k 2 pi i / n)` with the size as `n` (`periodic`) or the size less 1.
fn cosines(node: &Node<'_>, b: &mut Builder, coefficients: &[f64]) -> Outcome<Vec<OnnxValue>> {
    let host = node.host(b, 0)?;
    let [size] = &host.elements[..] else { fail!("the size must be one number") };
    let dtype = node.dtype("output_datatype")?.unwrap_or(DType::F32);
    let precision = if dtype.is_float() { dtype } else { DType::F32 };
    let period = if node.flag("periodic", true)? { size.clone() } else { (size.clone() - 1).max(1) };
    let places = b.arange(Expr::Int(0), size.clone(), 1, DType::I64)?;
    let places = b.convert(&places, precision)?;
    let angle = Expr::Float(TAU) / Expr::apply(Function::ToFloat, vec![period]);
    let mut sum = None;
    for (k, &coefficient) in coefficients.iter().enumerate().skip(1) {
        let angles = b.mul_scalar(&places, angle.clone() * k as f64)?;
        let wave = b.cos(&angles)?;
        let wave = b.mul_scalar(&wave, coefficient.into())?;
        sum = Some(match sum {
            Some(sum) => b.add(&sum, &wave)?,
            None => b.add_scalar(&wave, coefficients[0].into())?,
        });
    }
    let Some(sum) = sum else { fail!("a window has no cosine") };
    Ok(vec![b.convert(&sum, dtype)?.into()])
}

pub(super) fn hann(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    cosines(node, b, &[0.5, -0.5])
}

pub(super) fn hamming(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    cosines(node, b, &[25.0 / 46.0, 25.0 / 46.0 - 1.0])
}

pub(super) fn blackman(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    cosines(node, b, &[0.42, -0.5, 0.08])
}

/// The most bins of a spectrum and bands.
const MOST_WEIGHTS: usize = 1 << 24;

/// Triangles that make mel bands of the bins of a spectrum, `[bins, bands]`.
pub(super) fn mel_weights(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let mut numbers = [0.0; 5];
    for (place, number) in numbers.iter_mut().enumerate() {
        match node.host(b, place)?.elements.first().and_then(Expr::to_f64) {
            Some(value) => *number = value,
            None => fail!("input {place} must be known before the model runs"),
        }
    }
    let [bands, length, rate, lowest, highest] = numbers;
    require!(bands >= 1.0 && length >= 1.0 && rate > 0.0, "expected positive sizes, got {numbers:?}");
    let (bands, bins) = (bands as usize, length as usize / 2 + 1);
    require!(
        bands.checked_mul(bins).is_some_and(|count| count <= MOST_WEIGHTS),
        "{bins} bins of {bands} bands are too many"
    );
    let dtype = node.dtype("output_datatype")?.unwrap_or(DType::F32);
    b.require_room(bands * bins, dtype)?;
    let mel = |hertz: f64| 2595.0 * (1.0 + hertz / 700.0).log10();
    let step = (mel(highest) - mel(lowest)) / (bands as f64 + 2.0);
    let edges: Vec<i64> = (0..bands + 2)
        .map(|place| {
            let hertz = 700.0 * (10_f64.powf((place as f64 * step + mel(lowest)) / 2595.0) - 1.0);
            // Beyond these bounds there is no bin.
            ((length + 1.0) * hertz / rate).floor().clamp(-1e12, 1e12) as i64
        })
        .collect();
    let mut weights = vec![0_f64; bins * bands];
    let mut set = |bin: i64, band: usize, weight: f64| match usize::try_from(bin) {
        Ok(bin) if bin < bins => weights[bin * bands + band] = weight,
        _ => {}
    };
    for band in 0..bands {
        let (low, middle, high) = (edges[band], edges[band + 1], edges[band + 2]);
        if low == middle {
            set(middle, band, 1.0);
        }
        for bin in low.max(0)..=middle.min(bins as i64) {
            if low < middle {
                set(bin, band, (bin - low) as f64 / (middle - low) as f64);
            }
        }
        for bin in middle.max(0)..high.min(bins as i64) {
            set(bin, band, (high - bin) as f64 / (high - middle) as f64);
        }
    }
    let data = TensorData::new(weights, [bins, bands]).convert_dtype(dtype);
    let name = node.definition.outputs.first().cloned().unwrap_or_default();
    Ok(vec![OnnxValue::Constant(b.folded(name, data))])
}
