use crate::case::read;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{AutodiffBackend, Backend, Dims, HasSpec, Operation, ReduceOp};

/// An autodiff backend under test. Not generic: see [`Subject`](crate::Subject).
#[derive(Clone, Debug)]
pub struct Differentiable {
    pub device: DynamicDevice,
    backward: fn(DynamicTensor, &[DynamicTensor]) -> Vec<Option<DynamicTensor>>,
    lift: fn(DynamicTensor) -> DynamicTensor,
}

impl Differentiable {
    pub fn new<B: AutodiffBackend>() -> Self {
        let device = DynamicDevice::new::<B>(Default::default());
        Differentiable { device, backward: backward::<B>, lift: lift::<B> }
    }

    /// The backend below, if that differentiates too.
    pub fn below<B: AutodiffBackend<InnerBackend: AutodiffBackend>>() -> Self {
        Differentiable::new::<B::InnerBackend>()
    }

    /// A tensor of the backend below, as a tensor of this one.
    pub fn lift(&self, x: DynamicTensor) -> DynamicTensor {
        (self.lift)(x)
    }

    /// The gradients of `loss` by each of `xs`, on the backend below.
    pub fn gradients(&self, loss: DynamicTensor, xs: &[DynamicTensor]) -> Vec<Option<DynamicTensor>> {
        (self.backward)(loss, xs)
    }
}

fn backward<B: AutodiffBackend>(loss: DynamicTensor, xs: &[DynamicTensor]) -> Vec<Option<DynamicTensor>> {
    let gradients = B::backward(loss.into_inner::<B>()).unwrap_or_else(|error| panic!("{error}"));
    let gradient =
        |x: &DynamicTensor| B::grad(x.downcast_ref().expect("a tensor of the backend"), &gradients);
    xs.iter().map(|x| gradient(x).map(DynamicTensor::new::<B::InnerBackend>)).collect()
}

fn lift<B: AutodiffBackend>(x: DynamicTensor) -> DynamicTensor {
    DynamicTensor::new::<B>(B::from_inner(x.into_inner::<B::InnerBackend>()))
}

/// The sum of all elements.
pub fn total(x: DynamicTensor) -> DynamicTensor {
    let dims: Dims = (0..x.spec().shape.rank()).collect();
    Dynamic::reduce(ReduceOp::Sum, x, dims)
}

/// The first result of a call, which is the differentiable one.
pub fn first_result(op: Operation<DynamicTensor>) -> DynamicTensor {
    Dynamic::execute(op).first().clone()
}

/// Values of the gradients that there are.
pub fn values(gradients: Vec<Option<DynamicTensor>>) -> Vec<Option<Vec<f64>>> {
    gradients.into_iter().map(|gradient| gradient.map(|gradient| read(gradient).to_f64())).collect()
}
