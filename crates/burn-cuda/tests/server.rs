//! The server on a device: kernels, copies, calls of libraries, faults.

mod calls;
mod device;

use burn_backend::TypedCalls;
use burn_backend::{
    Backend, BinaryOp, DType, Dims, Distribution, HasSpec, ReduceOp, Scalar, Shape, TensorData, TensorSpec,
    block_on,
};
use burn_conformance::process_exit;
use burn_cuda::*;
use calls::{Client, SyncNow, add, blas, client, encode, noise, place};
use cubecl::prelude::*;
use cubecl::server::{Handle, LaunchError, ServerError};
use half::{bf16, f16};

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytemuck::pod_collect_to_vec(bytes)
}

/// Rows and columns exchanged, by shapes and strides that are known at the launch only.
#[cube(launch)]
fn transposed(x: &Tensor<f32>, out: &mut Tensor<f32>) {
    if ABSOLUTE_POS < out.len() {
        let row = ABSOLUTE_POS / out.shape(1);
        let col = ABSOLUTE_POS % out.shape(1);
        out[row * out.stride(0) + col * out.stride(1)] = x[col * x.stride(0) + row * x.stride(1)];
    }
}

/// Sums of 64 neighbours each.
#[cube(launch)]
fn sums(x: &Array<f32>, out: &mut Array<f32>) {
    let mut shared = SharedMemory::<f32>::new(64usize);
    shared[UNIT_POS as usize] = x[ABSOLUTE_POS];
    sync_cube();
    if UNIT_POS == 0 {
        let mut sum = 0.0f32;
        for k in 0..64usize {
            sum += shared[k];
        }
        out[CUBE_POS] = sum;
    }
}

#[test]
fn bk_004_cuda_computes_on_the_gpu() {
    device::require();
    let device = CudaDevice::default();
    let before = device.memory_usage().expect("the device is there").used;
    let x = Cuda::<f32, i32>::from_data(TensorData::from([1.0_f32, 2.0, 3.0]), &device);
    assert!(device.memory_usage().expect("the device is there").used > before);
    let square = Cuda::<f32, i32>::binary(BinaryOp::Mul, x.clone(), x);
    let found = block_on(Cuda::<f32, i32>::into_data(square)).expect("no wait").expect("data");
    assert_eq!(found, TensorData::from([1.0_f32, 4.0, 9.0]));
    let product = |rows: usize| {
        let ones = TensorSpec::new([rows, rows], DType::F32);
        let x = Cuda::<f32, i32>::full(ones, Scalar::Float(1.0), &device);
        let product = Cuda::<f32, i32>::matmul(x.clone(), x);
        block_on(Cuda::<f32, i32>::into_data(product)).expect("no wait").expect("data").to_f64()
    };
    assert!(product(256).into_iter().all(|x| x == 256.0));
}

#[test]
fn kernels_take_arrays_scalars_and_shapes() {
    device::require();
    let client = client();
    let values = noise(1000, 1);
    let x = client.create_from_slice(bytemuck::cast_slice(&values));
    let out = client.create_from_slice(bytemuck::cast_slice(&vec![1.0_f32; 1000]));
    add(&client, &x, &out, 1000, 0.5);
    let expected: Vec<f32> = values.iter().map(|x| 0.5f32.mul_add(*x, 1.0)).collect();
    assert_eq!(floats(&client.read_one(out).unwrap()), expected);

    let (rows, cols) = (37, 51);
    let values = noise(rows * cols, 2);
    let x = client.create_from_slice(bytemuck::cast_slice(&values));
    let out = client.empty(rows * cols * 4);
    // SAFETY: both buffers have `rows * cols` elements of f32, and the strides are those of the shape.
    let tensor = |handle: &Handle, shape: [usize; 2]| unsafe {
        TensorArg::from_raw_parts(handle.clone(), [shape[1], 1].into(), shape.into())
    };
    let cubes = CubeCount::Static((rows * cols).div_ceil(64) as u32, 1, 1);
    let (from, to) = (tensor(&x, [rows, cols]), tensor(&out, [cols, rows]));
    transposed::launch::<CudaRuntime>(&client, cubes, CubeDim::new_1d(64), from, to);
    let expected: Vec<f32> = (0..rows * cols).map(|at| values[at % rows * cols + at / rows]).collect();
    assert_eq!(floats(&client.read_one(out).unwrap()), expected);

    let values: Vec<f32> = (0..640).map(|k| (k % 7) as f32).collect();
    let x = client.create_from_slice(bytemuck::cast_slice(&values));
    let out = client.empty(40);
    // SAFETY: the calls below give the lengths that the buffers were made with.
    let array = |handle: &Handle, count| unsafe { ArrayArg::from_raw_parts(handle.clone(), count) };
    let cubes = CubeCount::Static(10, 1, 1);
    sums::launch::<CudaRuntime>(&client, cubes, CubeDim::new_1d(64), array(&x, 640), array(&out, 10));
    let expected: Vec<f32> = values.chunks(64).map(|chunk| chunk.iter().sum()).collect();
    assert_eq!(floats(&client.read_one(out).unwrap()), expected);
}

