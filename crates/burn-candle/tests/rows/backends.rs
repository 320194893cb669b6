use burn::backend::candle::CandleDevice;
use burn::backend::router::duo::MultiDevice;
use burn::backend::{AnyBackend, AnyDevice, Autodiff, Candle, Fusion, NdArray, Router};
use burn::tensor::backend::Backend;
use burn::tensor::{Int, Tensor};

fn mean_of_squares<B: Backend>(device: &B::Device) -> f64 {
    let x = Tensor::<B, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], device);
    (x.clone() * x).mean().into_data().to_f64()[0]
}

#[test]
fn bk_009_candle_has_default_element_types_and_devices() {
    type B = Candle<f32, i64>;
    let device = CandleDevice::default();
    assert_eq!(device, CandleDevice::Cpu);
    assert_eq!(
        [device, CandleDevice::Cuda(1), CandleDevice::Metal(0)].map(|d| d.to_string()),
        ["Cpu", "Cuda(1)", "Metal(0)"]
    );
    assert_eq!(mean_of_squares::<B>(&device), 7.5);
    let x = Tensor::<B, 1>::zeros([2], &device);
    let i = Tensor::<B, 1, Int>::zeros([2], &device);
    assert_eq!((x.dtype().name(), i.dtype().name()), ("f32", "i64"));
    assert_eq!(Tensor::<Candle<f64, i32>, 1>::zeros([2], &device).dtype().name(), "f64");
}

#[test]
fn bk_010_candle_stands_beside_the_other_backends_and_under_decorators() {
    assert_eq!(mean_of_squares::<Fusion<Candle>>(&Default::default()), 7.5);
    let device = Default::default();
    let x = Tensor::<Autodiff<Candle>, 1>::from_data([1.0, 2.0, 3.0], &device).require_grad();
    let gradients = (x.clone() * x.clone()).sum().backward();
    assert_eq!(x.grad(&gradients).expect("it is tracked").into_data().to_f64(), [2.0, 4.0, 6.0]);
    // A tensor goes from one backend of a router to the other.
    type Two = Router<(Candle, NdArray)>;
    let x = Tensor::<Two, 1>::from_data([1.0, 2.0], &MultiDevice::B1(CandleDevice::Cpu));
    let y = x.to_device(&MultiDevice::B2(Default::default())) * 2;
    assert_eq!(y.into_data().to_f64(), [2.0, 4.0]);
}

#[test]
fn bk_009_a_seed_gives_the_numbers_that_it_gives_on_ndarray() {
    fn drawn<B: Backend>() -> Vec<f64> {
        B::seed(7);
        let x = Tensor::<B, 1>::random([1000], burn::tensor::Distribution::Default, &Default::default());
        x.into_data().to_f64()
    }
    assert_eq!(drawn::<Candle>(), drawn::<NdArray>());
}

#[test]
fn f_001_f_004_candle_has_a_crate_and_paths_in_the_facade() {
    fn is_the_leaf<B: Backend<Tensor = burn_candle::CandleTensor>>() {}
    is_the_leaf::<burn_candle::Candle>();
    is_the_leaf::<burn::backend::Candle>();
    is_the_leaf::<burn::backend::candle::Candle<f32, i64>>();
}

#[test]
fn x_024_text_chooses_candle() {
    for name in ["candle", "fusion<candle>"] {
        let device: AnyDevice = name.parse().expect("it is compiled in");
        assert_eq!(AnyBackend::name(&device), name);
        assert_eq!(mean_of_squares::<AnyBackend>(&device), 7.5);
    }
}
