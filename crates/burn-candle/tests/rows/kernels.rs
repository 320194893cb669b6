//! A profile shows which kernels are candle's, which are of this crate, and what is a composition.

use burn::backend::Candle;
use burn::tensor::{Tensor, activation};
use burn_backend::kernels;

type B = Candle<f32, i64>;

#[test]
fn pf_008_products_run_on_the_kernels_of_candle() {
    let x = Tensor::<B, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &Default::default());
    let listening = kernels::listen();
    let product = x.clone().matmul(x);
    assert_eq!(listening.heard(), ["candle matmul"]);
    assert_eq!(product.into_data().to_f64(), [7.0, 10.0, 15.0, 22.0]);
}

#[test]
fn kernels_are_told_by_whose_they_are() {
    let x = Tensor::<B, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &Default::default());
    let heard = |call: &dyn Fn(Tensor<B, 2>)| {
        let listening = kernels::listen();
        call(x.clone());
        listening.heard()
    };
    assert_eq!(heard(&|x| drop(x.exp())), ["candle exp"]);
    assert_eq!(heard(&|x| drop(x.tan())), ["burn-candle tan"]);
    assert_eq!(heard(&|x| drop(activation::softmax(x, 1))), ["candle softmax"]);
    let folded = heard(&|x| drop(burn::tensor::signal::rfft(x, 1, None)));
    assert_eq!(folded[0], "composition fft");
    assert!(folded.contains(&"candle matmul".to_string()), "{folded:?}");
}
