//! Sums of products by an equation of letters, such as `bij,bjk->bik`. Since version 12.

use super::iota::iota;
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};
use burn_ir::DType;

/// Dimension of an equation: a letter, or one of those that an ellipsis stands for, counted from the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Ellipsis(std::cmp::Reverse<usize>),
    Letter(char),
}

/// A tensor whose dimensions have labels.
#[derive(Clone, Debug)]
struct Term {
    x: Tensor,
    labels: Vec<Label>,
}

impl Term {
    fn size(&self, label: Label) -> Option<Expr> {
        self.labels.iter().position(|own| *own == label).and_then(|d| self.x.dims().get(d).cloned())
    }
}

/// Labels of a term of `rank` dimensions, known for an operand and not for the result.
fn labels(text: &str, rank: Option<usize>, widest: usize) -> Outcome<Vec<Label>> {
    let (front, back) = text.split_once("...").unwrap_or((text, ""));
    let letters = |text: &str| text.chars().map(Label::Letter).collect::<Vec<_>>();
    require!(
        front.chars().chain(back.chars()).all(|letter| letter.is_ascii_alphabetic()),
        "`{text}` has other characters than letters"
    );
    let (mut all, back) = (letters(front), letters(back));
    let given = all.len() + back.len();
    if text.contains("...") {
        let count = match rank {
            Some(rank) if rank < given => fail!("`{text}` names more than {rank} dimensions"),
            Some(rank) => rank - given,
            None => widest,
        };
        all.extend((0..count).rev().map(|place| Label::Ellipsis(std::cmp::Reverse(place))));
    } else if let Some(rank) = rank {
        require!(rank == given, "`{text}` names {given} dimensions, the operand has {rank}");
    }
    all.extend(back);
    Ok(all)
}

/// The longest equation: each of its letters is searched in the whole.
const LONGEST: usize = 4096;

pub(super) fn einsum(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let equation: String = node.text("equation", "")?.chars().filter(|c| !c.is_whitespace()).collect();
    require!(equation.len() <= LONGEST, "the equation is too long; expected at most {LONGEST} characters, got {}", equation.len());
    let (inputs, output) = match equation.split_once("->") {
        Some((inputs, output)) => (inputs, Some(output)),
        None => (&equation[..], None),
    };
    let texts: Vec<&str> = inputs.split(',').collect();
    let tensors = b.all_tensors(&node.inputs)?;
    require!(texts.len() == tensors.len(), "`{equation}` is for {} operands, got {}", texts.len(), tensors.len());
    let mut terms = Vec::new();
    for (text, x) in texts.iter().zip(tensors) {
        let labels = labels(text, Some(x.rank()), 0)?;
        terms.push(diagonal(b, Term { x, labels })?);
    }
    let ellipses = terms.iter().flat_map(|term| &term.labels).filter_map(|label| match label {
        Label::Ellipsis(place) => Some(place.0 + 1),
        Label::Letter(_) => None,
    });
    let widest = ellipses.max().unwrap_or(0);
    let wanted = match output {
        Some(output) => labels(output, None, widest)?,
        None => implied(inputs, widest),
    };
    let mut terms = terms.into_iter();
    let Some(mut whole) = terms.next() else { fail!("there is no operand") };
    let rest: Vec<Term> = terms.collect();
    for (place, term) in rest.iter().enumerate() {
        let later = &rest[place + 1..];
        let needed = |label: &Label| wanted.contains(label) || later.iter().any(|term| term.labels.contains(label));
        whole = contracted(b, whole, term.clone(), needed)?;
    }
    let whole = summed(b, whole, |label| wanted.contains(label))?;
    for label in &wanted {
        require!(whole.labels.contains(label), "`{equation}`: the result has a label that no operand has");
    }
    let order: Vec<usize> =
        wanted.iter().filter_map(|label| whole.labels.iter().position(|own| own == label)).collect();
    require!(order.len() == whole.labels.len(), "`{equation}`: a label of the result is there twice");
    let y = if order.is_empty() { whole.x } else { b.permuted(&whole.x, &order)? };
    Ok(vec![y.into()])
}

/// Without an arrow the result has the ellipsis and the letters that are there once, in the order of the
/// alphabet.
fn implied(inputs: &str, widest: usize) -> Vec<Label> {
    let mut letters: Vec<char> =
        inputs.chars().filter(|c| c.is_ascii_alphabetic() && inputs.matches(*c).count() == 1).collect();
    letters.sort_unstable();
    let ellipsis = (0..widest).rev().map(|place| Label::Ellipsis(std::cmp::Reverse(place)));
    ellipsis.chain(letters.into_iter().map(Label::Letter)).collect()
}

