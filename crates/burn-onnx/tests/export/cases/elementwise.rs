//! Elementwise functions, comparisons and masks.

use super::{C, Case, case, numbers, whole};
use burn::tensor::{Int, Tensor, activation};
use burn_onnx::export::OnnxExport;

pub fn cases() -> Vec<Case> {
    let batch = || OnnxExport::new().inputs(["x"]).dynamic("x", 0, "batch");
    let two = || OnnxExport::new().inputs(["x", "y"]).dynamic("x", 0, "batch").dynamic("y", 0, "batch");
    let inputs = || vec![numbers([2, 9]), numbers([5, 9])];
    let pairs =
        || vec![(numbers([2, 9]), numbers([2, 9]) * 0.7 + 0.4), (numbers([5, 9]), numbers([5, 9]) * 2)];
    vec![
        case("elementary", batch(), &0_usize, inputs(), |_, x| {
            let above = x.clone().abs() + 1.0;
            [
                x.clone().exp(),
                above.clone().log(),
                above.clone().sqrt(),
                above.recip(),
                x.clone().erf(),
                x.clone().powi_scalar(3),
                (x.clone() * 0.001).expm1(),
                (x * 0.001).log1p(),
            ]
        }),
        case("trigonometric", batch(), &0_usize, inputs(), |_, x| {
            let above = x.clone().abs() + 1.5;
            [
                x.clone().sin(),
                x.clone().cos(),
                x.clone().tan(),
                (x.clone() * 0.9).asin(),
                (x.clone() * 0.9).acos(),
                x.clone().atan(),
                x.clone().sinh(),
                x.clone().cosh(),
                x.clone().asinh(),
                above.acosh(),
                (x * 0.9).atanh(),
            ]
        }),
        case("rounding", batch(), &0_usize, inputs(), |_, x| {
            let x = x * 4;
            [
                x.clone().floor(),
                x.clone().ceil(),
                x.clone().round(),
                x.clone().trunc(),
                x.clone().sign(),
                x.clone().clamp(-1.5, 2.5),
                x.clamp_min(0.25),
            ]
        }),
        case("activations", batch(), &0_usize, inputs(), |_, x| {
            let x = x * 3;
            [
                activation::relu(x.clone()),
                activation::gelu(x.clone()),
                activation::gelu_tanh(x.clone()),
                activation::silu(x.clone()),
                activation::leaky_relu(x.clone(), 0.1),
                activation::softplus(x.clone(), 1.5),
                activation::log_sigmoid(x.clone()),
                activation::hard_swish(x.clone()),
                activation::mish(x.clone()),
                activation::elu(x.clone(), 1.2),
                activation::selu(x.clone()),
                activation::softsign(x),
            ]
        }),
        case("arithmetic", two(), &0_usize, pairs(), |_, (x, y)| {
            let (x, y) = (x * 5, y * 2 + 0.01);
            [
                x.clone() / y.clone(),
                x.clone() % y.clone(),
                x.clone().fmod(y.clone()),
                x.clone().atan2(y.clone()),
                x.clone().hypot(y.clone()),
                x.clone().max_pair(y.clone()),
                x.clone().min_pair(y.clone()),
                x.clone() % 1.5,
                x.clone() - x.mean_dim(0) * y,
            ]
        }),
        case("comparisons", two(), &0_usize, pairs(), |_, (x, y)| {
            let masks = [
                x.clone().equal(y.clone()),
                x.clone().not_equal(y.clone()),
                x.clone().lower(y.clone()),
                x.clone().lower_equal_elem(0.5),
                x.clone().greater(y.clone()),
                x.clone().greater_equal(y.clone()),
            ];
            let mask = masks[2].clone().bool_and(masks[3].clone().bool_not());
            let filled = x.clone().mask_fill(mask.clone(), -3.0);
            (masks, mask.clone(), x.mask_where(mask, y), filled)
        }),
        case("integers", integers(), &0_usize, vec![whole_pair(2), whole_pair(4)], |_, (x, y)| {
            [
                x.clone() / y.clone(),
                x.clone() % y.clone(),
                (x.clone() - 20) / 3,
                (x.clone() - 20) % 3,
                x.clone().bitwise_and(y.clone()),
                x.clone().bitwise_or(y.clone()),
                x.clone().bitwise_xor(y),
                x.clone().bitwise_not(),
                x.clone().bitwise_left_shift_scalar(3),
                (x - 30).bitwise_right_shift_scalar(2),
            ]
        }),
    ]
}

fn integers() -> OnnxExport {
    OnnxExport::new().inputs(["x", "y"]).dynamic("x", 0, "batch").dynamic("y", 0, "batch")
}

/// Whole numbers with zeros among the divisors.
fn whole_pair(batch: usize) -> (Tensor<C, 2, Int>, Tensor<C, 2, Int>) {
    (whole([batch, 11], 61), whole([batch, 11], 5))
}
