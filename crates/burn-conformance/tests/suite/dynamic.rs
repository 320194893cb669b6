use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicDevice};
use burn_backend::{Backend, Elementwise, Operation, Outputs, TensorData, UnaryOp};
use burn_ndarray::NdArray;
use burn_tensor::Tensor;
use minimal_backend::Toy;

#[test]
fn a_tensor_moves_between_backends() {
    let devices = [
        DynamicDevice::new::<NdArray<f64>>(Default::default()),
        DynamicDevice::new::<Toy>(Default::default()),
    ];
    assert_ne!(devices[0], devices[1]);
    let x = Dynamic::from_data(TensorData::new([1.0, -2.0], [2]), &devices[0]);
    let y = Dynamic::to_device(x, &devices[1]);
    assert_eq!(Dynamic::device(&y), devices[1]);
    assert_eq!(Tensor::<Dynamic, 1>::from_handle(y).into_data().to_f64(), [1.0, -2.0]);
}

/// The last handle moves the tensor out of the object, so the backend may write in place.
#[test]
fn the_last_handle_works_in_place() {
    let x = Dynamic::from_data(
        TensorData::new([1.0, -2.0], [2]),
        &DynamicDevice::new::<NdArray<f64>>(Default::default()),
    );
    let address = |x: &burn_backend::dynamic::DynamicTensor| {
        x.downcast_ref::<burn_ndarray::NdTensor>().expect("a tensor of the leaf").address()
    };
    let (before, shared) = (address(&x), x.clone());
    let Outputs::One(y) =
        Dynamic::execute(Operation::Elementwise(Elementwise::Unary { op: UnaryOp::Neg, x }))
    else {
        panic!("one result")
    };
    assert_ne!(address(&y), before);
    let z = Dynamic::unary(UnaryOp::Neg, shared);
    assert_eq!(address(&z), before);
}
