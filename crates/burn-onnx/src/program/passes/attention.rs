//! Attention that exporters write as products of matrices around a softmax.

use super::calls::{Calls, LONGEST, either_order};
use crate::builder::Builder;
use crate::calls::Operand;
use crate::error::Outcome;
use crate::program::Program;
use crate::value::{Expr, Tensor};
use burn_ir::DType;

/// Threshold below which a fill value counts as hiding the key, since every score is larger.
const HIDES: f64 = -1e30;

/// `softmax(factor q k^T + mask) v`.
struct Attention {
    query: Tensor,
    /// The keys, or their transpose.
    key: Tensor,
    is_transposed: bool,
    value: Tensor,
    factor: f64,
    mask: Option<Mask>,
}

/// Mask of the attention scores.
enum Mask {
    /// Added to the scores.
    Add(Tensor),
    /// Replaces scores by a number where it is true.
    Fill(Tensor, f64),
    /// Replaces scores by a number where it is false.
    FillOthers(Tensor, f64),
}

impl Program {
    /// Replaces the products, the mask and the softmax of attention by one call, which never has a matrix of
    /// scores.
    pub(super) fn find_attention(&mut self) {
        self.replace(|calls, name, operands| {
            if name != "matmul" {
                return None;
            }
            let found = attention(calls, operands)?;
            Some(Box::new(move |b| found.make(b)))
        });
    }
}

impl Attention {
    fn make(self, b: &mut Builder) -> Outcome<Tensor> {
        let key = if self.is_transposed { b.permute(&self.key, &[0, 1, 3, 2])? } else { self.key };
        let (hidden, number) = match self.mask {
            None => return b.attention(&self.query, &key, &self.value, false, self.factor),
            Some(Mask::Add(mask)) => {
                return b.attention_masked(&self.query, &key, &self.value, &mask, self.factor);
            }
            Some(Mask::Fill(hidden, number)) => (hidden, number),
            Some(Mask::FillOthers(seen, number)) => (b.bool_not(&seen)?, number),
        };
        let ones = b.bool_to_float(&hidden, self.query.dtype())?;
        // Zero times infinity would be no number.
        let mask = b.mul_scalar(&ones, number.max(f64::from(f32::MIN)).into())?;
        b.attention_masked(&self.query, &key, &self.value, &mask, self.factor)
    }
}

/// Attention whose last product has these arguments.
fn attention(calls: &Calls<'_>, operands: &[Operand]) -> Option<Attention> {
    let (weights, value) = (operands[0].tensor().ok()?, operands[1].tensor().ok()?);
    let softmax = calls.of(weights, "softmax").filter(|_| calls.is_used_once(weights))?;
    let scores = softmax[0].tensor().ok()?;
    let is_last = softmax[1].count().ok()? == 3;
    if !is_last || value.held_dims().len() != 4 || value.dtype() != DType::F32 {
        return None;
    }
    let (scores, mask) = masked(calls, scores)?;
    let (scores, factor) = scaled(calls, scores);
    let shape = scores.held_dims();
    let product = calls.of(scores, "matmul").filter(|_| calls.is_used_once(scores))?;
    let (query, by_query) = scaled(calls, product[0].tensor().ok()?);
    let (turned, by_key) = scaled(calls, product[1].tensor().ok()?);
    let (key, is_transposed) = match transposed(calls, turned) {
        Some(key) => (key, false),
        None => (turned, true),
    };
    let keys = if is_transposed { 3 } else { 2 };
    let (q, k, v) = (query.held_dims(), key.held_dims(), value.held_dims());
    let heads_fit = q.len() == 4 && k.len() == 4 && q[..2] == k[..2] && q[..2] == v[..2];
    let fits = heads_fit && k[keys] == v[2];
    let mask_fits = mask.as_ref().is_none_or(|mask| {
        let (Mask::Add(mask) | Mask::Fill(mask, _) | Mask::FillOthers(mask, _)) = mask;
        let dims = mask.held_dims();
        // Sizes that only the run knows are those of the scores, or the run says that they do not fit.
        let may_be = |(found, wanted): (&Expr, &Expr)| {
            found == wanted || found.is(1) || found.known().is_none() || wanted.known().is_none()
        };
        dims.len() == 4 && dims.iter().zip(shape).all(may_be)
    });
    let (query, key, value) = (query.clone(), key.clone(), value.clone());
    let factor = factor * by_query * by_key;
    (fits && mask_fits).then_some(Attention { query, key, is_transposed, value, factor, mask })
}

/// Scores before a mask, and the mask.
fn masked<'a>(calls: &Calls<'a>, scores: &'a Tensor) -> Option<(&'a Tensor, Option<Mask>)> {
    if let Some(operands) = calls.of(scores, "add") {
        // The scores are what comes from a product.
        let found = either_order(operands)?.into_iter().find(|(product, _)| {
            let (product, _) = scaled(calls, product);
            calls.of(product, "matmul").is_some()
        });
        let (product, mask) = found?;
        return calls.is_used_once(scores).then(|| (product, Some(Mask::Add(mask.clone()))));
    }
    if let Some(operands) = calls.of(scores, "mask_fill") {
        let (product, hidden) = (operands[0].tensor().ok()?, operands[1].tensor().ok()?);
        let number = operands[2].number().ok()?.to_f64()?;
        let mask = Mask::Fill(hidden.clone(), number);
        return (number <= HIDES && calls.is_used_once(scores)).then_some((product, Some(mask)));
    }
    if let Some(operands) = calls.of(scores, "mask_where") {
        let [filled, seen, product] = [0, 1, 2].map(|place| operands[place].tensor());
        let (filled, seen, product) = (filled.ok()?, seen.ok()?, product.ok()?);
        let number = calls.constant_number(filled)?;
        let mask = Mask::FillOthers(seen.clone(), number);
        return (number <= HIDES && calls.is_used_once(scores)).then_some((product, Some(mask)));
    }
    Some((scores, None))
}

/// A tensor before it was multiplied by numbers, and their product.
fn scaled<'a>(calls: &Calls<'a>, mut tensor: &'a Tensor) -> (&'a Tensor, f64) {
    let mut factor = 1.0;
    for _ in 0..LONGEST {
        if let Some((x, number)) = calls.with_number(tensor, "mul_scalar") {
            (tensor, factor) = (x, factor * number);
        } else if let Some((x, number)) = calls.with_number(tensor, "div_scalar") {
            (tensor, factor) = (x, factor / number);
        } else {
            break;
        }
    }
    (tensor, factor)
}

/// The matrices whose transposes these are: by one call, or by one between two that take heads and batch
/// together and apart.
fn transposed<'a>(calls: &Calls<'a>, turned: &'a Tensor) -> Option<&'a Tensor> {
    if let Some(operands) = calls.of(turned, "permute") {
        return (operands[1].axes().ok()? == [0, 1, 3, 2]).then(|| operands[0].tensor().ok())?;
    }
    let flat = calls.of(calls.argument(turned, "reshape")?, "permute")?;
    let whole = calls.argument(flat[0].tensor().ok()?, "reshape")?;
    let (to, from) = (turned.held_dims(), whole.held_dims());
    let joined = flat[0].tensor().ok()?.held_dims();
    let is_turned = flat[1].axes().ok()? == [0, 2, 1]
        && to.len() == 4
        && from.len() == 4
        && to[..2] == from[..2]
        && to[2] == from[3]
        && to[3] == from[2]
        && joined[1..] == from[2..];
    is_turned.then_some(whole)
}
