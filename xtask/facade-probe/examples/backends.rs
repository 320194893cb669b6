//! The backends, by each of their paths.

use burn::backend::ndarray::{NdArray as NdArrayByModule, NdArrayDevice};
use burn::backend::router::duo::MultiDevice;
use burn::backend::wgpu::{AutoGraphicsApi, WgpuDevice};
use burn::backend::{Autodiff, Cuda, Fusion, NdArray, RemoteBackend, Router, Wgpu};
use burn::tensor::backend::{AutodiffBackend, Backend};

fn is_backend<B: Backend>() -> &'static str {
    std::any::type_name::<B>()
}

fn has_gradients<B: AutodiffBackend>() -> &'static str {
    std::any::type_name::<B>()
}

fn main() {
    println!("{} {}", is_backend::<NdArray>(), is_backend::<NdArrayByModule<f64>>());
    println!("{} {}", is_backend::<Wgpu<f32, i32>>(), is_backend::<Cuda<f32, i32>>());
    println!("{} {}", is_backend::<RemoteBackend>(), is_backend::<Fusion<NdArray>>());
    println!(
        "{} {}",
        has_gradients::<Autodiff<Cuda>>(),
        has_gradients::<Autodiff<Router<(NdArray, Wgpu)>>>()
    );
    let devices: [MultiDevice<NdArrayDevice, WgpuDevice>; 2] =
        [MultiDevice::B1(NdArrayDevice::Cpu), MultiDevice::B2(WgpuDevice::default())];
    println!("{devices:?} {}", std::any::type_name::<AutoGraphicsApi>());
}
