//! Fourier transforms of signals, whose numbers have one part (real) or two in the last dimension. DFT and
//! STFT since version 17.

use super::iota::{along, iota, item, part};
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};
use burn_ir::DType;

/// Real and imaginary parts of numbers; real numbers have no second part.
fn parts(b: &mut Builder, x: &Tensor) -> Outcome<(Tensor, Option<Tensor>)> {
    let last = x.rank() - 1;
    match x.dim(last)?.known() {
        Some(1) => Ok((item(b, x, last, 0)?, None)),
        Some(2) => Ok((item(b, x, last, 0)?, Some(item(b, x, last, 1)?))),
        _ => fail!("the last dimension of {x:?} must have the one part of real numbers, or two"),
    }
}

fn joined(b: &mut Builder, parts: &[Tensor]) -> Outcome<Tensor> {
    let last = parts[0].rank();
    let parts: Vec<Tensor> = parts.iter().map(|part| b.unsqueeze_dims(part, &[last])).collect::<Outcome<_>>()?;
    if parts.len() == 1 { Ok(parts[0].clone()) } else { b.cat(&parts, last) }
}

/// The dimension cut, or filled up with zeros, to a size.
fn cut(b: &mut Builder, x: &Tensor, axis: usize, size: &Expr) -> Outcome<Tensor> {
    let own = x.dim(axis)?;
    if own == *size {
        return Ok(x.clone());
    }
    let kept = own.min(size.clone());
    let x = part(b, x, axis, 0, kept.clone())?;
    let mut pads = vec![(Expr::Int(0), Expr::Int(0)); x.rank()];
    pads[axis].1 = size.clone() - kept;
    if pads[axis].1.is(0) { Ok(x) } else { b.pad_constant(&x, &pads, 0.into()) }
}

/// The axis is an attribute in versions before 20 and an input since.
pub(super) fn dft(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    require!(x.rank() >= 2, "expected a signal with parts in the last dimension, got {x:?}");
    let axis = match (node.optional_int("axis")?, node.optional(2)) {
        (Some(axis), _) => axis,
        (None, Some(axis)) => match b.host(axis)?.known_ints("the axis")?[..] {
            [axis] => axis,
            _ => fail!("the axis must be one number"),
        },
        (None, None) if node.opset < 20 => 1,
        (None, None) => -2,
    };
    let axis = node.axis(axis, x.rank())?;
    require!(axis + 1 < x.rank(), "the last dimension has the parts of numbers and cannot be transformed");
    let (inverse, onesided) = (node.flag("inverse", false)?, node.flag("onesided", false)?);
    let length = match node.optional(1) {
        Some(length) => match &b.host(length)?.elements[..] {
            [length] => length.clone(),
            _ => fail!("the length must be one number"),
        },
        None if inverse && onesided => (x.dim(axis)? - 1) * 2,
        None => x.dim(axis)?,
    };
    let (re, im) = parts(b, &x)?;
    if inverse && onesided {
        let im = imaginary(b, &re, im)?;
        let y = b.irfft(&re, &im, axis, length)?;
        return Ok(vec![joined(b, &[y])?.into()]);
    }
    let re = cut(b, &re, axis, &length)?;
    let im = im.map(|im| cut(b, &im, axis, &length)).transpose()?;
    let y = match (im, inverse, onesided) {
        (None, false, true) => b.rfft(&re, axis)?,
        (im, false, _) => {
            let im = imaginary(b, &re, im)?;
            b.fft(&re, &im, axis)?
        }
        (im, true, _) => {
            let im = imaginary(b, &re, im)?;
            b.ifft(&re, &im, axis)?
        }
    };
    let half = length / 2 + 1;
    let mut whole = Vec::new();
    for own in &y {
        whole.push(if onesided && !inverse { part(b, own, axis, 0, half.clone())? } else { own.clone() });
    }
    Ok(vec![joined(b, &whole)?.into()])
}

fn imaginary(b: &mut Builder, re: &Tensor, im: Option<Tensor>) -> Outcome<Tensor> {
    match im {
        Some(im) => Ok(im),
        None => b.full(re.dims(), 0.0.into(), re.dtype()),
    }
}

/// Transforms of frames of the signal, weighted by a window.
pub(super) fn stft(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let onesided = node.flag("onesided", true)?;
    let number = |b: &mut Builder, value: &OnnxValue| match b.host(value)?.elements.first() {
        Some(number) => Ok(number.clone()),
        None => fail!("an input must be one number"),
    };
    let Some(step) = number(b, node.input(1)?)?.size().filter(|&step| step > 0) else {
        fail!("the distance of frames must be known and positive")
    };
    let window = node.optional_tensor(b, 2)?;
    let length = match (node.optional(3), &window) {
        (Some(length), _) => number(b, length)?,
        (None, Some(window)) => window.held_dim(0)?,
        (None, None) => fail!("a window or the length of frames must be given"),
    };
    let (re, im) = if x.rank() == 3 { parts(b, &x)? } else { (x.clone(), None) };
    require!(re.rank() == 2, "expected a signal [batch, length, parts], got {x:?}");
    let frames = (re.dim(1)? - length.clone()).max(0) / step + 1;
    let starts = iota(b, &frames, 0, 2, DType::I64)?;
    let starts = b.mul_scalar(&starts, step.into())?;
    let places = iota(b, &length, 1, 2, DType::I64)?;
    let places = b.add(&starts, &places)?;
    let places = b.reshape(&places, &[frames.clone() * length.clone()])?;
    let mut framed = |x: &Tensor| {
        let y = b.select(x, 1, &places)?;
        let y = b.reshape(&y, &[x.dim(0)?, frames.clone(), length.clone()])?;
        match &window {
            Some(window) => {
                let window = cut(b, window, 0, &length)?;
                let window = along(b, &window, 2, 3)?;
                b.mul(&y, &window)
            }
            None => Ok(y),
        }
    };
    let re = framed(&re)?;
    let im = im.map(|im| framed(&im)).transpose()?;
    let y = match im {
        None if onesided => b.rfft(&re, 2)?,
        im => {
            let im = imaginary(b, &re, im)?;
            b.fft(&re, &im, 2)?
        }
    };
    let mut whole = Vec::new();
    for own in &y {
        whole.push(if onesided { part(b, own, 2, 0, length.clone() / 2 + 1)? } else { own.clone() });
    }
    Ok(vec![joined(b, &whole)?.into()])
}
