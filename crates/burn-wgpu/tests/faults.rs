//! Device faults: each is an error of the next read, which names device and cause, and later work goes on.

mod device;

use burn_autodiff::Autodiff;
use burn_backend::*;
use burn_conformance::again::again;
use burn_conformance::process_exit;
use burn_cubecl::{Execute, KernelSource, SourceKernel, SourceTemplate};
use burn_fusion::Fusion;
use burn_tensor::{Tensor, TensorError};
use burn_wgpu::{CubeTensor, DeviceError, Wgpu, WgpuDevice, WgpuRuntime};
use cubecl::CubeCount;
use cubecl::prelude::{CubeDim, KernelId};
use std::sync::Mutex;

type B = Wgpu<f32, i32>;

/// Errors of kernels of the program itself are returned to the first thread that reads.
static ALONE: Mutex<()> = Mutex::new(());

fn device() -> WgpuDevice {
    WgpuDevice::default()
}

fn numbers(values: &[f32]) -> CubeTensor {
    B::from_data(TensorData::new(values, [values.len()]), &device())
}

fn full(count: usize, value: f32) -> CubeTensor {
    B::full(TensorSpec::new([count], DType::F32), Scalar::Float(value.into()), &device())
}

fn read(x: CubeTensor) -> Result<Vec<f64>, String> {
    let data = block_on(B::into_data(x)).expect("threads can wait here");
    data.map(|data| data.to_f64()).map_err(|error| error.to_string())
}

fn doubled(x: &CubeTensor) -> CubeTensor {
    B::binary(BinaryOp::Add, x.clone(), x.clone())
}

#[track_caller]
fn assert_works() {
    assert_eq!(read(doubled(&numbers(&[1.0, 2.5, -3.0]))), Ok(vec![2.0, 5.0, -6.0]));
}

fn panics_with(task: impl FnOnce() + std::panic::UnwindSafe) -> String {
    *std::panic::catch_unwind(task).unwrap_err().downcast::<String>().unwrap()
}

#[test]
fn without_a_driver_all_calls_say_so() {
    const NOTHING: &str = "/nothing/is/here.json";
    let variables = [("VK_DRIVER_FILES", NOTHING), ("VK_ICD_FILENAMES", NOTHING)];
    if again("without_a_driver_all_calls_say_so", &variables).is_some() {
        return;
    }
    let error = device().open().unwrap_err();
    assert_eq!(error, DeviceError::NoAdapter { device: device(), found: vec![] });
    let text = "BestAvailable: no graphics driver offers an adapter (on Linux, install a Vulkan driver)";
    assert_eq!(error.to_string(), text);
    assert_eq!(device().memory_usage().unwrap_err(), error);
    assert_eq!(device().memory_cleanup().unwrap_err(), error);
    assert_eq!(device().raw().unwrap_err(), error);
    assert_eq!(panics_with(|| drop(numbers(&[1.0]))), text);
}

#[test]
fn what_the_device_has_not_is_named() {
    device::require();
    let error = WgpuDevice::DiscreteGpu(99).open().unwrap_err().to_string();
    assert!(error.starts_with("DiscreteGpu(99): there is no such adapter, only "), "{error}");
    let device = WgpuDevice::default();
    let missing = DType::ALL.into_iter().find(|&dtype| !B::has_dtype(&device, dtype));
    // An adapter may have all of them; software has no `bf16`.
    let Some(missing) = missing else { return };
    let spec = TensorSpec::new([2], missing);
    let whole = || B::full(spec.clone(), 1.0_f32.into(), &device);
    let cast = || {
        let spec = TensorSpec::new([2], DType::F32);
        B::cast(B::full(spec, 1.0_f32.into(), &device), missing)
    };
    let name = B::name(&device);
    assert!(name.starts_with("BestAvailable ("), "{name}");
    let expected = format!("{name}: tensors of {missing} are not supported on this device");
    for made in [std::panic::catch_unwind(whole), std::panic::catch_unwind(cast)] {
        assert_eq!(*made.unwrap_err().downcast::<String>().unwrap(), expected);
    }
    // Tensors ask first, with gradients and in queues too.
    type Deep = Autodiff<Fusion<Wgpu>>;
    let made = Tensor::<Deep, 1>::try_zeros([2], (&device, missing)).unwrap_err();
    assert_eq!(made.operation(), "zeros");
    let cast = Tensor::<Deep, 1>::zeros([2], &device).try_cast(missing).unwrap_err();
    assert_eq!(cast.operation(), "cast");
    let of = |error: &TensorError, dtype: &str| {
        let expected =
            format!("{name}: tensors of {dtype} are not supported on this device").replace(&name, "");
        assert!(error.to_string().contains(&expected) && error.to_string().contains(&name), "{error}");
    };
    of(&made, missing.name());
    of(&cast, missing.name());
}

#[derive(Debug)]
struct Wrong;

impl KernelSource for Wrong {
    fn source(&self) -> SourceTemplate {
        SourceTemplate::new(
            "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n\
             @compute @workgroup_size(1) fn main() { x[0] = no_such_name; }",
        )
    }
    fn id(&self) -> KernelId {
        KernelId::new::<Self>()
    }
}

