//! Counts of n-grams of integers, weighted. TfIdfVectorizer since version 9; pools of texts have no
//! counterpart.

use super::iota::{along, part};
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};
use burn_ir::DType;

/// The most columns of the result.
const MOST_COLUMNS: i64 = 1 << 20;

/// How often each n-gram of a pool is in a row, with up to `max_skip_count` elements left out between two of
/// it (`TF`); its weight where it is (`IDF`); or both as a product (`TFIDF`).
pub(super) fn tf_idf(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let input = node.tensor(b, 0)?;
    let Some(pool) = node.ints_attribute("pool_int64s")? else { fail!("only pools of integers are supported") };
    let list = |name: &str| match node.ints_attribute(name)? {
        Some(values) => Ok(values),
        None => fail!("attribute `{name}` is missing"),
    };
    let (starts, columns) = (list("ngram_counts")?, list("ngram_indexes")?);
    let size = |name: &str, default: i64| match usize::try_from(node.int(name, default)?) {
        Ok(size) => Ok(size),
        Err(_) => fail!("attribute `{name}` is negative"),
    };
    let (shortest, longest, skips) =
        (size("min_gram_length", 1)?.max(1), size("max_gram_length", 1)?, size("max_skip_count", 0)?);
    require!(longest <= starts.len(), "attribute `ngram_counts` has {} lengths of n-grams, not {longest}", starts.len());
    let x = b.convert(&input, DType::I64)?;
    let x = if x.rank() == 2 { x } else { b.reshape(&x, &[1.into(), Expr::product(input.dims())])? };
    let (rows, Some(length)) = (x.dim(0)?, x.dim(1)?.size()) else {
        fail!("the length of the rows must be known, found {x:?}")
    };
    let width = columns.iter().max().map_or(0, |column| column.saturating_add(1));
    require!(width <= MOST_COLUMNS, "attribute `ngram_indexes` has a column of {width}; expected at most {MOST_COLUMNS}");
    let mut whole = b.full(&[rows.clone(), width.into()], 0.0.into(), DType::F32)?;
    // N-grams of the pool before those of the current length.
    let mut first = 0;
    for gram in 1..=starts.len() {
        let end = starts.get(gram).map_or(pool.len(), |&end| usize::try_from(end).unwrap_or(usize::MAX));
        let start = usize::try_from(starts[gram - 1]).unwrap_or(usize::MAX);
        let Some(own) = pool.get(start..end) else { fail!("attribute `ngram_counts` goes beyond the pool") };
        let Some(own_columns) = columns.get(first..first + own.len() / gram) else {
            fail!("attribute `ngram_indexes` has {} numbers, too few for the pool", columns.len())
        };
        first += own_columns.len();
        if gram < shortest || gram > longest || own.is_empty() {
            continue;
        }
        // A single element has nothing to leave out.
        let steps = if gram == 1 { 1 } else { skips.saturating_add(1) };
        let Some(counts) = counts(b, &x, own, gram, steps, length)? else { continue };
        let columns: Vec<Expr> = own_columns.iter().map(|&column| column.into()).collect();
        let columns = b.ints(&columns, DType::I64)?;
        let columns = along(b, &columns, 1, 2)?;
        let columns = b.expand(&columns, counts.dims())?;
        whole = b.scatter_add(&whole, 1, &columns, &counts)?;
    }
    let y = weighted(node, b, whole, &columns, width)?;
    let dims = if input.rank() == 2 { vec![rows, width.into()] } else { vec![width.into()] };
    Ok(vec![b.reshaped(&y, &dims)?.into()])
}

/// How often each n-gram is in a row with its elements at most `steps` apart: `[rows, n-grams]`; nothing
/// where the rows are shorter than the n-grams.
fn counts(b: &mut Builder, x: &Tensor, pool: &[i64], gram: usize, steps: usize, length: usize) -> Outcome<Option<Tensor>> {
    let mut counts: Option<Tensor> = None;
    for step in 1..=steps {
        let reach = (gram - 1).saturating_mul(step);
        // Longer steps do not fit the rows either.
        let Some(places) = length.checked_sub(reach).filter(|&places| places > 0) else { break };
        b.budget.trip()?;
        let found = found(b, x, pool, gram, step, places)?;
        counts = Some(match counts {
            Some(counts) => b.add(&counts, &found)?,
            None => found,
        });
    }
    Ok(counts)
}

/// Applies the mode to counts: as they are, or whether there are any, and with the weights of the columns.
fn weighted(node: &Node<'_>, b: &mut Builder, counts: Tensor, columns: &[i64], width: i64) -> Outcome<Tensor> {
    let weights = match node.floats_attribute("weights")? {
        Some(weights) => {
            // Weights are in the order of the pool, the result in that of its columns.
            let mut by_column = vec![Expr::Float(1.0); usize::try_from(width).unwrap_or(0)];
            for (&column, &weight) in columns.iter().zip(&weights) {
                if let Some(own) = usize::try_from(column).ok().and_then(|column| by_column.get_mut(column)) {
                    *own = weight.into();
                }
            }
            let weights = b.floats(&by_column, DType::F32)?;
            Some(along(b, &weights, 1, 2)?)
        }
        None => None,
    };
    let mode = node.text("mode", "TF")?;
    let counts = if mode == "IDF" {
        let there = b.greater_elem(&counts, 0.0.into())?;
        b.convert(&there, DType::F32)?
    } else {
        counts
    };
    match (&mode[..], weights) {
        ("TF", _) | ("IDF" | "TFIDF", None) => Ok(counts),
        ("IDF" | "TFIDF", Some(weights)) => b.mul(&counts, &weights),
        (other, _) => fail!("attribute `mode` must be TF, IDF or TFIDF, found `{other}`"),
    }
}

/// How often each n-gram is in a row with its elements `step` apart: `[rows, n-grams]`.
fn found(b: &mut Builder, x: &Tensor, pool: &[i64], gram: usize, step: usize, places: usize) -> Outcome<Tensor> {
    let mut all: Option<Tensor> = None;
    for element in 0..gram {
        let own: Vec<Expr> = pool.iter().skip(element).step_by(gram).map(|&value| value.into()).collect();
        let own = b.ints(&own, DType::I64)?;
        let own = along(b, &own, 2, 3)?;
        let here = part(b, x, 1, element * step, element * step + places)?;
        let here = b.unsqueeze_dims(&here, &[2])?;
        let equal = b.equal(&here, &own)?;
        all = Some(match all {
            Some(all) => b.bool_and(&all, &equal)?,
            None => equal,
        });
    }
    let Some(all) = all else { fail!("an n-gram has no element") };
    let counts = b.convert(&all, DType::F32)?;
    let counts = b.sum_dims(&counts, &[1])?;
    b.squeezed(&counts, &[1])
}
