//! Shapes of types that the derives take.

use burn_core::config::Config;
use burn_core::module::{AutodiffModule, Ignored, Module, Param};
use burn_core::record::Record;
use burn_core::tensor::{AutodiffBackend, Backend, Bool, Int, Tensor};
use std::marker::PhantomData;

#[derive(Module, Debug)]
pub struct Generic<B, M, const D: usize>
where
    B: Backend,
    M: Module<B>,
{
    inner: M,
    weight: Param<Tensor<B, D>>,
    indices: Param<Tensor<B, 1, Int>>,
    mask: Tensor<B, D, Bool>,
    boxed: Option<Box<M>>,
    pairs: [(M, usize); 2],
    pub r#type: String,
    other: Ignored<std::time::Duration>,
    kind: Ignored<PhantomData<u8>>,
    backend: PhantomData<B>,
}

#[derive(Module, Debug)]
pub struct Recursive<B: Backend> {
    weight: Param<Tensor<B, 1>>,
    next: Option<Box<Recursive<B>>>,
}

#[derive(Module, Debug)]
pub struct Empty<B: Backend> {
    backend: PhantomData<B>,
}

#[derive(Module, Clone, Debug)]
pub enum Constant {
    One,
    Two(usize, f64),
    Three { name: String },
}

#[derive(Module, Clone, Debug)]
pub struct Unit;

/// A backend of a user, with an operation more.
pub trait Extended: Backend {}

#[derive(Module, Debug)]
pub struct OnExtended<B: Extended> {
    weight: Param<Tensor<B, 1>>,
}

#[derive(Config, Debug)]
pub struct WithGenerics<T: Config + Clone> {
    pub inner: T,
    #[config(default = "Vec::new()")]
    pub r#type: Vec<String>,
}

#[derive(Config, Debug)]
pub struct Nothing {}

#[derive(Record, Debug)]
pub enum State<B: Backend> {
    Fresh,
    Warm(Tensor<B, 2>),
}

#[derive(Record, Debug)]
pub struct Pair<R1, R2, B>
where
    B: Backend,
    R1: Record<B>,
    R2: Record<B>,
{
    one: R1,
    two: R2,
    state: Option<State<B>>,
}

pub fn valid<B: AutodiffBackend>(
    module: &Generic<B, Recursive<B>, 3>,
) -> Generic<B::InnerBackend, Recursive<B::InnerBackend>, 3> {
    module.valid()
}

#[test]
fn generic_configs_load() {
    let config = WithGenerics::new(Nothing::new()).with_type(vec![]);
    assert!(WithGenerics::<Nothing>::from_json(&config.to_json()).is_ok());
}
