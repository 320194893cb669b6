//! Models and tensors on several backends at once.

use burn::backend::router::{duo, sextet};
use burn::backend::{Autodiff, Fusion, NdArray, Router};
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamConfig, GradientsParams, Optimizer};
use burn::tensor::backend::{AutodiffBackend, Backend};
use burn::tensor::{Tensor, TensorData, activation};
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::{Mutex, Once};

type Two = Router<(NdArray, NdArray)>;
type Six = Router<(NdArray, NdArray<f64>, Fusion<NdArray>, NdArray, NdArray, NdArray<f64>)>;

const FIRST: duo::MultiDevice<Cpu, Cpu> = duo::MultiDevice::B1(Cpu::Cpu);
const SECOND: duo::MultiDevice<Cpu, Cpu> = duo::MultiDevice::B2(Cpu::Cpu);

type Cpu = burn::backend::ndarray::NdArrayDevice;

#[derive(Module, Debug)]
struct Mlp<B: Backend> {
    first: Linear<B>,
    second: Linear<B>,
}

impl<B: Backend> Mlp<B> {
    /// Each layer on a device of its own, with the same weights everywhere.
    fn new(first: &B::Device, second: &B::Device) -> Self {
        let layer = |inputs: usize, outputs: usize, device| {
            let linear: Linear<B> = LinearConfig::new(inputs, outputs).with_bias(false).init(device);
            let value = |i: usize| ((i * 7 + outputs) % 11) as f32 / 11.0 - 0.4;
            let weight: Vec<f32> = (0..inputs * outputs).map(value).collect();
            let weight = TensorData::new(weight, [inputs, outputs]);
            Linear {
                weight: linear.weight.map(|_| Tensor::from_data(weight, device).require_grad()),
                ..linear
            }
        };
        Mlp { first: layer(3, 8, first), second: layer(8, 2, second) }
    }

    fn forward(&self, x: Tensor<B, 2>, second: &B::Device) -> Tensor<B, 2> {
        self.second.forward(activation::tanh(self.first.forward(x)).to_device(second))
    }
}

/// The weights after some steps of Adam.
fn trained<B: AutodiffBackend>(first: &B::Device, second: &B::Device) -> Vec<TensorData> {
    let mut model = Mlp::<B>::new(first, second);
    let mut optimizer = AdamConfig::new().init();
    let x: [[f32; 3]; 4] = [[0.1, -0.5, 1.0], [0.7, 0.2, -0.3], [-0.9, 0.4, 0.6], [0.0, 1.0, -1.0]];
    let y: [[f32; 2]; 4] = [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.2, -0.2]];
    for _ in 0..20 {
        let output = model.forward(Tensor::from_data(x, first), second);
        let difference = output - Tensor::from_data(y, second);
        let gradients = (difference.clone() * difference).mean().backward();
        let gradients = GradientsParams::from_grads(gradients, &model);
        model = optimizer.step(0.05, model, gradients);
    }
    assert_eq!((model.first.weight.device(), model.second.weight.device()), (first.clone(), second.clone()));
    vec![model.first.weight.val().into_data(), model.second.weight.val().into_data()]
}

#[test]
fn a_model_on_two_backends_learns_what_it_learns_on_one() {
    let expected = trained::<Autodiff<NdArray>>(&Cpu::Cpu, &Cpu::Cpu);
    let untrained = Mlp::<NdArray>::new(&Cpu::Cpu, &Cpu::Cpu).first.weight.val().into_data();
    assert_ne!(expected[0], untrained);
    assert_eq!(trained::<Autodiff<Two>>(&FIRST, &SECOND), expected);
    assert_eq!(trained::<Autodiff<Two>>(&SECOND, &FIRST), expected);
    assert_eq!(trained::<Autodiff<Two>>(&SECOND, &SECOND), expected);
    assert_eq!(
        trained::<Autodiff<Six>>(&sextet::MultiDevice::B1(Cpu::Cpu), &sextet::MultiDevice::B3(Cpu::Cpu)),
        expected
    );
    assert_eq!(trained::<Autodiff<Fusion<Two>>>(&FIRST, &SECOND), expected);
}

#[test]
fn a_gradient_goes_back_to_the_backend_of_its_tensor() {
    let x = Tensor::<Autodiff<Two>, 1>::from_data([1.0, 2.0, 3.0], &FIRST).require_grad();
    let there = x.clone().to_device(&SECOND);
    // Used here, there, and here again.
    let back = (there.clone() * there).to_device(&FIRST) * x.clone();
    let gradient = x.grad(&back.sum().backward()).expect("tracked");
    assert_eq!(gradient.device(), FIRST);
    assert_eq!(gradient.into_data(), TensorData::from([3.0_f32, 12.0, 27.0]));
}

#[test]
fn six_backends_pass_a_tensor_around() {
    use sextet::MultiDevice::*;
    let devices = [B1(Cpu::Cpu), B2(Cpu::Cpu), B3(Cpu::Cpu), B4(Cpu::Cpu), B5(Cpu::Cpu), B6(Cpu::Cpu)];
    for from in &devices {
        for to in &devices {
            let x = Tensor::<Six, 1>::from_data([1.5, -2.5], from);
            assert_eq!(x.device(), *from);
            let moved = (x * 2).to_device(to);
            assert_eq!(moved.device(), *to);
            let data = (moved + 1).into_data();
            assert_eq!(data, TensorData::from([4.0_f32, -4.0]), "{from:?} to {to:?}");
        }
    }
    assert_eq!(<Six as Backend>::Device::default(), B1(Cpu::Cpu));
    assert_eq!(Six::name(&B3(Cpu::Cpu)), "router<fusion<ndarray>>");
}

/// Returns the panic message of `call`, and the file of its location.
fn panic_of(call: impl FnOnce()) -> (String, String) {
    static HOOK: Once = Once::new();
    static FILE: Mutex<String> = Mutex::new(String::new());
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            *FILE.lock().expect("no panic holds it") = info.location().map_or("", Location::file).to_owned();
        }));
    });
    let payload = catch_unwind(AssertUnwindSafe(call)).expect_err("operands are on two backends");
    (*payload.downcast().expect("a message"), FILE.lock().expect("no panic holds it").clone())
}

#[test]
fn operands_on_two_backends_are_named_at_the_line_of_the_program() {
    let given = || (Tensor::<Two, 2>::ones([2, 2], &FIRST), Tensor::<Two, 2>::ones([2, 2], &SECOND));
    let expected =
        |op: &str| format!("{op}: operands are on B1(Cpu) and on B2(Cpu); move one with to_device");
    let (x, y) = given();
    let error = x.try_add(y).expect_err("operands are on two backends");
    assert!(error.to_string().starts_with(&expected("add")), "{error}");
    assert_eq!(error.location().file(), file!());
    let (x, y) = given();
    assert_eq!(panic_of(|| drop(x + y)), (expected("add"), file!().to_owned()));
    let (x, y) = given();
    assert_eq!(panic_of(|| drop(x.matmul(y))), (expected("matmul"), file!().to_owned()));
    let (x, y) = given();
    assert_eq!(panic_of(|| drop(Tensor::cat(vec![x, y], 0))), (expected("cat"), file!().to_owned()));
    let (x, y) = given();
    let (x, y) = (Tensor::<Autodiff<Two>, 2>::from_inner(x), Tensor::from_inner(y));
    assert_eq!(panic_of(|| drop(x.equal(y))), (expected("equal"), file!().to_owned()));
}
