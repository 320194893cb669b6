//! Calls of kernels and libraries, for tests and for times.

use burn_backend::DType;
use burn_cuda::{Blas, CudaDevice, CudaRuntime, DeviceRange, WORKSPACE};
use cubecl::prelude::*;
use cubecl::server::Handle;
use half::{bf16, f16};

pub type Client = ComputeClient<CudaRuntime>;

pub fn client() -> Client {
    CudaRuntime::client(&CudaDevice::default())
}

/// Numbers without a pattern, from -1 to 1.
pub fn noise(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(next).collect()
}

#[cube(launch)]
fn scale_add(x: &Array<f32>, out: &mut Array<f32>, factor: f32) {
    if ABSOLUTE_POS < out.len() {
        out[ABSOLUTE_POS] = out[ABSOLUTE_POS] + factor * x[ABSOLUTE_POS];
    }
}

pub fn add(client: &Client, x: &Handle, out: &Handle, count: usize, factor: f32) {
    // SAFETY: both buffers have `count` elements of f32.
    let array = |handle: &Handle| unsafe { ArrayArg::from_raw_parts(handle.clone(), count) };
    let cubes = CubeCount::Static(count.div_ceil(256) as u32, 1, 1);
    scale_add::launch::<CudaRuntime>(client, cubes, CubeDim::new_1d(256), array(x), array(out), factor);
}

pub fn encode(values: &[f32], dtype: DType) -> Vec<u8> {
    match dtype {
        DType::F16 => values.iter().flat_map(|x| f16::from_f32(*x).to_le_bytes()).collect(),
        DType::BF16 => values.iter().flat_map(|x| bf16::from_f32(*x).to_le_bytes()).collect(),
        DType::F64 => values.iter().flat_map(|&x| f64::from(x).to_le_bytes()).collect(),
        _ => bytemuck::cast_slice(values).to_vec(),
    }
}

pub fn blas(client: &Client) -> Blas {
    Blas::new(CudaDevice::default(), client.empty(WORKSPACE)).unwrap()
}

pub fn place(client: &Client, bytes: &[u8]) -> DeviceRange {
    DeviceRange { handle: client.create_from_slice(bytes), offset: 0 }
}

pub trait SyncNow {
    fn sync_now(&self);
}

impl SyncNow for Client {
    fn sync_now(&self) {
        cubecl::future::block_on(self.sync()).unwrap();
    }
}
