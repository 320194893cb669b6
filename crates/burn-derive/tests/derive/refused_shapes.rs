use burn_core::config::Config;
use burn_core::module::Module;
use burn_core::record::Record;
use burn_core::tensor::{Backend, Tensor};

#[derive(Module, Debug)]
struct Tuple<B: Backend>(Tensor<B, 1>);

#[derive(Module, Debug)]
enum Choice<B: Backend> {
    Two(Tensor<B, 1>, Tensor<B, 1>),
}

#[derive(Config)]
struct Numbers(usize);

#[derive(Config)]
struct Options {
    #[config(default = "not an (expression")]
    a: usize,
}

#[derive(Config)]
struct Unknown {
    #[config(fallback = 1)]
    a: usize,
}

#[derive(Record)]
struct Unnamed(f64);

fn main() {}
