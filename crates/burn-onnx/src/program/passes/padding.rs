//! Zeros around the input of a convolution as padding of the convolution, which copies nothing.

use super::calls::Calls;
use crate::calls::{ConvWindow, Operand};
use crate::program::Program;
use crate::value::{Expr, Tensor};

impl Program {
    /// Replaces a convolution of an input with zeros around its spatial dimensions by one with padding.
    pub(super) fn find_padding(&mut self) {
        self.replace(|calls, name, operands| {
            let [Operand::Tensor(padded), weight, bias, strides, pads, dilations, group] = operands else {
                return None;
            };
            let (x, added) = if name == "conv" { zeros(calls, padded)? } else { return None };
            let pads = sum(&pads.axes().ok()?, &added)?;
            let (x, weight, bias) = (x.clone(), weight.tensor().ok()?.clone(), bias.tensor().ok().cloned());
            let (strides, dilations, group) =
                (strides.axes().ok()?, dilations.axes().ok()?, group.count().ok()?);
            Some(Box::new(move |b| {
                let window = ConvWindow { strides: &strides, pads: &pads, dilations: &dilations, group };
                b.conv(&x, &weight, bias.as_ref(), window)
            }))
        });
    }
}

/// Padding of a convolution, one entry for each dimension or two, and more zeros before and after each.
fn sum(pads: &[usize], added: &[(usize, usize)]) -> Option<Vec<usize>> {
    let after = pads.len() - added.len();
    let before: Option<Vec<usize>> = (0..added.len()).map(|d| pads[d].checked_add(added[d].0)).collect();
    let after: Option<Vec<usize>> =
        (0..added.len()).map(|d| pads[after + d].checked_add(added[d].1)).collect();
    let (mut before, after) = (before?, after?);
    if before != after {
        before.extend(after);
    }
    Some(before)
}

/// The input of padding with zeros that only a convolution takes, and the zeros before and after each spatial
/// dimension.
fn zeros<'a>(calls: &Calls<'a>, padded: &Tensor) -> Option<(&'a Tensor, Vec<(usize, usize)>)> {
    let [Operand::Tensor(x), Operand::Pairs(pairs), Operand::Number(value)] =
        calls.of(padded, "pad_constant")?
    else {
        return None;
    };
    let is_zero = matches!(value, Expr::Int(0)) || matches!(value, Expr::Float(value) if *value == 0.0);
    let [batch, channels, spatial @ ..] = &pairs[..] else { return None };
    let both = |(before, after): &(Expr, Expr)| before.size().zip(after.size());
    let is_spatial = [batch, channels].into_iter().all(|pair| both(pair) == Some((0, 0)));
    let sizes: Vec<(usize, usize)> = spatial.iter().map(both).collect::<Option<_>>()?;
    (is_zero && is_spatial && calls.is_used_once(padded)).then_some((x, sizes))
}
