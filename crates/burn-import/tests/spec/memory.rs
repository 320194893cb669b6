//! memory while loading.

use super::files::{B, CPU};
use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Backend, DType, Tensor, TensorData};
use burn::weights::Strictness;
use burn_conformance::again::again;
use burn_import::safetensors;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

thread_local! {
    /// Bytes that this thread has allocated and not freed, and the most of them.
    static LIVE: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

/// Bytes that all threads have allocated and not freed, and the most of them.
static ALL: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

struct Counting;

fn count(bytes: isize) {
    let [now, most] = &ALL;
    let before = now.fetch_add(bytes as usize, Ordering::Relaxed);
    most.fetch_max(before.wrapping_add_signed(bytes), Ordering::Relaxed);
    // A thread that ends frees what it has after its locals are gone.
    let _ = LIVE.try_with(|live| {
        let (now, most) = live.get();
        live.set((now + bytes, most.max(now + bytes)));
    });
}

// SAFETY: the system allocates; counting touches no memory of others.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: by the contract of the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: by the contract of the caller.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: by the contract of the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The value of `f`, the most bytes that were allocated at a time while it ran, and those that are left of
/// them.
pub fn peak<T>(f: impl FnOnce() -> T) -> (T, usize, usize) {
    let (before, _) = LIVE.get();
    LIVE.set((before, before));
    let value = f();
    let (after, most) = LIVE.get();
    (value, (most - before) as usize, (after - before) as usize)
}

#[derive(Module, Debug)]
struct Stack<B: Backend> {
    layers: Vec<Param<Tensor<B, 2>>>,
}

const LAYERS: usize = 24;

fn stack(side: usize) -> Stack<B> {
    let layer = |_| burn::module::Initializer::Zeros.init([side, side], CPU);
    Stack { layers: (0..LAYERS).map(layer).collect() }
}

fn file(folder: &std::path::Path, side: usize) -> std::path::PathBuf {
    let path = folder.join("stack.safetensors");
    let layer = |index: usize| {
        (format!("layers.{index}"), TensorData::new(vec![index as f32; side * side], [side, side]))
    };
    safetensors::save_tensors((0..LAYERS).map(layer).collect(), &path).unwrap();
    path
}

/// The model is there, and no more than one of its tensors was beside it. Tests have tensors of different
/// sizes, since the backend keeps buffers for the next tensor of their size, and smaller ones than those that
/// it maps past the allocator.
#[track_caller]
fn check(most: usize, left: usize, tensor: usize) {
    assert!(left >= LAYERS * tensor, "{left} bytes for {LAYERS} tensors of {tensor}");
    assert!(most <= left + tensor, "{most} bytes for a model of {left}");
}

#[test]
fn x_403_loading_a_module_takes_the_model_and_one_tensor() {
    let (folder, side) = (tempfile::tempdir().unwrap(), 512);
    let path = file(folder.path(), side);
    let ((loaded, _), most, left) =
        peak(|| safetensors::open(&path).unwrap().load_into(stack(side), Strictness::Strict).unwrap());
    assert_eq!(loaded.layers[5].to_data().as_slice::<f32>().unwrap()[..2], [5.0, 5.0]);
    check(most, left, 4 * side * side);
}

#[derive(Module, Debug)]
struct Linears<B: Backend> {
    layers: Vec<Linear<B>>,
}

/// Weights of linear layers are transposed on the way, by several threads, and those of half precision are
/// widened.
#[test]
fn x_403_loading_transposed_and_widened_weights_takes_the_model_and_one_tensor() {
    let name = "x_403_loading_transposed_and_widened_weights_takes_the_model_and_one_tensor";
    if again(name, &[]).is_some() {
        return;
    }
    // Whole numbers below `values` are exact in each type.
    for (side, dtype, values) in
        [(480, DType::F32, 2048.0), (540, DType::F16, 2048.0), (600, DType::BF16, 256.0)]
    {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("linears.safetensors");
        let weight = |index: usize| {
            let list = (0..side * side).map(|at| (at / side * 3 + at % side + index) as f32 % values);
            let data = TensorData::new(list.collect::<Vec<_>>(), [side, side]).convert_dtype(dtype);
            (format!("layers.{index}.weight"), data)
        };
        safetensors::save_tensors((0..LAYERS).map(weight).collect(), &path).unwrap();
        let layer = |_| LinearConfig::new(side, side).with_bias(false).init(CPU);
        let module = || Linears::<B> { layers: (0..LAYERS).map(layer).collect() };
        let [now, most] = &ALL;
        let before = now.load(Ordering::Relaxed);
        most.store(before, Ordering::Relaxed);
        let (loaded, _) = safetensors::open(&path).unwrap().load_into(module(), Strictness::Strict).unwrap();
        let (left, most) = (now.load(Ordering::Relaxed) - before, most.load(Ordering::Relaxed) - before);
        let tensor = 4 * side * side;
        assert!(left >= LAYERS * tensor, "{left} bytes for {LAYERS} tensors of {tensor}");
        // Names, stacks of threads and the report are there too while the last tensor is.
        assert!(
            most <= left + tensor + (256 << 10),
            "{dtype:?}: {most} bytes for a model of {left}, by {tensor}"
        );
        for (index, layer) in loaded.layers.iter().enumerate() {
            let found = layer.weight.to_data();
            let found = found.as_slice::<f32>().unwrap();
            let wrong =
                (0..side * side).find(|&at| found[at] != (at % side * 3 + at / side + index) as f32 % values);
            assert_eq!(wrong, None, "layer {index} of {dtype:?}");
        }
    }
}

#[test]
fn x_403_loading_a_record_takes_the_model_and_one_tensor() {
    let (folder, side) = (tempfile::tempdir().unwrap(), 600);
    let path = file(folder.path(), side);
    let (record, most, left) =
        peak(|| safetensors::open(&path).unwrap().load_record::<B, StackRecord<B>>(CPU).unwrap());
    assert_eq!(record.layers.len(), LAYERS);
    check(most, left, 4 * side * side);
}

#[test]
fn x_403_opening_a_file_reads_no_tensor() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), 300);
    let (weights, most, _) = peak(|| safetensors::open(&path).unwrap());
    assert_eq!(weights.tensors().len(), LAYERS);
    assert!(most < 200_000, "{most} bytes");
}