#[test]
fn copies_of_any_size_come_back() {
    device::require();
    let client = client();
    const BLOCK: usize = 4 << 20;
    let sizes = [
        4,
        100,
        65_536,
        65_540,
        BLOCK - 4,
        BLOCK,
        BLOCK + 4,
        3 * BLOCK + 60,
        16 * BLOCK,
        16 * BLOCK + 4,
        100 << 20,
    ];
    let all: Vec<_> = sizes.iter().enumerate().map(|(at, size)| noise(size / 4, at as u32 + 10)).collect();
    let handles: Vec<_> =
        all.iter().map(|values| client.create_from_slice(bytemuck::cast_slice(values))).collect();
    for (values, handle) in all.iter().zip(&handles) {
        assert!(floats(&client.read_one(handle.clone()).unwrap()) == *values, "{} values", values.len());
    }
    // Several at once, and a part of one.
    let some = client.read(handles[..8].to_vec());
    assert!(some.iter().zip(&all).all(|(bytes, values)| floats(bytes) == *values));
    let part = handles[2].clone().offset_start(512).offset_end(1024);
    assert!(floats(&client.read_one(part).unwrap()) == all[2][128..all[2].len() - 256]);
    let queue = Queue::new(CudaDevice::default());
    for values in &all {
        let handle = queue.create(bytemuck::cast_slice(values));
        assert!(floats(&client.read_one(handle).unwrap()) == *values, "{} values", values.len());
    }
    // Reads that were dropped give their memory back.
    for _ in 0..100 {
        drop(client.read_async(vec![handles[6].clone()]));
    }
    assert!(floats(&client.read_one(handles[6].clone()).unwrap()) == all[6]);
}

#[test]
fn threads_see_what_others_have_written() {
    device::require();
    let client = client();
    let values = noise(4096, 3);
    let x = client.create_from_slice(bytemuck::cast_slice(&values));
    let work = |seed: u32| {
        let (client, x) = (client.clone(), x.clone());
        std::thread::spawn(move || {
            let zeros = vec![0.0_f32; 4096];
            let out = client.create_from_slice(bytemuck::cast_slice(&zeros));
            (0..50).for_each(|_| add(&client, &x, &out, 4096, seed as f32));
            client.sync_now();
            out
        })
    };
    let threads: Vec<_> = (1..5).map(|seed| (seed, work(seed))).collect();
    for (seed, thread) in threads {
        let sum = floats(&client.read_one(thread.join().unwrap()).unwrap());
        let close = |(sum, x): (&f32, &f32)| (sum - 50.0 * seed as f32 * x).abs() < 1e-3 * seed as f32;
        assert!(sum.iter().zip(&values).all(close), "thread {seed}");
    }
}

#[test]
fn calls_of_libraries_are_in_order_with_kernels() {
    device::require();
    let client = client();
    let ones = client.create_from_slice(bytemuck::cast_slice(&vec![1.0_f32; 1 << 20]));
    let out = client.empty(4 << 20);
    for round in 1..20 {
        on_stream(&client, vec![out.clone().binding()], |stream, places| {
            // SAFETY: the buffer has as many bytes.
            unsafe { cudarc::driver::result::memset_d8_async(places[0], 0, 4 << 20, stream) }.unwrap();
            Ok(())
        });
        (0..round).for_each(|_| add(&client, &ones, &out, 1 << 20, 1.0));
        let values = floats(&client.read_one(out.clone()).unwrap());
        assert!(values.iter().all(|&value| value == round as f32), "round {round}");
    }
    on_stream(&client, vec![], |_, _| Err(CudaError::Unsupported { what: "round trips" }));
    let error = cubecl::future::block_on(client.sync()).unwrap_err().to_string();
    assert!(error.contains("round trips are not supported on CUDA"), "{error}");
    client.sync_now();
}

