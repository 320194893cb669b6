//! Results that lie in memory as operands do: channels that are last stay last.

use super::program::Program;
use crate::device::engine::Engine;
use crate::launch::tensor::CubeTensor;
use crate::ops::layout::{expand, permute};
use burn_backend::*;

impl Program {
    /// As [`Program::run`], with results in the order of dimensions in which all whole operands lie that are
    /// dense.
    pub fn run_in_order(
        self,
        shape: &Shape,
        inputs: &[&CubeTensor],
        specs: Vec<TensorSpec>,
        engine: &'static dyn Engine,
    ) -> Vec<CubeTensor> {
        let Some(order) = common_order(shape, inputs) else { return self.run(shape, inputs, specs, engine) };
        let turned = |shape: &Shape| -> Shape { order.iter().map(|&d| shape[d]).collect() };
        let views: Vec<_> =
            inputs.iter().map(|&x| permute(expand(x.clone(), shape.clone()), &order)).collect();
        let specs = specs.iter().map(|spec| TensorSpec::new(turned(&spec.shape), spec.dtype)).collect();
        let results = self.run(&turned(shape), &views.iter().collect::<Vec<_>>(), specs, engine);
        let mut back = order.clone();
        order.iter().enumerate().for_each(|(at, &d)| back[d] = at);
        results.into_iter().map(|x| permute(x, &back)).collect()
    }
}

/// The order of all operands of this shape that are dense, if it is another than that of rows.
fn common_order(shape: &Shape, inputs: &[&CubeTensor]) -> Option<Dims> {
    let whole = || inputs.iter().filter(|x| x.spec().shape == *shape);
    if whole().any(|x| x.is_contiguous()) {
        return None;
    }
    let mut orders = whole().filter_map(|x| order(shape, x.strides()));
    let first = orders.next().filter(|first| !is_ascending(first, shape))?;
    orders.all(|order| order == first).then_some(first)
}

/// The dimensions of a view without gaps and repetitions, the outermost in memory first; those of one element
/// come before them.
fn order(shape: &Shape, strides: &Dims) -> Option<Dims> {
    let (single, mut order): (Vec<_>, Vec<_>) = (0..shape.rank()).partition(|&d| shape[d] == 1);
    order.sort_by_key(|&d| std::cmp::Reverse(strides[d]));
    let mut step = 1;
    for &d in order.iter().rev() {
        if strides[d] != step {
            return None;
        }
        step *= shape[d];
    }
    Some(single.into_iter().chain(order).collect())
}

/// Whether dimensions of more than one element are in their own order, if those of one come first.
fn is_ascending(order: &Dims, shape: &Shape) -> bool {
    let sizes = order.iter().filter(|&&d| shape[d] != 1);
    sizes.is_sorted()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(shape: [usize; 4], strides: [usize; 4]) -> Option<Vec<usize>> {
        order(&Shape::from(shape), &Dims::from(strides)).map(|order| order.to_vec())
    }

    #[test]
    fn dense_views_have_an_order() {
        let shape = [2, 3, 4, 5];
        assert_eq!(found(shape, [60, 20, 5, 1]), Some(vec![0, 1, 2, 3]));
        assert_eq!(found(shape, [60, 1, 15, 3]), Some(vec![0, 2, 3, 1]));
        // A dimension of one element is anywhere.
        assert_eq!(found([2, 1, 4, 5], [20, 7, 1, 4]), Some(vec![1, 0, 3, 2]));
        // A slice, a repetition and a flip.
        assert_eq!(found(shape, [80, 20, 5, 1]), None);
        assert_eq!(found(shape, [0, 20, 5, 1]), None);
        assert_eq!(found(shape, [60, 20, 5, 1_usize.wrapping_neg()]), None);
    }

    #[test]
    fn rows_are_in_their_own_order() {
        let shape = Shape::from([2, 1, 4, 5]);
        assert!(is_ascending(&Dims::from([1, 0, 2, 3]), &shape));
        assert!(!is_ascending(&Dims::from([1, 0, 3, 2]), &shape));
    }
}
