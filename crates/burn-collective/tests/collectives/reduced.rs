//! Reductions of lists of numbers in the order of ranks.

use burn::collective::Reduction;

/// Returns the sums, minima and their kin of the lists of all ranks, which are of one length.
pub fn reduced(reduction: Reduction, lists: &[impl AsRef<[f64]>]) -> Vec<f64> {
    let step = |x: f64, y: f64| match reduction {
        Reduction::Sum | Reduction::Mean => x + y,
        Reduction::Min => x.min(y),
        Reduction::Max => x.max(y),
        Reduction::Product => x * y,
    };
    let (first, others) = lists.split_first().expect("there is a rank");
    let value = |at: usize| others.iter().fold(first.as_ref()[at], |x, list| step(x, list.as_ref()[at]));
    let last = |x: f64| if reduction == Reduction::Mean { x / lists.len() as f64 } else { x };
    (0..first.as_ref().len()).map(|at| last(value(at))).collect()
}