#[test]
fn out_of_memory_is_an_error_and_the_process_goes_on() {
    device::require();
    let client = client();
    let x = client.create_from_slice(bytemuck::cast_slice(&[1.0_f32; 256]));
    let huge = client.empty(1 << 40);
    add(&client, &x, &huge, 256, 1.0);
    let error = client.read_one(x.clone()).map(|_| ()).unwrap_err();
    let ServerError::ServerUnhealthy { errors, .. } = &error else { panic!("{error}") };
    let ServerError::Launch(LaunchError::OutOfMemory { reason, .. }) = &errors[0] else { panic!("{error}") };
    assert!(
        reason.starts_with("Cuda(0): out of memory: 1024.00 GiB were asked for, tensors use "),
        "{reason}"
    );
    println!("out of memory: {reason}");
    let lost = client.read_one(huge.clone()).map(|_| ()).unwrap_err().to_string();
    assert!(lost.contains("allocation of this tensor failed earlier"), "{lost}");
    drop(huge);
    // More in turn than there is at once: what is free is used again, and given back for another size.
    let total = client.properties().memory.max_page_size as usize;
    for percent in [15, 22, 29, 36, 43, 50] {
        let big = client.empty(total / 100 * percent);
        add(&client, &x, &big, 256, 0.0);
        client.sync_now();
    }
    add(&client, &x, &x, 256, 1.0);
    assert_eq!(floats(&client.read_one(x).unwrap()), vec![2.0; 256]);
    client.memory_cleanup();
    let usage = client.memory_usage().unwrap();
    assert!(usage.bytes_reserved < total as u64 / 10, "{usage}");
}

#[derive(Clone, Copy, Debug)]
struct Case {
    batch: usize,
    rows: usize,
    cols: usize,
    depth: usize,
    lhs_transposed: bool,
    rhs_transposed: bool,
    shared_rhs: bool,
    bias: bool,
    activation: Activation,
    beta: f32,
}

fn decode(bytes: &[u8], dtype: DType) -> Vec<f64> {
    match dtype {
        DType::F16 => bytes.chunks(2).map(|b| f16::from_le_bytes([b[0], b[1]]).to_f64()).collect(),
        DType::BF16 => bytes.chunks(2).map(|b| bf16::from_le_bytes([b[0], b[1]]).to_f64()).collect(),
        DType::F64 => bytemuck::pod_collect_to_vec(bytes),
        _ => floats(bytes).into_iter().map(f64::from).collect(),
    }
}

fn check_product(client: &Client, blas: &Blas, case: Case, dtype: DType, tolerance: f64) {
    let Case { batch, rows, cols, depth, lhs_transposed, rhs_transposed, shared_rhs, bias, activation, beta } =
        case;
    let right = if shared_rhs { 1 } else { batch };
    let [lhs, rhs, old, biases] =
        [(batch * rows * depth, 5), (right * depth * cols, 6), (batch * rows * cols, 7), (cols, 8)]
            .map(|(count, seed)| encode(&noise(count, seed), dtype));
    let (a, b, c) = (place(client, &lhs), place(client, &rhs), place(client, &old));
    let d = client.create_from_slice(&biases);
    let of = |transposed, leading, stride| Matrices { transposed, leading, stride };
    let product = Product {
        dtype,
        batch,
        rows,
        cols,
        depth,
        lhs: of(lhs_transposed, if lhs_transposed { rows } else { depth }, rows * depth),
        rhs: of(
            rhs_transposed,
            if rhs_transposed { depth } else { cols },
            if shared_rhs { 0 } else { depth * cols },
        ),
        alpha: 0.75,
        beta,
        activation,
    };
    let done = blas.run(product, &a, &b, &c, bias.then_some(&d));
    assert_eq!(done, Ok(()), "{case:?} {dtype}");
    let found = decode(&client.read_one(c.handle).unwrap(), dtype);
    let [lhs, rhs, old, biases] = [&lhs, &rhs, &old, &biases].map(|bytes| decode(bytes, dtype));
    for at in 0..batch * rows * cols {
        let (which, row, col) = (at / (rows * cols), at / cols % rows, at % cols);
        let left = |k: usize| {
            lhs[which * rows * depth + if lhs_transposed { k * rows + row } else { row * depth + k }]
        };
        let start = if shared_rhs { 0 } else { which * depth * cols };
        let right = |k: usize| rhs[start + if rhs_transposed { col * depth + k } else { k * cols + col }];
        let sum: f64 = (0..depth).map(|k| left(k) * right(k)).sum();
        let x = 0.75 * sum + f64::from(beta) * old[at] + if bias { biases[col] } else { 0.0 };
        let expected = match activation {
            Activation::None => x,
            Activation::Relu => x.max(0.0),
            Activation::Gelu => {
                0.5 * x * (1.0 + (0.797_884_560_802_865_4 * (x + 0.044_715 * x * x * x)).tanh())
            }
        };
        let allowed = tolerance * (1.0 + (depth as f64).sqrt());
        assert!(
            (found[at] - expected).abs() <= allowed,
            "{case:?} {dtype}: [{at}] {} for {expected}",
            found[at]
        );
    }
}

