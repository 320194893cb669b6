//! Operations that were added last, `Cube`, a function, and `Bilinear`, whose result has another shape than
//! its operands, pass through every decorator. They were written into the family, the kernel or the
//! composition, and the derivative, and into no decorator: `cargo xtask tidy` sees that none names them.

use burn_amp::Amp;
use burn_autodiff::Autodiff;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{
    Around, AutodiffBackend, Backend, BilinearArgs, Operation, Outputs, TensorData, TypedCalls, UnaryOp,
    around, block_on,
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
type Inner = <Everything as AutodiffBackend>::InnerBackend;

fn read<B: Backend>(x: B::Tensor) -> TensorData {
    block_on(B::into_data(x)).expect("tests may wait").expect("the device works")
}

/// Shapes of the operands of `bilinear`, in their order.
const SHAPES: [&[usize]; 4] = [&[2, 2], &[2, 3], &[4, 2, 3], &[4]];

/// The operands of `bilinear`: integers, so that sums are exact.
fn operands() -> [Vec<f64>; 4] {
    let value = |at: usize| (at * 5 % 7) as f64 - 3.0;
    SHAPES.map(|shape| (0..shape.iter().product::<usize>()).map(|at| value(at + shape.len())).collect())
}

fn upload<B: Backend>(device: &B::Device) -> [B::Tensor; 4] {
    let values = operands();
    std::array::from_fn(|at| B::from_data(TensorData::new(values[at].clone(), SHAPES[at]), device))
}

fn bilinear<B: Backend>([lhs, rhs, weight, bias]: [B::Tensor; 4]) -> B::Tensor {
    B::bilinear(BilinearArgs { lhs, rhs, weight, bias: Some(bias) })
}

/// The elements of `bilinear` by its definition, a sum of products.
fn sums([lhs, rhs, weight, bias]: &[Vec<f64>; 4]) -> Vec<f64> {
    let term = |n: usize, o: usize, k: usize| lhs[2 * n + k / 3] * weight[6 * o + k] * rhs[3 * n + k % 3];
    let sum = |n: usize, o: usize| bias[o] + (0..6).map(|k| term(n, o, k)).sum::<f64>();
    (0..8).map(|at| sum(at / 4, at % 4)).collect()
}

/// Both operations on a backend.
fn results<B: Backend>(device: &B::Device) -> [TensorData; 2] {
    let x = B::from_data(TensorData::from(X), device);
    [read::<B>(B::unary(UnaryOp::Cube, x)), read::<B>(bilinear::<B>(upload::<B>(device)))]
}

fn expected() -> [TensorData; 2] {
    [TensorData::from(X.map(|x| x * x * x)), TensorData::new(sums(&operands()), [2, 4])]
}

#[test]
fn each_decorator_has_them() {
    let device = Default::default();
    assert_eq!(results::<Leaf>(&device), expected());
    assert_eq!(results::<Autodiff<Leaf>>(&device), expected());
    assert_eq!(results::<Fusion<Leaf>>(&device), expected());
    assert_eq!(results::<Router<(Leaf, Toy)>>(&duo::MultiDevice::B1(device)), expected());
    assert_eq!(results::<Router<(Leaf, Toy)>>(&duo::MultiDevice::B2(Default::default())), expected());
    assert_eq!(results::<Remote>(&RemoteDevice::in_process::<Leaf>(device)), expected());
    assert_eq!(results::<Capture<Leaf>>(&device), expected());
    assert_eq!(results::<Profile<Leaf>>(&device), expected());
    assert_eq!(results::<Amp<Leaf>>(&device), expected());
    assert_eq!(results::<Dynamic>(&DynamicDevice::new::<Old<Leaf>>(device)), expected());
    for name in ["cube", "bilinear"] {
        assert!(Profile::<Leaf>::report().by_name().iter().any(|row| row.name == name), "{name}");
    }
}

#[test]
fn all_decorators_have_them_at_once() {
    let server = RemoteDevice::in_process::<Leaf>(Default::default());
    for device in [duo::MultiDevice::B1(Default::default()), duo::MultiDevice::B2(server)] {
        let x = Everything::set_require_grad(Everything::from_data(TensorData::from(X), &device), true);
        let y = Everything::unary(UnaryOp::Cube, x.clone());
        assert_eq!(read::<Everything>(y.clone()), expected()[0]);
        let gradients = Everything::backward(y).expect("tracked");
        let gradient = Everything::grad(&x, &gradients).expect("y depends on x");
        assert_eq!(read::<Inner>(gradient), TensorData::from(X.map(|x| 3.0 * x * x)));
        // The sum of the results is linear in each element, so its slope is exactly its step.
        let x = upload::<Everything>(&device).map(|x| Everything::set_require_grad(x, true));
        let y = bilinear::<Everything>(x.clone());
        assert_eq!(read::<Everything>(y.clone()), expected()[1]);
        let gradients = Everything::backward(y).expect("tracked");
        for (at, x) in x.iter().enumerate() {
            let found = read::<Inner>(Everything::grad(x, &gradients).expect("y depends on x")).to_f64();
            for (element, found) in found.into_iter().enumerate() {
                let mut moved = operands();
                moved[at][element] += 1.0;
                let [after, before] = [moved, operands()].map(|values| sums(&values).iter().sum::<f64>());
                assert_eq!(found, after - before, "operand {at}, element {element}");
            }
        }
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
fn a_program_with_them_is_saved_and_runs_elsewhere() {
    type C = Capture<Leaf>;
    let device = Default::default();
    let recording = Recording::<Leaf>::start();
    let x = C::from_data(TensorData::from(X), &device);
    let operands = upload::<C>(&device);
    recording.input("x", &x);
    operands.iter().zip(["lhs", "rhs", "weight", "bias"]).for_each(|(x, name)| recording.input(name, x));
    let results = [C::unary(UnaryOp::Cube, x), bilinear::<C>(operands)];
    let outputs = [("cube", &results[0]), ("bilinear", &results[1])];
    let program = recording.finish(outputs).expect("there are no constants");
    let calls = ["Unary { op: Cube, x: %0 }", "Bilinear(BilinearArgs { lhs: %1"];
    assert!(calls.iter().all(|call| program.to_string().contains(call)), "{program}");
    let program = program.to_bytes().expect("it is small");
    let program = Program::from_bytes(&program).expect("it was just written");
    let server = RemoteDevice::in_process::<Leaf>(device);
    for device in [DynamicDevice::new::<Toy>(Default::default()), DynamicDevice::new::<Remote>(server)] {
        let x: DynamicTensor = Dynamic::from_data(TensorData::from(X), &device);
        let inputs = [x].into_iter().chain(upload::<Dynamic>(&device)).collect();
        let results = program.replay_on(inputs, &device).expect("five inputs");
        assert!(results.into_iter().map(read::<Dynamic>).eq(expected()));
    }
}
