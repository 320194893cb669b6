//! Times of single calls: the start of a process, launches, copies, products of the library.

#[path = "../tests/calls/mod.rs"]
mod calls;
#[path = "../tests/device/mod.rs"]
mod device;

use burn_backend::DType;
use burn_cuda::*;
use calls::{Client, SyncNow, add, blas, client, encode, noise, place};
use std::time::Instant;

/// Seconds of one of `rounds`, the best of five.
fn best(client: &Client, rounds: usize, mut task: impl FnMut()) -> f64 {
    task();
    client.sync_now();
    let time = |_| {
        let start = Instant::now();
        (0..rounds).for_each(|_| task());
        client.sync_now();
        start.elapsed().as_secs_f64() / rounds as f64
    };
    (0..5).map(time).fold(f64::INFINITY, f64::min)
}

fn main() {
    let start = Instant::now();
    device::require();
    println!("driver and device: {:.3} s", start.elapsed().as_secs_f64());
    let client = client();
    println!("client, from the start: {:.3} s", start.elapsed().as_secs_f64());
    let x = client.create_from_slice(bytemuck::cast_slice(&[1.0_f32; 256]));
    let out = client.create_from_slice(bytemuck::cast_slice(&[1.0_f32; 256]));
    add(&client, &x, &out, 256, 1.0);
    client.sync_now();
    println!("first kernel, from the start: {:.3} s", start.elapsed().as_secs_f64());
    let blas = blas(&client);
    let zeros = |count: usize| place(&client, &vec![0; count]);
    let square = |dtype, size: usize| {
        let side = Matrices { transposed: false, leading: size, stride: 0 };
        let (alpha, beta, activation) = (1.0, 0.0, Activation::None);
        Product {
            dtype,
            batch: 1,
            rows: size,
            cols: size,
            depth: size,
            lhs: side,
            rhs: side,
            alpha,
            beta,
            activation,
        }
    };
    let (a, b, c) = (zeros(1 << 20), zeros(1 << 20), zeros(1 << 20));
    blas.run(square(DType::BF16, 512), &a, &b, &c, None).unwrap();
    client.sync_now();
    println!("first product, from the start: {:.3} s", start.elapsed().as_secs_f64());

    println!("launch: {:.2} us", best(&client, 10_000, || add(&client, &x, &out, 256, 1.0)) * 1e6);
    let fresh = || {
        let out = client.empty(1024);
        add(&client, &x, &out, 256, 1.0);
    };
    println!("launch into new memory: {:.2} us", best(&client, 10_000, fresh) * 1e6);
    let kept: Vec<_> = (0..2000).map(|_| client.empty(4096)).collect();
    println!("the same, 2000 small tensors alive: {:.2} us", best(&client, 10_000, fresh) * 1e6);
    drop(kept);
    let large = || {
        let out = client.empty(100 << 20);
        add(&client, &x, &out, 256, 1.0);
    };
    println!("launch into 100 MiB of new memory: {:.2} us", best(&client, 1_000, large) * 1e6);
    let call = || blas.run(square(DType::BF16, 256), &a, &b, &c, None).unwrap();
    println!("product of 256: {:.2} us", best(&client, 10_000, call) * 1e6);
    let read = || drop(client.read_one(x.clone()).unwrap());
    println!("read of 1 KiB: {:.2} us", best(&client, 1_000, read) * 1e6);
    let bytes = vec![1_u8; 256 << 20];
    let upload = best(&client, 1, || drop(client.create_from_slice(&bytes)));
    println!("upload of 256 MiB: {:.2} GB/s", bytes.len() as f64 / upload * 1e-9);
    let queue = Queue::new(CudaDevice::default());
    let upload = best(&client, 1, || drop(queue.create(&bytes)));
    println!("upload of 256 MiB by the queue: {:.2} GB/s", bytes.len() as f64 / upload * 1e-9);
    let big = client.create_from_slice(&bytes[..64 << 20]);
    let download = best(&client, 1, || drop(client.read_one(big.clone()).unwrap()));
    println!("download of 64 MiB: {:.2} GB/s", f64::from(64 << 20) / download * 1e-9);

    let x = noise(8192 * 8192, 1);
    for (name, dtype, tf32) in [
        ("bf16", DType::BF16, false),
        ("f16", DType::F16, false),
        ("tf32", DType::F32, true),
        ("f32", DType::F32, false),
    ] {
        allow_tf32(tf32);
        let bytes = encode(&x, dtype);
        let (a, b) = (place(&client, &bytes), place(&client, &bytes));
        for (size, rounds) in [(1024, 500), (4096, 50), (8192, 10)] {
            let c = DeviceRange { handle: client.empty(size * size * 4), offset: 0 };
            let seconds = best(&client, rounds, || blas.run(square(dtype, size), &a, &b, &c, None).unwrap());
            let tflops = 2.0 * (size as f64).powi(3) / seconds * 1e-12;
            println!("matmul {size} {name}: {:.4} ms, {tflops:.0} TFLOP/s", seconds * 1e3);
        }
    }
    allow_tf32(false);
    println!("{}", client.memory_usage().unwrap());
}
