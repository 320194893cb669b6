use burn::backend::libtorch::LibTorchDevice;
use burn::backend::router::duo::MultiDevice;
use burn::backend::{AnyBackend, AnyDevice, Autodiff, Fusion, LibTorch, NdArray, Router};
use burn::tensor::backend::Backend;
use burn::tensor::{Int, Tensor};

fn mean_of_squares<B: Backend>(device: &B::Device) -> f64 {
    let x = Tensor::<B, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], device);
    (x.clone() * x).mean().into_data().to_f64()[0]
}

#[test]
fn bk_008_libtorch_has_default_element_types_and_devices() {
    type B = LibTorch<f32>;
    let device = LibTorchDevice::default();
    assert_eq!(device, LibTorchDevice::Cpu);
    assert_eq!(
        [device, LibTorchDevice::Cuda(1), LibTorchDevice::Mps, LibTorchDevice::Vulkan].map(|d| d.to_string()),
        ["Cpu", "Cuda(1)", "Mps", "Vulkan"]
    );
    assert_eq!(mean_of_squares::<B>(&device), 7.5);
    let x = Tensor::<B, 1>::zeros([2], &device);
    let i = Tensor::<B, 1, Int>::zeros([2], &device);
    assert_eq!((x.dtype().name(), i.dtype().name()), ("f32", "i64"));
    assert_eq!(Tensor::<LibTorch<f64>, 1>::zeros([2], &device).dtype().name(), "f64");
}

#[test]
fn bk_010_libtorch_stands_beside_the_other_backends_and_under_decorators() {
    assert_eq!(mean_of_squares::<Fusion<LibTorch>>(&Default::default()), 7.5);
    let device = Default::default();
    let x = Tensor::<Autodiff<LibTorch>, 1>::from_data([1.0, 2.0, 3.0], &device).require_grad();
    let gradients = (x.clone() * x.clone()).sum().backward();
    assert_eq!(x.grad(&gradients).expect("it is tracked").into_data().to_f64(), [2.0, 4.0, 6.0]);
    // A tensor goes from one backend of a router to the other.
    type Two = Router<(LibTorch, NdArray)>;
    let x = Tensor::<Two, 1>::from_data([1.0, 2.0], &MultiDevice::B1(LibTorchDevice::Cpu));
    let y = x.to_device(&MultiDevice::B2(Default::default())) * 2;
    assert_eq!(y.into_data().to_f64(), [2.0, 4.0]);
}

#[test]
fn bk_008_a_seed_gives_the_numbers_that_it_gives_on_ndarray() {
    fn drawn<B: Backend>() -> Vec<f64> {
        B::seed(7);
        let x = Tensor::<B, 1>::random([1000], burn::tensor::Distribution::Default, &Default::default());
        x.into_data().to_f64()
    }
    assert_eq!(drawn::<LibTorch>(), drawn::<NdArray>());
}

#[test]
fn f_001_f_004_libtorch_has_a_crate_and_paths_in_the_facade() {
    fn is_the_leaf<B: Backend<Tensor = burn_tch::TchTensor>>() {}
    is_the_leaf::<burn_tch::LibTorch>();
    is_the_leaf::<burn::backend::LibTorch>();
    is_the_leaf::<burn::backend::libtorch::LibTorch<f32>>();
    is_the_leaf::<LibTorch<f64>>();
}

#[test]
fn x_024_text_chooses_libtorch() {
    for name in ["libtorch", "fusion<libtorch>"] {
        let device: AnyDevice = name.parse().expect("it is compiled in");
        assert_eq!(AnyBackend::name(&device), name);
        assert_eq!(mean_of_squares::<AnyBackend>(&device), 7.5);
    }
}

#[test]
fn bk_017_the_element_types_of_libtorch_are_public() {
    use burn::backend::libtorch::{TchElement, TchTensor, tch};
    fn kind<E: TchElement>(device: &LibTorchDevice) -> tch::Kind {
        let x: TchTensor = Tensor::<LibTorch<E>, 1>::zeros([2], device).into_handle();
        assert_eq!(x.into_tch().kind(), E::KIND);
        E::KIND
    }
    let device = LibTorchDevice::Cpu;
    let kinds = [kind::<f64>(&device), kind::<f32>(&device)];
    assert_eq!(kinds, [tch::Kind::Double, tch::Kind::Float]);
    let halves = [kind::<burn::tensor::f16>(&device), kind::<burn::tensor::bf16>(&device)];
    assert_eq!(halves, [tch::Kind::Half, tch::Kind::BFloat16]);
}

/// LibTorch takes the threads of the process.
#[test]
fn the_threads_of_the_process_are_those_of_libtorch() {
    drop(Tensor::<LibTorch, 1>::zeros([2], &Default::default()));
    let threads = std::env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.parse().ok());
    let wanted = threads
        .filter(|&count| count > 0)
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as i32);
    assert_eq!(burn_tch::tch::get_num_threads(), wanted);
}
