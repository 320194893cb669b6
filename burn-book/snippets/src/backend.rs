// ANCHOR: generic
use burn::prelude::*;

fn mean_square<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 1> {
    (x.clone() * x).mean()
}
// ANCHOR_END: generic

#[test]
fn one_function_runs_on_every_stack() {
    // ANCHOR: stacks
    use burn::backend::{Autodiff, Fusion, NdArray};

    fn example<B: Backend>() -> f32 {
        let x = Tensor::<B, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &Default::default());
        mean_square(x).into_scalar().elem()
    }

    let on_the_processor = example::<NdArray>();
    let with_gradients = example::<Autodiff<NdArray>>();
    let with_gradients_and_fusion = example::<Autodiff<Fusion<NdArray>>>();
    // ANCHOR_END: stacks
    assert_eq!([on_the_processor, with_gradients, with_gradients_and_fusion], [7.5; 3]);
}