#[test]
fn a_kernel_that_does_not_compile_is_told_at_the_next_read() {
    let _alone = ALONE.lock();
    device::require();
    assert_works();
    for _ in 0..2 {
        let x = numbers(&[1.0, 2.0]);
        let kernel = Box::new(SourceKernel::new(Wrong, CubeDim::new_1d(1)));
        let buffers = vec![x.handle().clone().binding()];
        x.client::<WgpuRuntime>().execute(kernel, CubeCount::Static(1, 1, 1), buffers);
        let error = read(x.clone()).unwrap_err();
        assert!(error.starts_with("device failed: BestAvailable ("), "{error}");
        assert!(error.contains("no_such_name"), "{error}");
        // It has not run, and nothing else is the worse for it.
        assert_eq!(read(x), Ok(vec![1.0, 2.0]));
        assert_works();
    }
}

#[test]
fn more_than_the_largest_buffer_is_told_at_the_next_read() {
    let _alone = ALONE.lock();
    device::require();
    let kept = numbers(&[1.0, 2.0]);
    // 14.90 GiB in a buffer.
    let huge = full(4_000_000_000, 1.0);
    let error = read(doubled(&kept)).unwrap_err();
    assert!(error.starts_with("device failed: BestAvailable ("), "{error}");
    assert!(error.contains("): out of memory: 14.90 GiB were asked for, tensors use "), "{error}");
    assert!(error.contains(", pools hold ") && error.contains("a buffer has at most "), "{error}");
    assert_eq!(read(kept.clone()), Ok(vec![1.0, 2.0]));
    // It has no memory still: kernels that want it are not launched.
    let slice = |x: CubeTensor| B::slice(x, [Slice::from(0..2)].into_iter().collect());
    let sum = B::binary(BinaryOp::Add, slice(huge.clone()), kept);
    let error = read(sum).unwrap_err();
    assert!(
        error.ends_with("): allocation of this tensor failed earlier, as the error before says"),
        "{error}"
    );
    assert!(read(slice(huge)).is_err());
    assert_works();
    // Waiting neither reports the error nor consumes it.
    drop(full(4_000_000_000, 1.0));
    B::sync(&device());
    assert!(read(numbers(&[1.0])).unwrap_err().contains("out of memory"));
    assert_works();
}

/// Leaves this process so many bytes more of addresses than it has, which is where software Vulkan takes its
/// memory from.
#[cfg(target_os = "linux")]
fn limit_memory(bytes: u64) {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let taken = pages.split(' ').next().unwrap().parse::<u64>().unwrap() * 4096;
    let limit = libc::rlimit { rlim_cur: taken + bytes, rlim_max: taken + bytes };
    // SAFETY: the limit is a valid one of this process.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) }, 0);
}

/// Only where the processor's memory is the device's can it be made small.
#[cfg(target_os = "linux")]
#[test]
fn more_than_memory_holds_is_told_at_the_next_read() {
    const COUNT: usize = 1 << 24;
    device::require();
    if let Err(error) = WgpuDevice::Cpu.open() {
        assert!(matches!(error, DeviceError::NoAdapter { device: WgpuDevice::Cpu, .. }), "{error}");
        return;
    }
    if let Some(said) = again("more_than_memory_holds_is_told_at_the_next_read", &[]) {
        print!("{said}");
        return;
    }
    let first = |x: &CubeTensor| read(B::slice(x.clone(), [Slice::from(0..1)].into_iter().collect()));
    // Compile the kernels that the test needs before memory is short.
    assert_eq!(first(&doubled(&full(COUNT, 1.0))), Ok(vec![2.0]));
    assert_works();
    device().memory_cleanup().unwrap();
    limit_memory(1 << 30);
    let mut kept = Vec::new();
    let error = loop {
        let x = full(COUNT, kept.len() as f32);
        match first(&x) {
            Ok(value) => assert_eq!(value, [kept.len() as f64]),
            Err(error) => break error,
        }
        kept.push(x);
        assert!(kept.len() < 64, "there is room for 4 GiB");
    };
    println!("after {} tensors: {error}", kept.len());
    assert!(!kept.is_empty());
    assert!(error.contains("): out of memory: 64.00 MiB were asked for, tensors use "), "{error}");
    for (at, x) in kept.iter().enumerate() {
        assert_eq!(first(x), Ok(vec![at as f64]));
    }
    assert_works();
    // Room that is given back is used again.
    let count = kept.len();
    drop(kept);
    let again: Vec<_> = (0..count).map(|at| full(COUNT, at as f32)).collect();
    assert!(again.iter().enumerate().all(|(at, x)| first(x) == Ok(vec![at as f64])));
}

#[test]
fn a_process_may_end_while_its_device_works() {
    device::require();
    process_exit::may_end_while_it_works::<B>("a_process_may_end_while_its_device_works", &device());
}

#[test]
fn a_lost_device_is_told_at_every_read() {
    device::require();
    if again("a_lost_device_is_told_at_every_read", &[]).is_some() {
        return;
    }
    let x = numbers(&[1.0, 2.0]);
    assert_works();
    device().raw().unwrap().destroy();
    let check = |found: Result<Vec<f64>, String>| {
        let error = found.unwrap_err();
        assert!(error.starts_with("device failed: BestAvailable ("), "{error}");
        assert!(error.contains("): the device is lost: Destroyed"), "{error}");
    };
    check(read(doubled(&x)));
    check(read(x.clone()));
    check(read(numbers(&[3.0])));
    std::thread::scope(|scope| scope.spawn(|| check(read(doubled(&x)))).join().unwrap());
    B::sync(&device());
    let error = device().memory_usage().unwrap_err().to_string();
    assert!(error.starts_with("BestAvailable: the device is lost: Destroyed"), "{error}");
}
