use super::contract::{Piece, contract, cost};
use super::equation::{Equation, Label, parse};
use crate::check::ensure;
use crate::dim::resolve_all;
use crate::promotion::{all_promoted, promoted};
use crate::{AsDim, EinsumOperands, Numeric, Tensor, TensorError};
use alloc::string::String;
use alloc::vec::Vec;
use burn_backend::{Backend, HasSpec};
use burn_derive::fallible;

/// Computes the sum of products given by an Einstein summation `equation`: one term of letters for each
/// operand and one for the result. A letter that the result does not have is summed over; one that stands
/// twice in a term takes the diagonal; `...` stands for the other dimensions, which broadcast. Without `->`
/// the result has the dimensions of `...` and every letter that stands once, in the order of the alphabet.
/// PyTorch: `torch.einsum`.
///
/// Two operands at a time are permuted and reshaped to a product of matrices, those with the smallest product
/// first.
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, einsum};
/// fn scores<B: Backend>(queries: Tensor<B, 4>, keys: Tensor<B, 4>) -> Tensor<B, 4> {
///     einsum("bqhd,bkhd->bhqk", [queries, keys])
/// }
/// fn bilinear<B: Backend>(x: Tensor<B, 1>, weight: Tensor<B, 3>, y: Tensor<B, 1>) -> Tensor<B, 1> {
///     einsum("i,kij,j->k", (x, weight, y))
/// }
/// ```
///
/// # Errors
/// When the equation has something else in it, does not fit the shapes of the operands, or gives another rank
/// than `D`.
#[fallible]
pub fn try_einsum<B: Backend, const D: usize, K: Numeric>(
    equation: &str,
    operands: impl EinsumOperands<B, K>,
) -> Result<Tensor<B, D, K>, TensorError> {
    let tensors = all_promoted::<B>(operands.into_handles());
    let shapes: Vec<_> = tensors.iter().map(HasSpec::shape).collect();
    let parsed = match parse(equation, &shapes) {
        Ok(parsed) => parsed,
        Err(message) => return Err(TensorError::argument("einsum", format_args!("`{equation}`: {message}"))),
    };
    let rank = parsed.result.len();
    ensure!(rank == D, "einsum", "`{equation}`: the result has rank {rank}, not {D}");
    match evaluate::<B>(tensors, parsed) {
        Ok(tensor) => Ok(Tensor::from_handle(tensor)),
        Err(message) => Err(TensorError::argument("einsum", format_args!("`{equation}`: {message}"))),
    }
}

fn evaluate<B: Backend>(tensors: Vec<B::Tensor>, equation: Equation) -> Result<B::Tensor, String> {
    let Equation { terms, result, sizes } = equation;
    let full = |label: Label| sizes.get(&label).copied().unwrap_or(1);
    let named = tensors.into_iter().zip(terms);
    let mut pieces: Vec<Piece<B>> =
        named.map(|(tensor, labels)| Piece { tensor, labels }.diagonal().narrow(full)).collect();
    while pieces.len() > 1 {
        let (first, second) = cheapest(&pieces, &result);
        let rhs = pieces.remove(second);
        let lhs = pieces.remove(first);
        let product = contract(lhs, rhs, |label| wanted(label, &pieces, &result))?;
        pieces.push(product);
    }
    let last =
        pieces.into_iter().map(|piece| piece.summed(|label| result.contains(&label)).arranged(&result));
    last.last().ok_or_else(|| String::from("has no operand"))
}

fn wanted<B: Backend>(label: Label, others: &[Piece<B>], result: &[Label]) -> bool {
    result.contains(&label) || others.iter().any(|piece| piece.labels.contains(&label))
}

/// Returns the pair with the smallest product.
fn cheapest<B: Backend>(pieces: &[Piece<B>], result: &[Label]) -> (usize, usize) {
    let pairs = (0..pieces.len()).flat_map(|second| (0..second).map(move |first| (first, second)));
    let price = |&(first, second): &(usize, usize)| {
        let other = |label: Label| {
            let mut others = pieces.iter().enumerate().filter(|&(at, _)| at != first && at != second);
            result.contains(&label) || others.any(|(_, piece)| piece.labels.contains(&label))
        };
        cost(&pieces[first], &pieces[second], other)
    };
    pairs.min_by_key(price).unwrap_or((0, 1))
}

#[fallible]
/// # Linear algebra: `einsum`, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Computes the sum of products over `dims` of this tensor and `other_dims` of the other, pair by pair;
    /// the result has the dimensions of this one that are left, then those of the other. PyTorch:
    /// `torch.tensordot`.
    ///
    /// # Errors
    /// When a pair has different sizes, a dimension does not exist or is named twice, or the result has
    /// another rank than `DO`.
    pub fn try_tensordot<const DR: usize, const DO: usize>(
        self,
        other: Tensor<B, DR, K>,
        dims: &[impl AsDim],
        other_dims: &[impl AsDim],
    ) -> Result<Tensor<B, DO, K>, TensorError> {
        let (lhs, rhs) = (self.shape(), other.shape());
        let dims = resolve_all(dims, "tensordot", &lhs)?;
        let other_dims = resolve_all(other_dims, "tensordot", &rhs)?;
        let (count, pairs) = (dims.len(), other_dims.len());
        ensure!(
            count == pairs,
            "tensordot",
            "{count} dimensions {dims:?} for {pairs} dimensions {other_dims:?}"
        );
        let mut right: Vec<Label> = (D..D + DR).collect();
        for (pair, (&dim, &other)) in dims.iter().zip(other_dims.iter()).enumerate() {
            let twice = dims[..pair].contains(&dim) || other_dims[..pair].contains(&other);
            ensure!(!twice, "tensordot", "a dimension is named twice in {dims:?} or {other_dims:?}");
            let (own, size) = (lhs[dim], rhs[other]);
            ensure!(
                own == size,
                "tensordot",
                "dimension {dim} of {lhs:?} is {own}, dimension {other} of {rhs:?} is {size}"
            );
            right[other] = dim;
        }
        let rank = D + DR - 2 * count;
        ensure!(rank == DO, "tensordot", "the result has rank {rank}, not {DO}");
        let (lhs, rhs) = promoted::<B>(self.into_handle(), other.into_handle());
        let (lhs, rhs) =
            (Piece::<B> { tensor: lhs, labels: (0..D).collect() }, Piece { tensor: rhs, labels: right });
        match contract(lhs, rhs, |label| !dims.contains(&label)) {
            Ok(product) => Ok(Tensor::from_handle(product.tensor)),
            Err(message) => Err(TensorError::argument("tensordot", format_args!("{message}"))),
        }
    }
}
