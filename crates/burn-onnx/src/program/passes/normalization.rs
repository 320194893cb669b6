//! Normalizations over the last dimension that exporters take apart.

use super::calls::{Calls, either_order};
use crate::calls::Operand;
use crate::program::Program;
use crate::value::Tensor;

/// Numerator of a normalization, which is divided by the root of its mean square.
struct Normalized<'a> {
    /// The input of the normalization.
    x: &'a Tensor,
    /// Whether its mean was subtracted.
    is_centered: bool,
    epsilon: f64,
}

impl Program {
    /// Replaces `x / sqrt(mean(x^2) + epsilon) weight` by a root mean square normalization, and the same of
    /// `x - mean(x)`, with `bias` added, by a layer normalization.
    pub(super) fn find_norms(&mut self) {
        self.replace(|calls, name, operands| {
            let (norm, weight, bias) = shifted(calls, name, operands)
                .or_else(|| weighted(calls, name, operands).map(|(norm, weight)| (norm, weight, None)))?;
            if !norm.is_centered && bias.is_some() {
                return None;
            }
            let Normalized { x, is_centered, epsilon } = norm;
            let (x, weight, bias) = (x.clone(), weight.cloned(), bias.cloned());
            Some(Box::new(move |b| {
                if is_centered {
                    b.layer_norm(&x, weight.as_ref(), bias.as_ref(), epsilon)
                } else {
                    b.rms_norm(&x, weight.as_ref(), epsilon)
                }
            }))
        });
    }
}

type Weighted<'a> = (Normalized<'a>, Option<&'a Tensor>);
type Shifted<'a> = (Normalized<'a>, Option<&'a Tensor>, Option<&'a Tensor>);

/// A normalization, its weight, and its bias.
fn shifted<'a>(calls: &Calls<'a>, name: &str, operands: &'a [Operand]) -> Option<Shifted<'a>> {
    let pairs = if name == "add" { either_order(operands)? } else { return None };
    pairs.into_iter().find_map(|(scaled, bias)| {
        let inner = calls.of(scaled, "mul").filter(|_| calls.is_used_once(scaled))?;
        let (norm, weight) = weighted(calls, "mul", inner)?;
        let bias = vector(calls, bias, norm.x)?;
        Some((norm, weight, Some(bias)))
    })
}

/// A normalization and its weight, or one without.
fn weighted<'a>(calls: &Calls<'a>, name: &str, operands: &'a [Operand]) -> Option<Weighted<'a>> {
    if name == "mul" {
        let found = either_order(operands)?.into_iter().find_map(|(norm, weight)| {
            let inner =
                ["mul", "div"].into_iter().find_map(|name| normalized(calls, name, calls.of(norm, name)?))?;
            let weight = vector(calls, weight, inner.x)?;
            calls.is_used_once(norm).then_some((inner, Some(weight)))
        });
        if found.is_some() {
            return found;
        }
    }
    normalized(calls, name, operands).map(|norm| (norm, None))
}

/// `x / sqrt(mean(x^2) + epsilon)`, as a quotient or as a product with the reciprocal.
fn normalized<'a>(calls: &Calls<'a>, name: &str, operands: &'a [Operand]) -> Option<Normalized<'a>> {
    let pairs = either_order(operands)?;
    match name {
        "div" => root(calls, pairs[0].0, pairs[0].1),
        "mul" => pairs.into_iter().find_map(|(x, inverse)| {
            let divisor = calls.argument(inverse, "recip").or_else(|| {
                let operands = calls.of(inverse, "div")?;
                let one = calls.constant_number(operands[0].tensor().ok()?)?;
                if one == 1.0 { operands[1].tensor().ok() } else { None }
            });
            root(calls, x, divisor?)
        }),
        _ => None,
    }
}

/// Whether `divisor` is `sqrt(mean(x^2) + epsilon)`.
fn root<'a>(calls: &Calls<'a>, x: &'a Tensor, divisor: &Tensor) -> Option<Normalized<'a>> {
    let sum = calls.argument(divisor, "sqrt").or_else(|| calls.scalar(divisor, "powf_scalar", 0.5))?;
    let (mean, epsilon) = calls.with_number(sum, "add_scalar")?;
    let square = mean_of_last(calls, mean, x)?;
    let of_square = calls.scalar(square, "powf_scalar", 2.0).or_else(|| {
        let [(a, b), _] = calls.either_order(square, "mul")?;
        (a.id == b.id).then_some(a)
    })?;
    if of_square.id != x.id && centered(calls, of_square)?.id != centered(calls, x)?.id {
        return None;
    }
    match centered(calls, x) {
        Some(input) => Some(Normalized { x: input, is_centered: true, epsilon }),
        None => Some(Normalized { x, is_centered: false, epsilon }),
    }
}

/// `x` of `x - mean(x)`.
fn centered<'a>(calls: &Calls<'a>, tensor: &Tensor) -> Option<&'a Tensor> {
    let operands = calls.of(tensor, "sub")?;
    let (x, mean) = (operands[0].tensor().ok()?, operands[1].tensor().ok()?);
    (mean_of_last(calls, mean, x)?.id == x.id).then_some(x)
}

/// The tensor whose mean over the last dimension this is; `like` has its rank.
fn mean_of_last<'a>(calls: &Calls<'a>, mean: &Tensor, like: &Tensor) -> Option<&'a Tensor> {
    let operands = calls.of(mean, "mean_dims")?;
    let last = like.held_dims().len().checked_sub(1)?;
    (operands[1].axes().ok()? == [last]).then(|| operands[0].tensor().ok())?
}

/// A vector of the size of the last dimension of `x`, which stands with dimensions of size 1 in front.
fn vector<'a>(calls: &Calls<'a>, tensor: &'a Tensor, x: &Tensor) -> Option<&'a Tensor> {
    let vector = calls.argument(tensor, "unsqueeze_dims").unwrap_or(tensor);
    (vector.held_dims().len() == 1 && vector.held_dims().last() == x.held_dims().last()).then_some(vector)
}
