//! TL: operations of Bool tensors.

use crate::expect::exactly;
use crate::given::{B, CPU, bool, float};
use burn::tensor::{Bool, Tensor};

#[test]
fn tl_001_not_under_its_three_names() {
    exactly(bool::<1>([true, false]).not(), [false, true]);
    exactly(bool::<1>([true, false]).bool_not(), [false, true]);
    exactly(!bool::<2>([[true, false]]), [[false, true]]);
}

#[test]
fn tl_002_float_and_int_count_the_true() {
    exactly(bool::<1>([true, false]).float() / 2, [0.5, 0.0]);
    exactly(bool::<1>([true, false]).int() * 3, [3, 0]);
}

#[test]
fn tl_003_argwhere_and_nonzero() {
    let x = bool::<2>([[false, true], [true, true]]);
    exactly(x.clone().argwhere(), [[0, 1], [1, 0], [1, 1]]);
    let [rows, columns] = x.nonzero().try_into().expect("one tensor per dim");
    exactly(rows, [0, 1, 1]);
    exactly(columns, [1, 0, 1]);
}

#[test]
fn tl_003_nothing_is_found_in_falsehood() {
    let none = bool::<2>([[false, false]]);
    assert_eq!(none.clone().argwhere().dims(), [0, 2]);
    let parts = none.nonzero();
    assert_eq!(parts.len(), 2);
    assert!(parts.iter().all(|part| part.dims() == [0]));
}

#[test]
fn tl_004_masks_of_matrices() {
    // Filling where the mask is true leaves the diagonal and the triangles.
    let ones = || Tensor::<B, 2>::ones([3, 3], CPU);
    let filled = |mask: Tensor<B, 2, Bool>| ones().mask_fill(mask, 0.0);
    let shape = [3, 3];
    let tril = filled(Tensor::<B, 2, Bool>::tril_mask(shape, 0, CPU));
    exactly(tril, [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]);
    let triu = filled(Tensor::<B, 2, Bool>::triu_mask(shape, 1, CPU));
    exactly(triu, [[0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [0.0; 3]]);
    let diagonal = filled(Tensor::<B, 2, Bool>::diag_mask(shape, 0, CPU));
    exactly(diagonal, Tensor::<B, 2>::eye(3, CPU).into_data());
    exactly(Tensor::<B, 2, Bool>::diag_mask([2, 2], -1, CPU), [[true, true], [false, true]]);
    let causal =
        float::<2>([[1.0, 2.0], [3.0, 4.0]]).mask_fill(Tensor::<B, 2, Bool>::tril_mask([2, 2], 0, CPU), -1);
    exactly(causal, [[1.0, -1.0], [3.0, 4.0]]);
}
