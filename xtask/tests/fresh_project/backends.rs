#![allow(unused_imports)]

use burn::backend::ndarray::NdArrayDevice;
use burn::backend::router::duo::MultiDevice;
use burn::backend::wgpu::{AutoGraphicsApi, WgpuDevice};
use burn::backend::{ndarray, Autodiff, Cuda, Fusion, NdArray, RemoteBackend, Router, Wgpu};
use burn::tensor::backend::{AutodiffBackend, Backend};

fn is_backend<B: Backend>() {}
fn has_gradients<B: AutodiffBackend>() {}

fn main() {
    is_backend::<NdArray>();
    is_backend::<ndarray::NdArray<f64>>();
    is_backend::<Wgpu>();
    is_backend::<Cuda>();
    is_backend::<RemoteBackend>();
    is_backend::<Router<(NdArray, Wgpu)>>();
    is_backend::<Fusion<NdArray>>();
    has_gradients::<Autodiff<Cuda>>();
    has_gradients::<Autodiff<Wgpu>>();
    has_gradients::<Autodiff<RemoteBackend>>();
    let _: MultiDevice<NdArrayDevice, WgpuDevice> = MultiDevice::B2(WgpuDevice::default());
}
