use burn::backend::{Autodiff, NdArray};
use burn::prelude::*;

#[derive(Module, Debug)]
struct Model<B: Backend> {
    inner: burn::module::Param<Tensor<B, 2>>,
}

fn main() {
    let device = Default::default();
    let inner = burn::module::Param::from_data([[1.0, 2.0], [3.0, 4.0]], &device);
    let model = Model::<Autodiff<NdArray>> { inner };
    let gradients = (model.inner.val() * model.inner.val()).sum().backward();
    let gradient = model.inner.val().grad(&gradients).unwrap();
    println!("{:?}", gradient.into_data().to_vec::<f32>().unwrap());
}
