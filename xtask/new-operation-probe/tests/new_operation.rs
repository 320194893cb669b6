//! An operation that was added last, `Cube`, passes through every decorator. It was written into the family,
//! the kernel and the derivative, and into no decorator: `cargo xtask tidy` sees that they name no operation.

use burn_amp::Amp;
use burn_autodiff::Autodiff;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{
    Around, AutodiffBackend, Backend, Operation, Outputs, TensorData, TypedCalls, UnaryOp, around, block_on,
};
use burn_capture::{Capture, Program, Recording};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_profile::Profile;
use burn_remote::{Remote, RemoteDevice};
use burn_router::{Router, duo};
use minimal_backend::Toy;
use std::marker::PhantomData;

const X: [f64; 3] = [-2.0, 0.5, 3.0];

/// A decorator from before the operation.
#[derive(Clone, Copy, Debug, Default)]
struct Old<B>(PhantomData<B>);

around!(Old<B>);

impl<B: Backend> Around for Old<B> {
    type Inner = B;
    const NAME: &'static str = "old";

    fn interpret(op: Operation<B::Tensor>) -> Outputs<B::Tensor> {
        B::execute(op)
    }
}

type Leaf = NdArray<f64>;
type Everything = Autodiff<Old<Profile<Capture<Amp<Router<(Fusion<Leaf>, Remote)>>>>>>;

fn read<B: Backend>(x: B::Tensor) -> TensorData {
    block_on(B::into_data(x)).expect("tests may wait").expect("the device works")
}

fn cubes<B: Backend>(device: &B::Device) -> TensorData {
    let x = B::from_data(TensorData::from(X), device);
    read::<B>(B::unary(UnaryOp::Cube, x))
}

fn expected() -> TensorData {
    TensorData::from(X.map(|x| x * x * x))
}

#[test]
fn each_decorator_has_it() {
    let device = Default::default();
    assert_eq!(cubes::<Leaf>(&device), expected());
    assert_eq!(cubes::<Autodiff<Leaf>>(&device), expected());
    assert_eq!(cubes::<Fusion<Leaf>>(&device), expected());
    assert_eq!(cubes::<Router<(Leaf, Toy)>>(&duo::MultiDevice::B1(device)), expected());
    assert_eq!(cubes::<Router<(Leaf, Toy)>>(&duo::MultiDevice::B2(Default::default())), expected());
    assert_eq!(cubes::<Remote>(&RemoteDevice::in_process::<Leaf>(device)), expected());
    assert_eq!(cubes::<Capture<Leaf>>(&device), expected());
    assert_eq!(cubes::<Profile<Leaf>>(&device), expected());
    assert_eq!(cubes::<Amp<Leaf>>(&device), expected());
    assert_eq!(cubes::<Dynamic>(&DynamicDevice::new::<Old<Leaf>>(device)), expected());
    assert!(Profile::<Leaf>::report().by_name().iter().any(|row| row.name == "cube"));
}

#[test]
fn all_decorators_have_it_at_once() {
    let server = RemoteDevice::in_process::<Leaf>(Default::default());
    for device in [duo::MultiDevice::B1(Default::default()), duo::MultiDevice::B2(server)] {
        let x = Everything::from_data(TensorData::from(X), &device);
        let x = Everything::set_require_grad(x, true);
        let y = Everything::unary(UnaryOp::Cube, x.clone());
        assert_eq!(read::<Everything>(y.clone()), expected());
        let gradients = Everything::backward(y).expect("tracked");
        let gradient = Everything::grad(&x, &gradients).expect("y depends on x");
        let slopes = TensorData::from(X.map(|x| 3.0 * x * x));
        assert_eq!(read::<<Everything as AutodiffBackend>::InnerBackend>(gradient), slopes);
    }
}

#[test]
fn it_fuses_with_others() {
    type Below = Profile<Leaf>;
    type B = Fusion<Below>;
    let x = B::from_data(TensorData::from(X), &Default::default());
    let y = read::<B>(B::unary(UnaryOp::Abs, B::unary(UnaryOp::Cube, x)));
    assert_eq!(y, TensorData::from(X.map(|x| (x * x * x).abs())));
    assert!(Below::report().by_name().iter().any(|row| row.name == "block cube+abs"));
}

#[test]
fn a_program_with_it_is_saved_and_runs_elsewhere() {
    type C = Capture<Leaf>;
    let device = Default::default();
    let recording = Recording::<Leaf>::start();
    let x = C::from_data(TensorData::from(X), &device);
    recording.input("x", &x);
    let y = C::unary(UnaryOp::Cube, x);
    let program = recording.finish([("y", &y)]).expect("there are no constants");
    assert!(program.to_string().contains("Unary { op: Cube, x: %0 }"), "{program}");
    let program = program.to_bytes().expect("it is small");
    let program = Program::from_bytes(&program).expect("it was just written");
    let server = RemoteDevice::in_process::<Leaf>(device);
    for device in [DynamicDevice::new::<Toy>(Default::default()), DynamicDevice::new::<Remote>(server)] {
        let x: DynamicTensor = Dynamic::from_data(TensorData::from(X), &device);
        let [y] = program.replay_on(vec![x], &device).expect("one input").try_into().expect("one output");
        assert_eq!(read::<Dynamic>(y), expected());
    }
}
