//! Shapes, slices, indices and new tensors.

use super::{Case, case, numbers, whole};
use burn::tensor::{Bool, Int, Tensor};
use burn_onnx::export::OnnxExport;

pub fn cases() -> Vec<Case> {
    let both = || OnnxExport::new().inputs(["x"]).dynamic("x", 0, "batch").dynamic("x", 1, "length");
    let inputs = || vec![numbers([2, 6, 4]), numbers([3, 9, 4])];
    let named = OnnxExport::new().inputs(["x", "places"]).dynamic("x", 0, "batch");
    let indexed = |batch| (numbers([batch, 5, 4]), whole([3], 5));
    vec![
        case("shapes", both(), &0_usize, inputs(), |_, x| {
            let [batch, length, size] = x.dims();
            let flat = x.clone().reshape([batch * length, size]);
            let apart = flat.clone().reshape([batch, length, 2, size / 2]).permute([0, 2, 1, 3]);
            let joined = Tensor::cat(vec![x.clone(), x.clone().flip([1]) * 2], 1);
            let rows = x.clone().reshape([batch, length * size]);
            (
                flat,
                apart,
                joined,
                rows,
                x.clone().repeat_dim(1, 3),
                x.mean_dim(1).expand([batch, length, size]),
            )
        }),
        case("slices", both(), &0_usize, inputs(), |_, x| {
            let [batch, length, _] = x.dims();
            let last = x.clone().narrow(1, length - 2, 2);
            let head = x.clone().slice([0..batch, 1..length - 1, 0..2]);
            let assigned = x.clone().slice_assign([0..batch, 1..3, 2..4], head.clone().narrow(1, 0, 2) * 0.0);
            let every = x.clone().slice_dim(2, burn::tensor::s![..;2]);
            let stepped = x.clone().slice_assign(burn::tensor::s![.., .., ..;2], every.clone() + 1.0);
            (last, head, assigned, every, stepped, x.roll_dim(1, 1))
        }),
        case("indices", named, &0_usize, vec![indexed(2), indexed(4)], |_, (x, places)| {
            let [batch, _, size] = x.dims();
            let selected = x.clone().select(1, places.clone());
            let wide = places.clone().reshape([1, 3, 1]).expand([batch, 3, size]);
            let gathered = x.clone().gather(1, wide.clone());
            let scattered = x.clone().scatter(1, wide, gathered.clone());
            let added = x.clone().select_assign(1, places.clone(), selected.clone());
            let rows = x.clone().narrow(0, 0, 1).repeat_dim(0, 3);
            let first = x.select_assign(0, places.clone().lower_elem(0).int(), rows);
            (gathered, scattered, added, first, places.one_hot::<2>(5))
        }),
        case("new_tensors", both(), &0_usize, inputs(), |_, x| {
            let ([batch, length, size], device) = (x.dims(), x.device());
            let places = Tensor::<super::C, 1, Int>::arange(0..length as i64, &device);
            let later = Tensor::<super::C, 2, Bool>::tril_mask([length, length], 0, &device);
            let ones = Tensor::ones([batch, length, size], &device);
            let squares = x.clone().matmul(x.clone().swap_dims(1, 2));
            (
                ones + x.clone(),
                squares.mask_fill(later.unsqueeze::<3>(), -1e9),
                x * places.float().reshape([1, length, 1]),
            )
        }),
    ]
}
