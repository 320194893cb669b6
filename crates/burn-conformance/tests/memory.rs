//! Training for ever takes no more memory than training for a while. In a process of its own, since it
//! replaces the allocator.

use burn_autodiff::{Autodiff, BalancedCheckpointing};
use burn_backend::{AutodiffBackend, TensorData};
use burn_fusion::Fusion;
use burn_ndarray::{NdArray, NdTensor};
use burn_tensor::Tensor;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// Bytes in use by this thread; that of the test harness counts for itself.
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // A thread that ends has no counter any more, and nothing to count.
    let _ = LIVE.try_with(|live| live.set(live.get() + bytes));
}

// SAFETY: the system allocates; counting touches no memory of others.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: by the contract of the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: by the contract of the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn step<B: AutodiffBackend>(weight: Tensor<B, 2>) -> Tensor<B, 2> {
    let weight = weight.require_grad();
    let values: Vec<f64> = (0..12).map(f64::from).collect();
    let x = Tensor::<B, 2>::from_data(TensorData::new(values, [3, 4]), &Default::default());
    let y = burn_tensor::activation::softmax(x.matmul(weight.clone()).sin(), 1);
    let gradient = weight.grad(&(y.clone() * y).sum().backward()).expect("the loss depends on it");
    Tensor::from_inner(weight.inner() - gradient * 0.01)
}

/// Steps before it counts: buffers are pooled, queues fill.
const WARM_UP: usize = 200;
const HALF: usize = 900;

/// How much more is in use in the second half of 2,000 steps than in the first. The least of each half: a lazy
/// backend has a queue that fills and empties.
fn grows<B: AutodiffBackend>() -> isize {
    let start = TensorData::new([0.1; 8], [4, 2]);
    let mut weight = Tensor::<B, 2>::from_data(start, &Default::default());
    let mut least = [isize::MAX; 2];
    for round in 0..WARM_UP + 2 * HALF {
        weight = step(weight);
        if let Some(counted) = round.checked_sub(WARM_UP) {
            let half = &mut least[counted / HALF];
            *half = (*half).min(LIVE.get());
        }
    }
    least[1] - least[0]
}

#[test]
fn two_thousand_steps_keep_nothing() {
    for (name, growth) in [
        ("autodiff", grows::<Autodiff<NdArray>>()),
        ("balanced", grows::<Autodiff<NdArray, BalancedCheckpointing>>()),
        ("on fusion", grows::<Autodiff<Fusion<NdArray>>>()),
        ("twice", grows::<Autodiff<Autodiff<NdArray>>>()),
    ] {
        // One byte a step.
        assert!(growth < HALF as isize, "{name}: {growth} bytes more after {HALF} steps");
    }
}

/// Bytes that a tape holds after the forward pass of eight functions of 64 KiB and more each, and the gradient.
fn held<B: AutodiffBackend>(run: impl Fn(Tensor<B, 1>) -> Tensor<B, 1>) -> (isize, TensorData) {
    let x = Tensor::<B, 1>::full([1 << 18], 0.5, &Default::default()).require_grad();
    burn_ndarray::trim();
    let before = LIVE.get();
    let y = run(x.clone());
    burn_ndarray::trim();
    let held = LIVE.get() - before;
    (held, x.grad(&y.backward()).expect("y depends on x").into_data())
}

fn functions<B: AutodiffBackend>(x: Tensor<B, 1>) -> Tensor<B, 1> {
    (0..8).fold(x, |x, _| x.sin().exp().tanh())
}

#[test]
fn a_segment_holds_its_result_alone() {
    type B = Autodiff<NdArray>;
    let (plain, expected) = held::<B>(functions);
    let (kept, found) = held::<B>(|x| burn_tensor::grad::checkpoint(functions, x));
    assert_eq!(found, expected);
    let megabyte = 1 << 20;
    assert!(plain >= 16 * megabyte, "two values for each function: {plain}");
    assert!(kept < 2 * megabyte, "the result: {kept}");
}

/// Most bytes that `f` had at one time beside what was there before.
#[cfg(target_os = "linux")]
fn peak<T>(f: impl FnOnce() -> T) -> usize {
    let read = |name: &str| {
        let status = std::fs::read_to_string("/proc/self/status").expect("the system tells");
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("it has that");
        line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") << 10
    };
    burn_ndarray::trim();
    std::fs::write("/proc/self/clear_refs", "5").expect("the peak can be forgotten");
    let before = read("VmRSS:");
    let result = f();
    let most = read("VmHWM:");
    drop(result);
    most.saturating_sub(before)
}

