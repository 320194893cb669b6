//! DE: backends around backends.

use crate::expect::{exactly, nearly};
use crate::given::CPU;
use crate::torch;
use burn::backend::ndarray::NdArrayDevice;
use burn::backend::router::duo::MultiDevice;
use burn::backend::{Autodiff, Fusion, NdArray, Profile, Remote, RemoteBackend, RemoteDevice, Router};
use burn::server::{Server, ServerOptions};
use burn::tensor::backend::{AutodiffBackend, Backend};
use burn::tensor::{Tensor, TensorPrimitive, activation};
use std::net::TcpListener;
use std::thread;

type Two = Router<(NdArray, NdArray<f64>)>;

/// A program that knows nothing of what it runs on.
fn scores<B: Backend>(device: &B::Device) -> Tensor<B, 2> {
    let x = Tensor::<B, 2>::from_data(torch::MATRIX, device);
    let wide = (x.clone() - x.clone()) * 3 + x;
    activation::softmax(wide, 1)
}

fn slope<B: AutodiffBackend>(device: &B::Device) -> Tensor<B::InnerBackend, 1> {
    let x = Tensor::<B, 1>::from_data([1.0, 2.0, 3.0], device).require_grad();
    x.grad(&x.clone().powf_scalar(3.0).sum().backward()).expect("tracked")
}

#[test]
fn de_001_autodiff_composes_with_the_others() {
    let expected = [3.0, 12.0, 27.0];
    nearly(slope::<Autodiff<NdArray>>(CPU), expected);
    nearly(slope::<Autodiff<Fusion<NdArray>>>(CPU), expected);
    nearly(slope::<Autodiff<Two>>(&MultiDevice::B1(NdArrayDevice::Cpu)), expected);
    nearly(slope::<Autodiff<Two>>(&MultiDevice::B2(NdArrayDevice::Cpu)), expected);
    let server = RemoteDevice::in_process::<NdArray>(NdArrayDevice::Cpu);
    nearly(slope::<Autodiff<Remote>>(&server), expected);
}

/// As `Fusion<Wgpu>` is where a feature has put `Fusion` around `Wgpu` already.
#[test]
fn de_001_fusion_around_fusion_is_fusion() {
    type Once = Fusion<NdArray>;
    type Twice = Fusion<Once>;
    type Thrice = Fusion<Twice>;
    nearly(scores::<Twice>(CPU), torch::SOFTMAX);
    nearly(scores::<Thrice>(CPU), torch::SOFTMAX);
    nearly(slope::<Autodiff<Twice>>(CPU), [3.0, 12.0, 27.0]);
    nearly(slope::<Autodiff<Thrice>>(CPU), [3.0, 12.0, 27.0]);
    assert_eq!(Thrice::name(CPU), Once::name(CPU));
    // Tensors of one layer are those of the other, computed or not.
    let x = Tensor::<Twice, 1>::from_data([1.0, 2.0], CPU) * 3;
    let y = Tensor::<Once, 1>::from_primitive(TensorPrimitive::Float(x.into_primitive().tensor())) + 1;
    let z = Tensor::<Thrice, 1>::from_primitive(TensorPrimitive::Float(y.into_primitive().tensor())) * 2;
    exactly(z, [8.0, 14.0]);
    assert!(Tensor::<Twice, 1>::from_data([0.0, 1.0], CPU).greater_elem(0.5).argwhere().dims() == [1, 1]);
    Thrice::sync(CPU);
}

/// A decorator between two of `Fusion`, which has calls of both to do.
#[test]
fn de_001_fusion_around_a_decorator_of_fusion_computes_the_same() {
    type Between = Fusion<Profile<Fusion<NdArray>>>;
    nearly(scores::<Between>(CPU), torch::SOFTMAX);
    nearly(slope::<Autodiff<Between>>(CPU), [3.0, 12.0, 27.0]);
}

#[test]
fn de_003_a_router_has_the_devices_of_both() {
    let (first, second) = (MultiDevice::B1(NdArrayDevice::Cpu), MultiDevice::B2(NdArrayDevice::Cpu));
    let x = Tensor::<Two, 1>::from_data([1.0, 2.0], &first);
    let y = Tensor::<Two, 1>::from_data([10.0, 20.0], &second);
    assert_eq!((x.device(), y.device()), (first.clone(), second.clone()));
    exactly(x.clone() * 2, [2.0, 4.0]);
    exactly(y.clone() * 2, [20.0, 40.0]);
    let moved = x.to_device(&second);
    assert_eq!(moved.device(), second);
    exactly(moved + y, [11.0, 22.0]);
}

#[test]
fn de_006_user_code_does_not_change() {
    nearly(scores::<NdArray>(CPU), torch::SOFTMAX);
    nearly(scores::<Autodiff<NdArray>>(CPU), torch::SOFTMAX);
    nearly(scores::<Fusion<NdArray>>(CPU), torch::SOFTMAX);
    nearly(scores::<Autodiff<Fusion<NdArray>>>(CPU), torch::SOFTMAX);
    nearly(scores::<Two>(&Default::default()), torch::SOFTMAX);
    nearly(scores::<Remote>(&RemoteDevice::in_process::<NdArray>(NdArrayDevice::Cpu)), torch::SOFTMAX);
}

/// A port without a listener.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    listener.local_addr().expect("it is bound").port()
}

#[test]
fn de_004_a_server_is_one_line() {
    let port = free_port();
    thread::spawn(move || burn::server::start::<burn::backend::NdArray>(Default::default(), port));
    let device = RemoteDevice::new(&format!("ws://127.0.0.1:{port}"));
    nearly(scores::<Remote>(&device), torch::SOFTMAX);
}

#[test]
fn de_005_a_client_is_a_device_and_a_type() {
    type Backend = Autodiff<RemoteBackend>;
    let port = free_port();
    let options = ServerOptions::new(format!("localhost:{port}"));
    let _server = Server::start::<NdArray>(NdArrayDevice::Cpu, options).expect("the port is free");
    let device = RemoteDevice::new(&format!("ws://localhost:{port}"));
    nearly(slope::<Backend>(&device), [3.0, 12.0, 27.0]);
    nearly(scores::<Backend>(&device), torch::SOFTMAX);
}
