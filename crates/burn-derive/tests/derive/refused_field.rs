use burn_core::module::{Module, Param};
use burn_core::tensor::{Backend, Tensor};

#[derive(Debug, Clone)]
struct Settings;

#[derive(Module, Debug)]
struct Model<B: Backend> {
    weight: Param<Tensor<B, 2>>,
    settings: Settings,
}

fn main() {}
