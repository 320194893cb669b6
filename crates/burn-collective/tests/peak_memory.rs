//! Bytes that ranks have at most in a training step, counted by the allocator, against the formula.

use burn::backend::{Autodiff, NdArray};
use burn::collective::{CollectiveError, Communicator, DataParallel, Local, ShardedOptimizer, Sharding};
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamWConfig, Optimizer};
use burn::tensor::Tensor;
use burn::tensor::backend::Backend;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};

type A = Autodiff<NdArray<f64>>;

/// Counts the bytes that all threads have, and the most since [`reset`](Counting::reset).
struct Counting {
    bytes: AtomicIsize,
    peak: AtomicIsize,
}

impl Counting {
    fn change(&self, bytes: isize) {
        let now = self.bytes.fetch_add(bytes, Relaxed) + bytes;
        self.peak.fetch_max(now, Relaxed);
    }

    fn reset(&self) {
        self.peak.store(self.bytes.load(Relaxed), Relaxed);
    }
}

// SAFETY: hands everything on to the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.change(layout.size().cast_signed());
        // SAFETY: by the contract of the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.change(layout.size().cast_signed());
        // SAFETY: by the contract of the caller.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        self.change(-layout.size().cast_signed());
        // SAFETY: by the contract of the caller.
        unsafe { System.dealloc(block, layout) }
    }
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.change(size.cast_signed() - layout.size().cast_signed());
        // SAFETY: by the contract of the caller.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting { bytes: AtomicIsize::new(0), peak: AtomicIsize::new(0) };

const LAYERS: usize = 160;
/// Inputs and outputs of every other layer: weights of 81,600 bytes, which fill blocks of the backend that it
/// gives back to the system at once, where its cache is off.
const WIDTHS: [usize; 2] = [100, 102];
const PARAMETERS: usize = LAYERS * WIDTHS[0] * WIDTHS[1] * size_of::<f64>();

#[derive(Module, Debug)]
struct Stack<T: Backend> {
    layers: Vec<Linear<T>>,
}

impl<T: Backend> Stack<T> {
    fn new() -> Self {
        let layer = |at: usize| {
            let config = LinearConfig::new(WIDTHS[at % 2], WIDTHS[(at + 1) % 2]);
            config.with_bias(false).init(&Default::default())
        };
        Stack { layers: (0..LAYERS).map(layer).collect() }
    }

    fn loss(&self) -> Tensor<T, 1> {
        let x = Tensor::<T, 2>::ones([1, WIDTHS[0]], &Default::default());
        self.layers.iter().fold(x, |x, layer| layer.forward(x)).square().mean()
    }
}

/// Returns the peak of the third step of all ranks, with a bucket for each parameter.
fn peak(ranks: usize, sharding: Sharding) -> usize {
    let before = ALLOCATOR.bytes.load(Relaxed);
    let results = Local::run(ranks, |group: Communicator| {
        let parallel = DataParallel::new(group.clone()).with_bucket_bytes(1);
        let mut model = parallel.synchronize::<A, _>(Stack::<A>::new())?;
        let mut whole = AdamWConfig::new().init();
        let mut sharded = ShardedOptimizer::new::<A, _>(AdamWConfig::new().init(), &parallel, &model)?;
        for _ in 0..3 {
            group.barrier()?;
            if group.rank() == 0 {
                ALLOCATOR.reset();
            }
            group.barrier()?;
            let loss = model.loss();
            model = match sharding {
                Sharding::None => {
                    let grads = parallel.backward(loss, &model, 1)?.grads;
                    whole.step(1e-3, model, grads)
                }
                Sharding::State => {
                    let grads = parallel.backward(loss, &model, 1)?.grads;
                    sharded.step::<A, _>(1e-3, model, grads)?
                }
                Sharding::StateAndGradients => {
                    let grads = sharded.backward(loss, &model, 1)?.grads;
                    sharded.step::<A, _>(1e-3, model, grads)?
                }
            };
            group.barrier()?;
        }
        Ok::<_, CollectiveError>(())
    });
    results.unwrap().into_iter().for_each(Result::unwrap);
    usize::try_from(ALLOCATOR.peak.load(Relaxed) - before).unwrap()
}

#[test]
fn x_504_peak_of_a_step_is_the_memory_of_the_formula() {
    burn_backend::memory_budget::limit_cache(0);
    for ranks in [1, 2, 4] {
        for sharding in [Sharding::None, Sharding::State, Sharding::StateAndGradients] {
            let expected = ranks * sharding.memory(PARAMETERS, 2, ranks).total();
            let ratio = peak(ranks, sharding) as f64 / expected as f64;
            println!("{sharding:?} on {ranks} ranks: {ratio:.3} of the formula");
            assert!((ratio - 1.0).abs() < 0.05, "{sharding:?} on {ranks} ranks: {ratio:.3} of the formula");
        }
    }
}
