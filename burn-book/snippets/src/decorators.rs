//! Backends around backends.

use burn::backend::NdArray;
use burn::prelude::*;
use burn::tensor::Tolerance;

#[test]
fn a_router_has_the_devices_of_several_backends() {
    // ANCHOR: router
    use burn::backend::ndarray::NdArrayDevice;
    use burn::backend::router::duo::MultiDevice;
    use burn::backend::{Autodiff, Fusion, Router};

    type Both = Autodiff<Router<(NdArray, Fusion<NdArray>)>>;
    let first = MultiDevice::B1(NdArrayDevice::Cpu);
    let second = MultiDevice::B2(NdArrayDevice::Cpu);

    let x = Tensor::<Both, 1>::from_data([1.0, 2.0], &first).require_grad();
    let y = (x.clone() * 3).to_device(&second).exp();
    let gradient = x.grad(&y.backward()).expect("y depends on x");
    assert_eq!(gradient.device(), first);
    // ANCHOR_END: router
    let expected = TensorData::from([3.0 * 3.0_f32.exp(), 3.0 * 6.0_f32.exp()]);
    gradient.into_data().assert_approx_eq::<f64>(&expected, Tolerance::rel_abs(1e-5, 1e-5));
}

#[test]
fn a_profile_is_a_table() {
    // ANCHOR: profile
    use burn::backend::Profile;

    type B = Profile<NdArray>;
    B::start_trace(10_000);
    let x = Tensor::<B, 2>::ones([64, 64], &Default::default());
    let y = (x.clone().matmul(x) + 1).sqrt().sum();
    println!("{y}");

    // By name; `{:#}` has a line for each shape.
    println!("{}", B::report());
    // For chrome://tracing, or ui.perfetto.dev.
    let timeline: String = B::finish_trace().to_chrome_json();
    // ANCHOR_END: profile
    assert!(timeline.contains("\"matmul\"") && B::report().to_string().contains("sqrt"));
}

#[test]
fn a_profile_lists_modules() {
    use burn::nn::transformer::{TransformerEncoder, TransformerEncoderConfig, TransformerEncoderInput};
    // ANCHOR: modules
    use burn::backend::Profile;
    use burn::module::Module;

    type B = Profile<NdArray<f64>>;
    let device = Default::default();
    let encoder: TransformerEncoder<B> = TransformerEncoderConfig::new(32, 64, 4, 2).init(&device);
    encoder.profile_by_module();
    let _ = encoder.forward(TransformerEncoderInput::new(Tensor::ones([8, 16, 32], &device)));

    let report = B::report();
    println!("{}", report.module_table());
    // The operations of one module and of those inside of it.
    println!("{}", report.within("layers.0"));
    // ANCHOR_END: modules
    assert!(report.module_table().contains("layers.1.mha.query"));
    assert!(report.within("layers.0").to_string().contains("attention"));
}

#[test]
fn a_program_is_a_value() {
    // ANCHOR: capture
    use burn::backend::Fusion;
    use burn::backend::capture::{Capture, Program, Recording};

    type C = Capture<NdArray>;
    let device = Default::default();
    let weight = Tensor::<C, 2>::from_data([[1.0, -1.0], [0.5, 2.0]], &device);

    let recording = Recording::<NdArray>::start();
    let x = Tensor::<C, 2>::zeros([3, 2], &device);
    recording.input("x", x.handle());
    let y = x.matmul(weight).tanh();
    let program = recording.finish([("y", y.handle())]).expect("constants can be read");
    println!("{program}");

    let path = std::env::temp_dir().join("book.program");
    program.save(&path).expect("the folder can be written");
    let program = Program::load(&path).expect("it was just saved");

    type F = Fusion<NdArray>;
    let x = Tensor::<F, 2>::ones([3, 2], &device);
    let outputs = program.replay::<F>(vec![x.into_handle()], &device).expect("one input, of that shape");
    let y: Vec<Tensor<F, 2>> = outputs.into_iter().map(Tensor::from_handle).collect();
    // ANCHOR_END: capture
    assert_eq!(y[0].dims(), [3, 2]);
    let listing = "\
input %0: f32[3, 2]  x
%1: f32[2, 2] = [1.0, -1.0, 0.5, 2.0]
%2: f32[3, 2] = Matmul { lhs: %0, rhs: %1 }
%3: f32[3, 2] = Unary { op: Tanh, x: %2 }
output %3  y
";
    assert_eq!(program.to_string(), listing);
    std::fs::remove_file(path).expect("it is there");
}

#[test]
fn mixed_precision_is_a_type() {
    // ANCHOR: amp
    use burn::backend::{Amp, Autodiff};

    type B = Autodiff<Amp<NdArray>>;
    let x = Tensor::<B, 2>::ones([4, 8], &Default::default());
    let y = x.clone().matmul(x.transpose());
    // Computed in bf16, and still what the program expects.
    assert_eq!(y.dtype(), burn::tensor::DType::F32);
    // ANCHOR_END: amp
}

#[test]
fn decorators_compose() {
    // ANCHOR: compose
    use burn::backend::{Amp, Autodiff, Capture, Fusion, Profile};

    fn loss<B: Backend>() -> f32 {
        let x = Tensor::<B, 1>::from_data([1.0, 2.0, 3.0], &Default::default());
        (x.clone() * x).sum().into_scalar().elem()
    }

    assert_eq!(loss::<Autodiff<Profile<NdArray>>>(), 14.0);
    assert_eq!(loss::<Fusion<Profile<NdArray>>>(), 14.0);
    assert_eq!(loss::<Capture<Fusion<NdArray>>>(), 14.0);
    assert_eq!(loss::<Autodiff<Amp<Profile<Fusion<NdArray>>>>>(), 14.0);
    // ANCHOR_END: compose
}

// ANCHOR: own
use burn::tensor::HasSpec;
use burn::tensor::backend::{Around, around};
use burn::tensor::ops::{Operation, Outputs};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the elements that all operations made.
#[derive(Clone, Copy, Debug, Default)]
struct Count<B>(PhantomData<B>);

static ELEMENTS: AtomicUsize = AtomicUsize::new(0);

impl<B: Backend> Around for Count<B> {
    type Inner = B;
    const NAME: &'static str = "count";

    fn interpret(op: Operation<B::Tensor>) -> Outputs<B::Tensor> {
        let outputs = B::execute(op);
        outputs.visit(|x| {
            ELEMENTS.fetch_add(x.shape().num_elements(), Ordering::Relaxed);
        });
        outputs
    }
}

around!(Count<B>);
// ANCHOR_END: own

#[test]
fn a_decorator_of_ones_own_is_one_function() {
    // ANCHOR: own_use
    use burn::backend::{Autodiff, Fusion};

    let x = Tensor::<Autodiff<Fusion<Count<NdArray>>>, 1>::ones([10], &Default::default()).require_grad();
    let loss = x.clone().exp().sum();
    let gradient = x.grad(&loss.backward());
    println!("{gradient:?}, made of {} elements", ELEMENTS.load(Ordering::Relaxed));
    // ANCHOR_END: own_use
    drop(gradient.map(Tensor::into_data));
    assert!(ELEMENTS.load(Ordering::Relaxed) >= 11);
}
