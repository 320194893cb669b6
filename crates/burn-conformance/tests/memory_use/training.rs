//! Training for ever takes no more memory than training for a while, and budgets count what calls take. In a
//! process of its own, since it replaces the allocator.

use burn_autodiff::{Autodiff, BalancedCheckpointing};
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::memory_budget::{MemoryBudget, MemoryScope, OverBudget, limit_cache};
use burn_backend::{
    AutodiffBackend, Backend, Creation, DType, Distribution, Operation, Scalar, TensorData, TensorSpec,
    block_on,
};
use burn_conformance::{Family, large};
use burn_fusion::Fusion;
use burn_ndarray::{NdArray, NdTensor};
use burn_tensor::Tensor;
use fuzz_run::{CountingAllocator, thread_live, thread_peak};
use std::sync::{Arc, Mutex};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

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

/// How much more is in use in the second half of 2,000 steps than in the first. The least of each half: a
/// lazy backend has a queue that fills and empties.
fn grows<B: AutodiffBackend>() -> isize {
    let start = TensorData::new([0.1; 8], [4, 2]);
    let mut weight = Tensor::<B, 2>::from_data(start, &Default::default());
    let mut least = [isize::MAX; 2];
    for round in 0..WARM_UP + 2 * HALF {
        weight = step(weight);
        if let Some(counted) = round.checked_sub(WARM_UP) {
            let half = &mut least[counted / HALF];
            *half = (*half).min(thread_live());
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

/// Bytes that a tape holds after the forward pass of eight functions of 64 KiB and more each, and the
/// gradient.
fn held<B: AutodiffBackend>(run: impl Fn(Tensor<B, 1>) -> Tensor<B, 1>) -> (isize, TensorData) {
    let x = Tensor::<B, 1>::full([1 << 18], 0.5, &Default::default()).require_grad();
    burn_ndarray::trim();
    let before = thread_live();
    let y = run(x.clone());
    burn_ndarray::trim();
    let held = thread_live() - before;
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

/// Bytes that calls have taken, and the most that they had at once.
#[derive(Debug, Default)]
struct Counted(Mutex<(i64, i64)>);

impl Counted {
    fn change(&self, bytes: i64) {
        let mut counted = self.0.lock().unwrap();
        counted.0 += bytes;
        counted.1 = counted.1.max(counted.0);
    }
}

impl MemoryBudget for Counted {
    fn take(&self, bytes: u64) -> Result<(), OverBudget> {
        self.change(bytes as i64);
        Ok(())
    }
    fn give_back(&self, bytes: u64) {
        self.change(-(bytes as i64));
    }
}

/// Returns the peak bytes that this thread allocates in `call`, and the peak that the budget of the call
/// counts.
fn taken<R>(call: impl FnOnce() -> R) -> (isize, isize) {
    // Free blocks that are kept would count as allocated.
    limit_cache(0);
    burn_ndarray::trim();
    let counted = Arc::new(Counted::default());
    let (mut call, mut result) = (Some(call), None);
    let allocated = thread_peak(&mut || {
        result = call.take().map(|call| MemoryScope::new(counted.clone()).run(call));
    });
    drop(result);
    let counted = counted.0.lock().unwrap().1 as isize;
    (allocated as isize, counted)
}

/// Blocks of up to 64 KiB that a thread keeps, headers, and all that does not grow with the operands.
const ANYWAY: isize = 300 << 10;

/// Describes the call if more was allocated than was counted.
fn uncounted((allocated, counted): (isize, isize), call: &str) -> Option<String> {
    // A quarter of a block may be unused.
    let fits = allocated <= counted + counted / 4 + ANYWAY;
    (!fits).then(|| format!("{call}: {allocated} bytes, counted {counted}"))
}

fn operand(spec: &TensorSpec, transposed: bool, device: &DynamicDevice) -> DynamicTensor {
    let rank = spec.shape.rank();
    if transposed && rank > 1 {
        let stored = spec.shape.iter().rev().copied().collect::<burn_backend::Shape>();
        let stored = operand(&TensorSpec { shape: stored, ..spec.clone() }, false, device);
        return Dynamic::permute(stored, (0..rank).rev().collect());
    }
    let spec = spec.clone();
    let creation = if spec.dtype.is_float() {
        Creation::Random { spec, distribution: Distribution::Uniform(0.1, 1.0) }
    } else {
        let value = if spec.dtype == DType::Bool { Scalar::Bool(true) } else { Scalar::Int(1) };
        Creation::Full { spec, value }
    };
    Dynamic::create(creation, device)
}

/// Compares what each call allocates with what its budget counts.
fn check_counted(transposed: bool) {
    let device = DynamicDevice::new::<NdArray>(Default::default());
    // `gemm` keeps memory of the size of a cache for each thread, from the first product on.
    let matrix = operand(&TensorSpec::new([300, 300], DType::F32), true, &device);
    drop(Dynamic::matmul(matrix.clone(), matrix));
    let mut wrong = Vec::new();
    for call in Family::ALL.into_iter().flat_map(large::calls) {
        let op = call.map_ref(|spec| operand(spec, transposed, &device));
        // A second handle of each operand: the call may not write over it.
        let shared: Operation<DynamicTensor> = op.map_ref(Clone::clone);
        wrong.extend(uncounted(taken(|| Dynamic::execute(op)), &format!("{call:?}")));
        drop(shared);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_call_takes_is_counted_by_its_budget() {
    check_counted(false);
}

#[test]
fn what_a_call_with_transposed_operands_takes_is_counted_by_its_budget() {
    check_counted(true);
}

#[test]
fn coordinates_and_random_numbers_are_counted_too() {
    let device = DynamicDevice::new::<NdArray>(Default::default());
    let mask = operand(&TensorSpec::new([1 << 18], DType::Bool), false, &device);
    let found = || block_on(<Dynamic as Backend>::argwhere(mask.clone(), DType::I64)).unwrap();
    let mut wrong: Vec<_> = uncounted(taken(found), "argwhere").into_iter().collect();
    for dtype in [DType::F32, DType::F64, DType::BF16, DType::U8] {
        for distribution in [Distribution::Uniform(0.0, 2.0), Distribution::Normal(0.0, 1.0)] {
            let spec = TensorSpec::new([1 << 18], dtype);
            if distribution.check(dtype).is_ok() {
                let creation = Creation::Random { spec, distribution };
                wrong.extend(uncounted(
                    taken(|| Dynamic::create(creation, &device)),
                    &format!("random {dtype}"),
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// 16 MiB of bytes would be 128 MiB of `u64`: kernels widen a piece at a time.
#[test]
fn kernels_do_not_widen_narrow_tensors_whole() {
    use burn_backend::*;
    type Leaf = NdArray<f32>;
    const MIB: usize = 1 << 20;
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
    // Expected peak: the results of an operation, and twelve MiB for pieces and threads.
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
        let found = taken(call).1 as usize;
        if found > (result + 12) * MIB {
            failures.push(format!("{name}: {} MiB beside a result of {result}", found / MIB));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
