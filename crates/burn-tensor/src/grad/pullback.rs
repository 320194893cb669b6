//! Derivatives of functions of lists of the backend's own tensors.

use super::tensors::Below;
use crate::promotion::promoted;
use alloc::vec::Vec;
use burn_backend::{
    AutodiffBackend, Backend, BinaryOp, Dims, HasSpec, InnerTensor, ReduceOp, Scalar, Shape, ops,
};

/// A list of tensors of `B`.
pub type List<B> = Vec<<B as Backend>::Tensor>;

fn total<B: Backend>(x: B::Tensor) -> B::Tensor {
    let dims: Dims = (0..x.spec().shape.rank()).collect();
    B::reshape(B::reduce(ReduceOp::Sum, x, dims), Shape::from([1]))
}

/// Computes `sum of xs[i] * ys[i]`, `[1]`, in the dtype that all have in common; `None` of nothing.
fn dot<B: Backend>(xs: List<B>, ys: List<B>) -> Option<B::Tensor> {
    let products = xs.into_iter().zip(ys).map(|(x, y)| total::<B>(B::binary(BinaryOp::Mul, x, y)));
    products.reduce(|sum, next| {
        let (sum, next) = promoted::<B>(sum, next);
        B::binary(BinaryOp::Add, sum, next)
    })
}

/// Computes the gradients of `loss` by `leaves`; zeros for leaves that it does not depend on.
fn gradients<B: AutodiffBackend>(loss: Option<B::Tensor>, leaves: List<B>) -> List<Below<B>> {
    // Without gradients, the loss depends on nothing: all of them are zero.
    let mut gradients = loss.and_then(|loss| B::backward(loss).ok());
    let gradient = |leaf: B::Tensor| {
        let found = gradients.as_mut().and_then(|gradients| B::grad_remove(&leaf, gradients));
        found.unwrap_or_else(|| ops::zeros_like::<Below<B>>(&B::inner(leaf)))
    };
    leaves.into_iter().map(gradient).collect()
}

/// Computes the values of `f` at `x`, and the gradients by `x` of the sum of `weights * values`, where
/// `weights` are chosen when the values are known.
pub fn pullback<B: AutodiffBackend>(
    f: impl FnOnce(List<B>) -> List<B>,
    x: List<Below<B>>,
    weights: impl FnOnce(&[InnerTensor<B>]) -> List<Below<B>>,
) -> (List<Below<B>>, List<Below<B>>) {
    let leaves: List<B> = x.into_iter().map(|x| B::set_require_grad(B::from_inner(x), true)).collect();
    let results = f(leaves.clone());
    let values: List<Below<B>> = results.iter().cloned().map(B::inner).collect();
    let weights = weights(&values).into_iter().map(B::from_inner).collect();
    let gradients = gradients::<B>(dot::<B>(results, weights), leaves);
    (values, gradients)
}

/// Values, and what belongs to each.
type Pair<B> = (List<B>, List<B>);

/// Computes the values of `f` at `x`, and their directional derivative along `direction`: the gradient of a
/// pullback by its weights.
pub fn pushforward<B: AutodiffBackend<InnerBackend: AutodiffBackend>>(
    f: impl FnOnce(List<B>) -> List<B>,
    x: List<Below<Below<B>>>,
    direction: List<Below<Below<B>>>,
) -> Pair<Below<Below<B>>> {
    type Middle<B> = Below<B>;
    let x: List<Middle<B>> = x.into_iter().map(Middle::<B>::from_inner).collect();
    let mut weights: List<Middle<B>> = Vec::new();
    let (values, slopes) = pullback::<B>(f, x, |values| {
        let zeros = values.iter().map(ops::zeros_like::<Middle<B>>);
        weights = zeros.map(|zeros| Middle::<B>::set_require_grad(zeros, true)).collect();
        weights.clone()
    });
    let direction = direction.into_iter().map(Middle::<B>::from_inner).collect();
    let moved = gradients::<Middle<B>>(dot::<Middle<B>>(slopes, direction), weights);
    (values.into_iter().map(Middle::<B>::inner).collect(), moved)
}

/// Computes the gradients by `x` of each element of the values of `f`, in order; and the shapes of the
/// values.
pub fn rows<B: AutodiffBackend>(
    mut f: impl FnMut(List<B>) -> List<B>,
    x: List<Below<B>>,
) -> (Vec<List<Below<B>>>, Vec<Shape>) {
    let (mut rows, mut shapes, mut next) = (Vec::new(), Vec::new(), 0);
    loop {
        let (values, row) = pullback::<B>(&mut f, x.clone(), |values| one_hot::<Below<B>>(values, next));
        let count: usize = values.iter().map(|y| y.spec().shape.num_elements()).sum();
        if next < count {
            rows.push(row);
        }
        next += 1;
        if next >= count {
            shapes.extend(values.iter().map(HasSpec::shape));
            return (rows, shapes);
        }
    }
}

/// Zeros like `values`, with a one in the place of element `at` of all of them.
fn one_hot<B: Backend>(values: &[B::Tensor], at: usize) -> List<B> {
    let mut start = 0;
    let one = |y: &B::Tensor| {
        let (spec, device) = (y.spec(), B::device(y));
        let size = spec.shape.num_elements();
        let zeros = B::full(spec.clone(), Scalar::Int(0), &device);
        let inside = at.checked_sub(start).filter(|&place| place < size);
        start += size;
        let Some(place) = inside else { return zeros };
        let flat = burn_backend::TensorSpec::new([size], spec.dtype);
        let places = B::range(flat, Scalar::Int(0), Scalar::Int(1), &device);
        let hit = B::compare_scalar(burn_backend::CompareOp::Equal, places, Scalar::Int(place as i64));
        B::mask_fill(zeros, B::reshape(hit, spec.shape.clone()), Scalar::Int(1))
    };
    values.iter().map(one).collect()
}
