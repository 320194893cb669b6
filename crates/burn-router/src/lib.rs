//! Several backends as one: a tensor belongs to the backend of its device.
#![deny(clippy::wildcard_enum_match_arm)]

use burn_backend::dynamic::{BackendObject, object_of};
use burn_backend::interpreter::Interpreter;
use burn_backend::*;
use std::marker::PhantomData;

/// Runs each call on the backend its tensors live on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Router<T>(PhantomData<T>);

/// A device of one of two backends.
#[derive(Clone, Debug, PartialEq)]
pub enum MultiDevice<D1, D2> {
    B1(D1),
    B2(D2),
}

impl<D1: Default, D2> Default for MultiDevice<D1, D2> {
    fn default() -> Self {
        MultiDevice::B1(D1::default())
    }
}

/// A tensor of one of two backends.
#[derive(Clone, Debug)]
pub enum RouterTensor<T1, T2> {
    B1(T1),
    B2(T2),
}

impl<T1: HasSpec, T2: HasSpec> HasSpec for RouterTensor<T1, T2> {
    fn spec(&self) -> &TensorSpec {
        match self {
            RouterTensor::B1(x) => x.spec(),
            RouterTensor::B2(x) => x.spec(),
        }
    }
}

impl<T1, T2> RouterTensor<T1, T2> {
    fn is_first(&self) -> bool {
        matches!(self, RouterTensor::B1(_))
    }
    fn into_first(self) -> T1 {
        match self {
            RouterTensor::B1(x) => x,
            RouterTensor::B2(_) => panic!("operands are on two backends: move one with to_device"),
        }
    }
    fn into_second(self) -> T2 {
        match self {
            RouterTensor::B2(x) => x,
            RouterTensor::B1(_) => panic!("operands are on two backends: move one with to_device"),
        }
    }
}

impl<B1: Backend, B2: Backend> Interpreter for Router<(B1, B2)> {
    type Device = MultiDevice<B1::Device, B2::Device>;
    type Tensor = RouterTensor<B1::Tensor, B2::Tensor>;
    type FloatElem = B1::FloatElem;
    type IntElem = B1::IntElem;

    fn interpret(op: Operation<Self::Tensor>) -> Outputs<Self::Tensor> {
        if op.first().is_first() {
            B1::execute(op.map(RouterTensor::into_first)).map(RouterTensor::B1)
        } else {
            B2::execute(op.map(RouterTensor::into_second)).map(RouterTensor::B2)
        }
    }
    fn run_block(block: Block<Self::Tensor>) -> Vec<Self::Tensor> {
        reference::run_block::<Self>(block)
    }
    fn create(creation: Creation, device: &Self::Device) -> Self::Tensor {
        match device {
            MultiDevice::B1(device) => RouterTensor::B1(create::<B1>(creation, device)),
            MultiDevice::B2(device) => RouterTensor::B2(create::<B2>(creation, device)),
        }
    }
    async fn argwhere(mask: Self::Tensor, index: DType) -> Result<Self::Tensor, DataError> {
        match mask {
            RouterTensor::B1(mask) => B1::argwhere(mask, index).await.map(RouterTensor::B1),
            RouterTensor::B2(mask) => B2::argwhere(mask, index).await.map(RouterTensor::B2),
        }
    }
    async fn read(x: Self::Tensor) -> Result<TensorData, DataError> {
        match x {
            RouterTensor::B1(x) => B1::into_data(x).await,
            RouterTensor::B2(x) => B2::into_data(x).await,
        }
    }
    fn device(x: &Self::Tensor) -> Self::Device {
        match x {
            RouterTensor::B1(x) => MultiDevice::B1(B1::device(x)),
            RouterTensor::B2(x) => MultiDevice::B2(B2::device(x)),
        }
    }
    fn to_device(x: Self::Tensor, device: &Self::Device) -> Self::Tensor {
        match (x, device) {
            (RouterTensor::B1(x), MultiDevice::B1(device)) => RouterTensor::B1(B1::to_device(x, device)),
            (RouterTensor::B2(x), MultiDevice::B2(device)) => RouterTensor::B2(B2::to_device(x, device)),
            (x, device) => {
                let data = block_on(Self::read(x)).expect("crossing backends needs a blocking read");
                Self::create(Creation::Data(data.expect("device works")), device)
            }
        }
    }
    fn sync(device: &Self::Device) {
        match device {
            MultiDevice::B1(device) => B1::sync(device),
            MultiDevice::B2(device) => B2::sync(device),
        }
    }
    fn seed(seed: u64) {
        B1::seed(seed);
        B2::seed(seed);
    }
    fn object() -> &'static dyn BackendObject {
        object_of::<Self>()
    }
    fn tracks_gradients(device: &Self::Device) -> bool {
        match device {
            MultiDevice::B1(device) => B1::tracks_gradients(device),
            MultiDevice::B2(device) => B2::tracks_gradients(device),
        }
    }
    fn set_require_grad(x: Self::Tensor, require_grad: bool) -> Self::Tensor {
        match x {
            RouterTensor::B1(x) => RouterTensor::B1(B1::set_require_grad(x, require_grad)),
            RouterTensor::B2(x) => RouterTensor::B2(B2::set_require_grad(x, require_grad)),
        }
    }
    fn is_require_grad(x: &Self::Tensor) -> bool {
        match x {
            RouterTensor::B1(x) => B1::is_require_grad(x),
            RouterTensor::B2(x) => B2::is_require_grad(x),
        }
    }
    fn detach(x: Self::Tensor) -> Self::Tensor {
        match x {
            RouterTensor::B1(x) => RouterTensor::B1(B1::detach(x)),
            RouterTensor::B2(x) => RouterTensor::B2(B2::detach(x)),
        }
    }
    // Tensors of a segment may be of both backends: what tracks below this one keeps its values.
    fn checkpoint(segment: Segment<Self::Tensor>, inputs: Vec<Self::Tensor>) -> Vec<Self::Tensor> {
        segment(inputs)
    }
    fn name(device: &Self::Device) -> String {
        match device {
            MultiDevice::B1(device) => format!("router<{}>", B1::name(device)),
            MultiDevice::B2(device) => format!("router<{}>", B2::name(device)),
        }
    }
}