/// 16 MiB of bytes would be 128 MiB of `u64`: kernels widen a piece at a time.
#[cfg(target_os = "linux")]
#[test]
fn kernels_do_not_widen_narrow_tensors_whole() {
    use burn_backend::*;
    type Leaf = NdArray<f32>;
    const MIB: usize = 1 << 20;
    if burn_conformance::again::again("kernels_do_not_widen_narrow_tensors_whole", &[]).is_some() {
        return;
    }
    let tensor = |shape: &[usize], dtype: DType| {
        let value = |i: usize| (i * 7919 % 251) as u8;
        let bytes: Vec<u8> = (0..shape.iter().product()).map(value).collect();
        let x = Leaf::from_data(
            TensorData::new(bytes, shape.iter().copied().collect::<Shape>()),
            &Default::default(),
        );
        Leaf::cast(x, dtype)
    };
    let (x, row) = (tensor(&[4096, 4096], DType::U8), tensor(&[16 << 20], DType::U8));
    let halves = tensor(&[4096, 2048], DType::F16);
    let reduce = |op, x: &NdTensor, dims: &[usize]| Leaf::reduce(op, x.clone(), Dims::from(dims));
    let image = Leaf::reshape(halves.clone(), Shape::from([512, 16, 32, 32]));
    let options = PoolOptions::new(Dims::from([2, 2]));
    let (tall, wide) = (tensor(&[64 << 10, 64], DType::U8), tensor(&[64, 256], DType::U8));
    // What an operation returns, and twelve MiB for pieces and threads.
    type Call<'a> = Box<dyn FnOnce() -> Vec<NdTensor> + 'a>;
    let calls: Vec<(&str, usize, Call<'_>)> = vec![
        ("sum of all", 0, Box::new(|| vec![reduce(ReduceOp::Sum, &x, &[0, 1])])),
        ("sum of rows", 0, Box::new(|| vec![reduce(ReduceOp::Sum, &x, &[1])])),
        ("sum of columns", 0, Box::new(|| vec![reduce(ReduceOp::Sum, &x, &[0])])),
        (
            "sum of a view",
            0,
            Box::new(|| vec![reduce(ReduceOp::Sum, &Leaf::permute(x.clone(), Dims::from([1, 0])), &[1])]),
        ),
        ("max of a row", 0, Box::new(|| vec![reduce(ReduceOp::Max, &row, &[0])])),
        ("mean of halves", 0, Box::new(|| vec![reduce(ReduceOp::Mean, &halves, &[0])])),
        ("cumsum of columns", 16, Box::new(|| vec![Leaf::cumulative(CumulativeOp::Sum, x.clone(), 0)])),
        ("cumsum of rows", 16, Box::new(|| vec![Leaf::cumulative(CumulativeOp::Sum, x.clone(), 1)])),
        (
            "argmax of columns",
            0,
            Box::new(|| vec![Leaf::arg_reduce(Extremum::Max, x.clone(), 0, DType::I64)]),
        ),
        (
            "argmax of a row",
            0,
            Box::new(|| vec![Leaf::arg_reduce(Extremum::Max, row.clone(), 0, DType::I64)]),
        ),
        ("sort of a row", 16, Box::new(|| vec![Leaf::sort(row.clone(), 0, true)])),
        ("sort of rows", 16, Box::new(|| vec![Leaf::sort(x.clone(), 1, false)])),
        (
            "argsort of a row",
            16 + 128,
            Box::new(|| {
                let (values, indices) = Leaf::sort_with_indices(row.clone(), 0, false, DType::I64);
                vec![values, indices]
            }),
        ),
        ("topk of rows", 0, Box::new(|| vec![Leaf::topk(x.clone(), 5, 1, true, DType::I64).0])),
        ("softmax of halves", 16, Box::new(|| vec![Leaf::softmax(halves.clone(), 1)])),
        (
            "max_pool of halves",
            4,
            Box::new(|| {
                vec![Leaf::pool(PoolArgs { kind: PoolKind::Max, x: image.clone(), options: options.clone() })]
            }),
        ),
        ("matmul", 16 + 32, Box::new(|| vec![Leaf::matmul(tall.clone(), wide.clone())])),
    ];
    let mut failures = Vec::new();
    for (name, result, call) in calls {
        let found = peak(call);
        if found > (result + 12) * MIB {
            failures.push(format!("{name}: {} MiB beside a result of {result}", found / MIB));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
