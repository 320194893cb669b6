//! Training for ever takes no more memory than training for a while. In a process of its own, since it
//! replaces the allocator.

use burn_autodiff::{Autodiff, BalancedCheckpointing};
use burn_backend::{AutodiffBackend, TensorData};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
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
