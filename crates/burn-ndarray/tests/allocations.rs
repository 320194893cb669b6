//! In the steady state, operations ask the system for no memory.

use burn_backend::*;
use burn_ndarray::{NdArray, NdTensor};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

type Leaf = NdArray<f32>;

struct Counting;

thread_local! {
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
}

// SAFETY: hands everything on to the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: by the contract of the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: by the contract of the caller.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: by the contract of the caller.
        unsafe { System.dealloc(block, layout) }
    }
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: by the contract of the caller.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often this thread asks for memory in one call of `f`, after a few that warm up the pool.
fn asked(mut f: impl FnMut()) -> usize {
    (0..3).for_each(|_| f());
    let before = ASKED.get();
    f();
    ASKED.get() - before
}

fn tensor(shape: &[usize]) -> NdTensor {
    let spec = TensorSpec::new(shape.iter().copied().collect::<Shape>(), DType::F32);
    Leaf::full(spec, Scalar::Float(0.5), &Default::default())
}

#[test]
fn elementwise_chains_allocate_nothing() {
    for shape in [&[16][..], &[2, 3, 4, 5, 2, 3], &[100, 100]] {
        let (x, y) = (tensor(shape), tensor(shape));
        let chain = || {
            let z = Leaf::binary(BinaryOp::Add, x.clone(), y.clone());
            let z = Leaf::unary(UnaryOp::Exp, z);
            let z = Leaf::binary(BinaryOp::Mul, z, y.clone());
            let z = Leaf::binary_scalar(BinaryOp::Div, z, Scalar::Float(3.0));
            drop(Leaf::compare_scalar(CompareOp::Less, z, Scalar::Float(1.0)));
        };
        assert_eq!(asked(chain), 0, "{shape:?}");
    }
}

#[test]
fn views_broadcasts_and_reductions_allocate_nothing() {
    let (x, row) = (tensor(&[6, 5, 4]), tensor(&[5, 1]));
    let f = || {
        let z = Leaf::permute(x.clone(), Dims::from([2, 1, 0]));
        let z = Leaf::binary(BinaryOp::Add, z, row.clone());
        let z = Leaf::reduce(ReduceOp::Sum, z, Dims::from([0, 2]));
        let z = Leaf::reshape(z, Shape::from([5]));
        let z = Leaf::expand(z, Shape::from([3, 5]));
        drop(Leaf::softmax(z, 1));
    };
    assert_eq!(asked(f), 0);
}

#[test]
fn large_tensors_come_from_the_pool() {
    let (x, y) = (tensor(&[100, 100]), tensor(&[600, 300]));
    assert_eq!(asked(|| drop(Leaf::unary(UnaryOp::Sqrt, x.clone()))), 0);
    // Threads may need a queue entry now and then, but no buffer.
    let bytes = asked(|| drop(Leaf::binary(BinaryOp::Mul, y.clone(), y.clone())));
    assert!(bytes <= 2, "{bytes} allocations");
}

#[test]
fn handles_are_small() {
    assert!(size_of::<NdTensor>() <= 96, "{} bytes", size_of::<NdTensor>());
}