/// A term without labels that are there twice: the diagonal of both dimensions.
fn diagonal(b: &mut Builder, mut term: Term) -> Outcome<Term> {
    while let Some((first, second)) = repeated(&term.labels) {
        let (rank, size) = (term.x.rank(), term.x.dim(first)?);
        let (row, column) = (iota(b, &size, first, rank, DType::I64)?, iota(b, &size, second, rank, DType::I64)?);
        let off = b.equal(&row, &column)?;
        let off = b.bool_not(&off)?;
        let only = b.mask_fill(&term.x, &off, 0.into())?;
        let only = b.sum_dims(&only, &[second])?;
        term.x = b.squeezed(&only, &[second])?;
        term.labels.remove(second);
    }
    Ok(term)
}

fn repeated(labels: &[Label]) -> Option<(usize, usize)> {
    (0..labels.len()).find_map(|second| {
        let first = labels[..second].iter().position(|label| *label == labels[second])?;
        Some((first, second))
    })
}

/// The sum over the labels that are not needed.
fn summed(b: &mut Builder, term: Term, needed: impl Fn(&Label) -> bool) -> Outcome<Term> {
    let gone: Vec<usize> = (0..term.labels.len()).filter(|&d| !needed(&term.labels[d])).collect();
    if gone.is_empty() {
        return Ok(term);
    }
    let sum = b.sum_dims(&term.x, &gone)?;
    let labels = term.labels.iter().copied().filter(needed).collect();
    Ok(Term { x: b.squeezed(&sum, &gone)?, labels })
}

/// The product of two terms, summed over the labels that nothing needs any more: a matrix product over the
/// shared labels.
fn contracted(b: &mut Builder, lhs: Term, rhs: Term, needed: impl Fn(&Label) -> bool) -> Outcome<Term> {
    let lhs = summed(b, lhs, |label| needed(label) || rhs.labels.contains(label))?;
    let rhs = summed(b, rhs, |label| needed(label) || lhs.labels.contains(label))?;
    let shared = |label: &Label| lhs.labels.contains(label) && rhs.labels.contains(label);
    let mut batch: Vec<Label> = lhs.labels.iter().copied().filter(|label| shared(label) && needed(label)).collect();
    batch.sort_unstable();
    let inner: Vec<Label> = lhs.labels.iter().copied().filter(|label| shared(label) && !needed(label)).collect();
    let left: Vec<Label> = lhs.labels.iter().copied().filter(|label| !shared(label)).collect();
    let right: Vec<Label> = rhs.labels.iter().copied().filter(|label| !shared(label)).collect();
    // A dimension of size 1 stands for any size.
    let common = |label: &Label| {
        let (a, c) = (lhs.size(*label).unwrap_or(Expr::Int(1)), rhs.size(*label).unwrap_or(Expr::Int(1)));
        if a.is(1) { c } else { a }
    };
    let sizes = |labels: &[Label]| labels.iter().map(common).collect::<Vec<_>>();
    let batches = sizes(&batch);
    let (x, own) = matrix(b, &lhs, [&batch, &left, &inner], &common)?;
    let (y, other) = matrix(b, &rhs, [&batch, &inner, &right], &common)?;
    let product = b.matmul(&x, &y)?;
    let mut dims = batches;
    dims.extend(own[1].iter().cloned());
    dims.extend(other[2].iter().cloned());
    let labels: Vec<Label> = batch.into_iter().chain(left).chain(right).collect();
    Ok(Term { x: b.reshaped(&product, &dims)?, labels })
}

/// A term as a batch of matrices, with the sizes of its three groups of labels.
fn matrix(
    b: &mut Builder,
    term: &Term,
    groups: [&[Label]; 3],
    common: &impl Fn(&Label) -> Expr,
) -> Outcome<(Tensor, [Vec<Expr>; 3])> {
    let sizes = groups.map(|labels| labels.iter().map(common).collect::<Vec<_>>());
    let all: Vec<Label> = groups.concat();
    let order: Vec<usize> =
        all.iter().filter_map(|label| term.labels.iter().position(|own| own == label)).collect();
    let mut x = if order.is_empty() { term.x.clone() } else { b.permuted(&term.x, &order)? };
    let whole = sizes.concat();
    if x.dims() != whole {
        x = b.expand(&x, &whole)?;
    }
    let flat = sizes.each_ref().map(Expr::product);
    Ok((b.reshape(&x, &flat)?, sizes))
}
