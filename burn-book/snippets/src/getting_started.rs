// ANCHOR: program
use burn::backend::NdArray;
use burn::tensor::Tensor;

// The backend: everything runs on the processor.
type B = NdArray;

fn main() {
    let device = Default::default();
    // A tensor of rank 2 from numbers, and one of the same shape filled with ones.
    let x = Tensor::<B, 2>::from_data([[2.0, 3.0], [4.0, 5.0]], &device);
    let y = Tensor::<B, 2>::ones_like(&x);

    println!("{}", x + y);
}
// ANCHOR_END: program

#[test]
fn the_first_program_runs() {
    main();
}

#[test]
fn the_first_gradient_is_right() {
    // ANCHOR: gradient
    use burn::backend::Autodiff;

    let device = Default::default();
    let x = Tensor::<Autodiff<NdArray>, 1>::from_data([1.0, 2.0, 3.0], &device).require_grad();
    // The derivative of the sum of squares is 2 x.
    let loss = x.clone().powf_scalar(2.0).sum();
    let gradients = loss.backward();
    let gradient = x.grad(&gradients).expect("the loss depends on x");
    // ANCHOR_END: gradient
    assert_eq!(gradient.into_data().to_vec::<f32>().unwrap(), [2.0, 4.0, 6.0]);
}
