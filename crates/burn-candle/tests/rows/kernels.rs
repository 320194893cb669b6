//! A profile shows which kernels are candle's, which are of this crate, and what is a composition.

use burn::backend::Candle;
use burn::tensor::{Tensor, activation};
use burn_conformance::library_backend;

type B = Candle<f32, i64>;

#[test]
fn pf_008_products_run_on_the_kernels_of_candle() {
    library_backend::products_run_on::<B>("candle matmul");
}

#[test]
fn kernels_are_told_by_whose_they_are() {
    let x = Tensor::<B, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &Default::default());
    let heard = |call: &dyn Fn(Tensor<B, 2>)| library_backend::heard(|| call(x.clone()));
    assert_eq!(heard(&|x| drop(x.exp())), ["candle exp"]);
    assert_eq!(heard(&|x| drop(x.tan())), ["burn-candle tan"]);
    assert_eq!(heard(&|x| drop(activation::softmax(x, 1))), ["candle softmax"]);
    let folded = heard(&|x| drop(burn::tensor::signal::rfft(x, 1, None)));
    assert_eq!(folded[0], "composition fft");
    assert!(folded.contains(&"candle matmul".to_string()), "{folded:?}");
}
