//! Promises about speed, by what can be counted: buffers, bytes, and one program on every backend.

use crate::counting::{large_blocks_of, peak_of};
use crate::given::CPU;
use burn::backend::ndarray::NdArrayDevice;
use burn::backend::router::duo::MultiDevice;
use burn::backend::{Autodiff, Fusion, NdArray, Remote, RemoteDevice, Router};
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::optim::{GradientsParams, Optimizer, SgdConfig};
use burn::record::{BinBytesRecorder, FullPrecisionSettings, Recorder};
use burn::tensor::backend::{AutodiffBackend, Backend};
use burn::tensor::{Tensor, TensorData};
use std::process::Command;

/// A batch of 1.2 MB.
const SIZE: [usize; 2] = [2400, 128];

/// A step of gradient descent.
fn step<B: AutodiffBackend>(model: Linear<B>, x: &Tensor<B, 2>) -> Linear<B> {
    let loss = model.forward(x.clone()).tanh().square().mean();
    let gradients = GradientsParams::from_grads(loss.backward(), &model);
    let model = SgdConfig::new().init().step(0.01, model, gradients);
    B::sync(&x.device());
    model
}

/// Buffers that are made in the first step, and in 50 after 20 more.
fn new_buffers<B: AutodiffBackend>(device: &B::Device) -> [usize; 2] {
    let mut trained = None;
    let first = large_blocks_of(|| {
        let x = Tensor::<B, 2>::ones(SIZE, device);
        let model = LinearConfig::new(SIZE[1], SIZE[1]).init::<B>(device);
        trained = Some((step(model, &x), x));
    });
    let (mut model, x) = trained.expect("a step was made");
    let mut steps = |count| (0..count).for_each(|_| model = step(model.clone(), &x));
    steps(20);
    [first, large_blocks_of(|| steps(50))]
}

/// Environment variable of a process that runs one of these tests alone: threads of a process
/// share a pool.
const CHILD: &str = "BURN_SPEC_PERFORMANCE_CHILD";

/// Whether this process runs the test of this name alone; else another one does, and succeeds.
fn is_alone(name: &str) -> bool {
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    let output = child
        .args(["--exact", &format!("backend::performance::{name}"), "--nocapture"])
        .env(CHILD, "1")
        .output();
    let output = output.expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("1 passed"), "{text}");
    false
}

#[test]
fn pf_005_steps_take_their_buffers_from_a_pool() {
    if !is_alone("pf_005_steps_take_their_buffers_from_a_pool") {
        return;
    }
    let [first, later] = new_buffers::<Autodiff<NdArray>>(CPU);
    assert!(first > 0 && later == 0, "{first} in the first step, {later} in 50 later ones");
    let [_, later] = new_buffers::<Autodiff<Fusion<NdArray>>>(CPU);
    assert_eq!(later, 0);
}

/// Bytes of a tensor.
const BYTES: isize = 1_400_000;

/// Functions of a tensor of [`BYTES`], one after the other.
fn chain<B: Backend>(x: Tensor<B, 1>) -> Tensor<B, 1> {
    let x = ((x * 2.0 + 1.0).exp().tanh() - 0.5).abs().sqrt();
    B::sync(&x.device());
    x
}

fn peak_of_chain<B: Backend>(device: &B::Device, is_shared: bool) -> isize {
    let x = Tensor::<B, 1>::ones([BYTES as usize / 4], device);
    B::sync(device);
    // No buffer is free that the chain could have.
    let kept = is_shared.then(|| x.clone());
    let peak = peak_of(|| drop(chain(x)));
    drop(kept);
    peak
}

#[test]
fn pf_006_what_is_used_for_the_last_time_is_written_over() {
    /// Everything else that calls allocate.
    const REST: isize = 1 << 16;
    if !is_alone("pf_006_what_is_used_for_the_last_time_is_written_over") {
        return;
    }
    // In a thread of its own, whose pool has no free buffer.
    std::thread::spawn(|| {
        let owned = peak_of_chain::<NdArray>(CPU, false);
        assert!(owned < REST, "{owned} bytes");
        let owned = peak_of_chain::<Fusion<NdArray>>(CPU, false);
        assert!(owned < REST, "{owned} bytes");
    })
    .join()
    .expect("no more than one buffer");
    // The operand is shared: the first call needs a buffer of its own, and the others write over
    // that.
    std::thread::spawn(|| {
        let shared = peak_of_chain::<NdArray>(CPU, true);
        // Buffers of the pool have four sizes to each doubling.
        assert!((BYTES..BYTES / 4 * 5 + REST).contains(&shared), "{shared} bytes");
    })
    .join()
    .expect("two buffers");
}

/// The points and values of `y = 3 a - 2 b + 1`.
fn line<B: Backend>(device: &B::Device) -> [Tensor<B, 2>; 2] {
    let points: Vec<[f64; 2]> = (0..16).map(|i| [f64::from(i % 4) - 1.5, f64::from(i / 4) - 1.5]).collect();
    let values: Vec<f64> = points.iter().map(|[a, b]| 3.0 * a - 2.0 * b + 1.0).collect();
    let points = TensorData::new(points.concat(), [16, 2]);
    [Tensor::from_data(points, device), Tensor::from_data(TensorData::new(values, [16, 1]), device)]
}

/// Runs a model that was trained elsewhere, as a program does on any backend.
fn deployed<B: Backend>(record: Vec<u8>, device: &B::Device) -> Vec<f64> {
    let record = BinBytesRecorder::<FullPrecisionSettings>::new().load(record, device).expect("it was saved");
    let model = LinearConfig::new(2, 1).init::<B>(device).load_record(record);
    let [x, _] = line::<B>(device);
    model.forward(x).into_data().to_f64()
}

#[test]
fn pf_013_one_program_trains_and_runs_on_every_backend() {
    type Training = Autodiff<NdArray>;
    let [x, y] = line::<Training>(CPU);
    let mut model = LinearConfig::new(2, 1).init::<Training>(CPU);
    let mut optimizer = SgdConfig::new().init();
    for _ in 0..200 {
        let loss = (model.forward(x.clone()) - y.clone()).square().mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(0.1, model, gradients);
    }
    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    let record: Vec<u8> =
        Recorder::<Training>::record(&recorder, model.into_record(), ()).expect("memory suffices");

    let server = RemoteDevice::in_process::<NdArray>(NdArrayDevice::Cpu);
    let second = MultiDevice::B2(*CPU);
    let expected = y.into_data().to_f64();
    for (name, found) in [
        ("the backend alone", deployed::<NdArray>(record.clone(), CPU)),
        ("lazy and fused", deployed::<Fusion<NdArray>>(record.clone(), CPU)),
        ("one of several", deployed::<Router<(NdArray, NdArray)>>(record.clone(), &second)),
        ("another machine", deployed::<Remote>(record, &server)),
    ] {
        let close = |(x, y): (&f64, &f64)| (x - y).abs() < 1e-4;
        assert!(found.iter().zip(&expected).all(close), "{name}: {found:?}");
        assert_eq!(found.len(), expected.len());
    }
}
