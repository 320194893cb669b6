use burn::backend::{wgpu::WgpuDevice, Wgpu};
use burn::tensor::Tensor;

fn main() {
    let device = WgpuDevice::default();
    if let Err(error) = device.open() {
        return println!("no device: {error}");
    }
    let x = Tensor::<Wgpu, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &device);
    println!("{}", x.clone().matmul(x).into_data());
}
