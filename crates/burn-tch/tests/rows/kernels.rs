//! A profile shows which kernels are LibTorch's, which are of this crate, and what is a composition.

use burn::backend::LibTorch;
use burn::tensor::{Bool, Int, Tensor, TensorData, TensorPrimitive, activation};
use burn_backend::TypedCalls;
use burn_backend::{AttentionArgs, kernels};
use burn_conformance::library_backend;

type B = LibTorch;

#[test]
fn pf_008_products_run_on_the_kernels_of_libtorch() {
    library_backend::products_run_on::<B>("torch matmul");
}

#[test]
fn kernels_are_told_by_whose_they_are() {
    let x = Tensor::<B, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &Default::default());
    let heard = |call: &dyn Fn(Tensor<B, 2>)| library_backend::heard(|| call(x.clone()));
    assert_eq!(heard(&|x| drop(x.exp())), ["torch exp"]);
    assert_eq!(heard(&|x| drop(x.exp().tan())), ["torch exp", "torch tan (in place)"]);
    assert_eq!(heard(&|x| drop(activation::softmax(x, 1))), ["torch softmax"]);
    let i = Tensor::<B, 1, Int>::from_data([1, 2], &Default::default());
    assert_eq!(heard(&|_| drop(i.clone() / i.clone())), ["burn-tch div"]);
    assert_eq!(heard(&|_| drop(i.clone() / 3)), ["torch div"]);
}

#[test]
fn the_largest_are_libtorchs_where_no_two_are_equal() {
    let largest = |values: [f32; 5]| {
        let x = Tensor::<B, 1>::from_data(values, &Default::default());
        let listening = kernels::listen();
        let (values, places) = x.topk_with_indices(2, 0);
        (listening.heard(), values.into_data().to_f64(), places.into_data().to_f64())
    };
    let (heard, values, places) = largest([1.0, 5.0, 3.0, 1.0, -2.0]);
    assert_eq!((heard, values, places), (vec!["torch topk".to_string()], vec![5.0, 3.0], vec![1.0, 2.0]));
    // Equal elements keep their order.
    let (heard, values, places) = largest([1.0, 3.0, 5.0, 3.0, -2.0]);
    assert_eq!((heard[0].as_str(), values, places), ("torch sort", vec![5.0, 3.0], vec![2.0, 1.0]));
    let (heard, values, places) = largest([1.0, f32::NAN, 5.0, 3.0, f32::NAN]);
    assert_eq!((heard[0].as_str(), places), ("torch sort", vec![1.0, 4.0]));
    assert!(values.into_iter().all(f64::is_nan));
}

#[test]
fn attention_with_a_mask_is_a_kernel_and_with_shared_heads_a_composition() {
    let row = |heads: usize, rows: usize, values: Vec<f32>| {
        Tensor::<B, 4>::from_data(TensorData::new(values, [1, heads, rows, 1]), &Default::default())
    };
    let attention = |heads: usize| {
        let query = row(heads, 1, vec![2.0; heads]);
        let (key, value) = (row(1, 3, vec![1.0, 5.0, 1.0]), row(1, 3, vec![3.0, 100.0, 7.0]));
        let mask = Tensor::<B, 4, Bool>::from_data([[[[false, true, false]]]], &Default::default());
        let [query, key, value] = [query, key, value].map(|x| x.into_primitive().tensor());
        let mask = Some(mask.into_primitive());
        let args = AttentionArgs { query, key, value, mask, causal: false, scale: 1.0 };
        let listening = kernels::listen();
        let (output, sums) = B::attention(args);
        let heard = listening.heard();
        let output = Tensor::<B, 4>::from_primitive(TensorPrimitive::Float(output)).into_data().to_f64();
        (heard, output, Tensor::<B, 3>::from_primitive(TensorPrimitive::Float(sums)).into_data().to_f64())
    };
    // Two keys with the same score, and one that is hidden: the mean of two values.
    let (heard, output, sums) = attention(1);
    assert_eq!((heard, output), (vec!["torch attention".to_string()], vec![5.0]));
    assert!((sums[0] - (2.0 + 2_f64.ln())).abs() < 1e-6, "{sums:?}");
    let (heard, output, _) = attention(2);
    assert_eq!((heard[0].as_str(), output), ("composition attention", vec![5.0, 5.0]));
}