#[test]
fn products_agree_with_f64() {
    device::require();
    let client = client();
    let blas = blas(&client);
    let plain = Case {
        batch: 1,
        rows: 33,
        cols: 65,
        depth: 47,
        lhs_transposed: false,
        rhs_transposed: false,
        shared_rhs: false,
        bias: false,
        activation: Activation::None,
        beta: 0.0,
    };
    let mut cases =
        vec![plain, Case { rows: 1, ..plain }, Case { cols: 1, ..plain }, Case { depth: 1, ..plain }];
    for (lhs_transposed, rhs_transposed) in [(true, false), (false, true), (true, true)] {
        cases.push(Case { lhs_transposed, rhs_transposed, ..plain });
        cases.push(Case {
            lhs_transposed,
            rhs_transposed,
            batch: 3,
            rows: 64,
            cols: 96,
            depth: 128,
            ..plain
        });
    }
    cases.push(Case { batch: 5, shared_rhs: true, ..plain });
    cases.push(Case { batch: 5, beta: 0.5, ..plain });
    cases.push(Case { rows: 256, cols: 384, depth: 512, ..plain });
    for activation in [Activation::None, Activation::Relu, Activation::Gelu] {
        cases.push(Case { bias: true, activation, rows: 64, cols: 128, depth: 256, ..plain });
        cases.push(Case { activation, rows: 64, cols: 128, depth: 256, ..plain });
    }
    for case in cases {
        check_product(&client, &blas, case, DType::F32, 1e-5);
        check_product(&client, &blas, case, DType::F16, 2e-3);
        check_product(&client, &blas, case, DType::BF16, 1.6e-2);
        // The library fuses nothing after products of `f64`.
        if !case.bias && case.activation == Activation::None {
            check_product(&client, &blas, case, DType::F64, 1e-14);
        }
    }
}

#[test]
fn tensors_meet_the_library() {
    device::require();
    type B = Cuda<f32, i32>;
    let device = CudaDevice::default();
    let tensor = |shape: &[usize], seed| {
        let shape: Shape = shape.iter().copied().collect();
        B::from_data(TensorData::new(noise(shape.num_elements(), seed), shape), &device)
    };
    let read = |x| burn_backend::block_on(B::into_data(x)).unwrap().unwrap().to_f64();
    // A batch, permuted, against one matrix, transposed; a row of views.
    let x = tensor(&[2, 30, 3, 40], 1);
    let y = tensor(&[50, 40], 2);
    let (permuted, turned) =
        (B::permute(x.clone(), Dims::from([0, 2, 1, 3])), B::permute(y.clone(), Dims::from([1, 0])));
    let engine = permuted.engine();
    let launches = engine.launches();
    let wide = B::reshape(turned.clone(), Shape::from([1, 1, 40, 50]));
    let product = B::matmul(permuted, wide);
    assert_eq!(product.shape(), Shape::from([2, 3, 30, 50]));
    // One copy of each operand, and no product, is ours.
    assert!(engine.launches() - launches <= 3, "{}", engine.launches() - launches);
    let (found, x, y) = (read(product), read(x), read(y));
    for (at, found) in found.iter().enumerate() {
        let (a, b, row, col) = (at / 4500, at / 1500 % 3, at / 50 % 30, at % 50);
        let expected: f64 = (0..40).map(|k| x[((a * 30 + row) * 3 + b) * 40 + k] * y[col * 40 + k]).sum();
        assert!((found - expected).abs() < 1e-4, "[{at}] {found} for {expected}");
    }
    let random = B::random(TensorSpec::new([64, 64], DType::F32), Distribution::Default, &device);
    let sum = B::reduce(ReduceOp::Sum, B::binary(BinaryOp::Sub, random.clone(), random), Dims::from([0, 1]));
    assert_eq!(read(sum), vec![0.0]);
}

#[test]
fn a_process_may_end_while_its_device_works() {
    device::require();
    let (test, device) = ("a_process_may_end_while_its_device_works", CudaDevice::default());
    process_exit::may_end_while_it_works::<Cuda<f32, i32>>(test, &device);
}
