// ANCHOR: program
use burn::backend::{Autodiff, NdArray};
use burn::tensor::{Tensor, grad};

type Plain = NdArray<f64>;
type Once = Autodiff<Plain>;
type Twice = Autodiff<Once>;

fn main() {
    let device = Default::default();
    let x = Tensor::<Plain, 1>::from_data([1.0, 2.0], &device);

    let slope = grad::grad(|x: Tensor<Once, 1>| x.powi_scalar(3).sum(), x.clone());
    println!("gradient: {}", slope.into_data());

    let pair = |x: Tensor<Once, 1>| x.clone() * x.flip([0]);
    let jacobian: Tensor<Plain, 2> = grad::jacobian(pair, x.clone());
    println!("Jacobian: {}", jacobian.into_data());

    let hessian: Tensor<Plain, 2> = grad::hessian(|x: Tensor<Twice, 1>| x.powi_scalar(3).sum(), x);
    println!("Hessian: {}", hessian.into_data());
}
// ANCHOR_END: program

#[test]
fn x_701_derivatives() {
    crate::page_output::page_prints!("autodiff/derivatives.md");
}
