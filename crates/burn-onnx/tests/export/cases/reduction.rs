//! Reductions, running reductions and orders.

use super::{Case, case, numbers};
use burn_onnx::export::OnnxExport;

pub fn cases() -> Vec<Case> {
    let batch = || OnnxExport::new().inputs(["x"]).dynamic("x", 0, "batch").dynamic("x", 1, "length");
    let inputs = || vec![numbers([2, 6, 3]), numbers([4, 9, 3])];
    let fixed = || OnnxExport::new().inputs(["x"]).dynamic("x", 0, "batch");
    vec![
        case("reductions", batch(), &0_usize, inputs(), |_, x| {
            let floats = [
                x.clone().sum_dim(1),
                x.clone().mean_dim(0),
                x.clone().prod_dim(2),
                x.clone().max_dim(1),
                x.clone().min_dim(2),
                x.clone().var(1),
                x.clone().var_bias(2),
                x.clone().mean_dims(&[0, 1]),
                x.clone().logsumexp(1),
            ];
            let positive = x.clone().greater_elem(0.0);
            let bools = [positive.clone().any_dim(1), positive.all_dim(2)];
            let indices = [x.clone().argmax(1), x.clone().argmin(2)];
            (floats, bools, indices, x.max())
        }),
        case("running", fixed(), &0_usize, vec![numbers([2, 6, 3]), numbers([3, 6, 3])], |_, x| {
            [x.clone().cumsum(0), x.clone().cumprod(1), x.clone().cummax(1), x.cummin(2)]
        }),
        case("orders", batch(), &0_usize, inputs(), |_, x| {
            let (sorted, places) = x.clone().sort_with_indices(1);
            let (top, top_places) = x.clone().topk_with_indices(2, 1);
            ([sorted, x.clone().sort_descending(0)], places, top, top_places, x.median(2))
        }),
    ]
}
