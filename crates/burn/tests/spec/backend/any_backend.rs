//! X-024: a backend that is chosen at run time.

use crate::expect::nearly;
use crate::torch;
use burn::backend::{AnyBackend, AnyDevice, AnyDeviceError, Autodiff, NdArray};
use burn::module::AutodiffModule;
use burn::nn::{LinearConfig, loss::MseLoss, loss::Reduction};
use burn::optim::{GradientsParams, Optimizer, SgdConfig};
use burn::tensor::backend::{AutodiffBackend, Backend};
use burn::tensor::{Int, Tensor, activation};
use burn_conformance::again::again;
use std::panic::AssertUnwindSafe;

fn device(text: &str) -> AnyDevice {
    text.parse().expect("compiled in")
}

#[test]
fn x_024_text_chooses_the_backend() {
    for name in ["ndarray", "fusion<ndarray>"] {
        let device = device(name);
        assert_eq!((device.to_string().as_str(), AnyBackend::name(&device).as_str()), (name, name));
        assert_eq!(Autodiff::<AnyBackend>::name(&device), format!("autodiff<{name}>"));
        let x = Tensor::<AnyBackend, 2>::from_data(torch::MATRIX, &device);
        assert_eq!(x.device(), device);
        nearly(activation::softmax(x, 1), torch::SOFTMAX);
        let index = Tensor::<AnyBackend, 1, Int>::from_data([2, 0], &device);
        let picked = Tensor::<AnyBackend, 1>::from_data([1.0, 2.0, 3.0], &device).select(0, index);
        nearly(picked, [3.0, 1.0]);
    }
    assert_eq!(AnyDevice::names().collect::<Vec<_>>(), ["ndarray", "fusion<ndarray>"]);
    assert_eq!(AnyDevice::default(), device(" NdArray "));
    assert_ne!(device("ndarray"), device("fusion<ndarray>"));
}

#[test]
fn x_024_text_that_names_no_backend_is_an_error() {
    let error = "abacus".parse::<AnyDevice>().expect_err("unknown");
    assert_eq!(error, AnyDeviceError::Unknown { text: "abacus".into() });
    assert_eq!(
        error.to_string(),
        r#"there is no backend "abacus"; this program has "ndarray", "fusion<ndarray>""#
    );
    let error = "autodiff<ndarray>".parse::<AnyDevice>().expect_err("gradients are in the type");
    assert!(error.to_string().contains(r#"Autodiff<AnyBackend>, on the device "ndarray""#), "{error}");
}

#[test]
fn x_024_tensors_move_between_backends_and_do_not_mix() {
    let (one, other) = (device("ndarray"), device("fusion<ndarray>"));
    let x = Tensor::<AnyBackend, 1>::from_data([1.0, 2.0], &one);
    let y = Tensor::<AnyBackend, 1>::from_data([10.0, 20.0], &other);
    nearly(x.clone().to_device(&other) + y.clone(), [11.0, 22.0]);
    let mixed = std::panic::catch_unwind(AssertUnwindSafe(|| x + y)).expect_err("two backends");
    let message = mixed.downcast::<String>().expect("a message");
    assert_eq!(
        *message,
        "add: operands are on ndarray:Cpu and on fusion<ndarray>:Cpu; move one with to_device"
    );
}

#[test]
fn x_024_a_seed_is_for_the_backends_of_all_devices() {
    // Other tests draw from the same generators, which are of the whole process.
    if again("x_024_a_seed_is_for_the_backends_of_all_devices", &[]).is_some() {
        return;
    }
    let draw = |device: &AnyDevice| {
        AnyBackend::seed(7);
        Tensor::<AnyBackend, 1>::random([4], burn::tensor::Distribution::Default, device).into_data()
    };
    let foreign = AnyDevice::new::<NdArray<f64>>(Default::default());
    for device in [device("ndarray"), device("fusion<ndarray>"), foreign] {
        assert_eq!(draw(&device), draw(&device));
    }
}

/// Fits `y = 2 x + 1` by a layer with one weight; the loss of every step.
fn train<B: AutodiffBackend>(device: &B::Device) -> (Vec<f64>, f64) {
    let mut model = LinearConfig::new(1, 1).init::<B>(device);
    let mut optimizer = SgdConfig::new().init();
    let x = Tensor::<B, 2>::from_data([[-1.0], [0.0], [1.0], [2.0]], device);
    let y = x.clone() * 2 + 1;
    let mut losses = Vec::new();
    for _ in 0..200 {
        let loss = MseLoss::new().forward(model.forward(x.clone()), y.clone(), Reduction::Mean);
        losses.push(loss.to_data().to_f64()[0]);
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(0.1, model, gradients);
    }
    let valid = model.valid();
    let at = valid.forward(Tensor::<_, 2>::from_data([[10.0]], device)).into_data().to_f64()[0];
    (losses, at)
}

#[test]
fn x_024_a_layer_trains_on_the_backend_that_text_names() {
    for name in ["ndarray", "fusion<ndarray>"] {
        let (losses, at) = train::<Autodiff<AnyBackend>>(&device(name));
        assert!(losses[199] < 1e-6 && losses[0] > losses[199], "{name}: {} {}", losses[0], losses[199]);
        assert!((at - 21.0).abs() < 1e-2, "{name}: {at}");
    }
}
