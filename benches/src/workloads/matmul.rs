//! Products of matrices, in f32 and in half precision.

use super::input::normal;
use crate::workload::Workload;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_tensor::{Backend, DType, activation};
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    vec![
        product("matmul 256", [256, 256], [256, 256]).at_most(1.0),
        product("matmul 1024", [1024, 1024], [1024, 1024]).at_most(0.65),
        product("matmul 2048", [2048, 2048], [2048, 2048]).at_most(0.65),
        product("matmul batched", [64, 128, 64], [64, 64, 128]).at_most(1.0),
        half("matmul 1024 f16", DType::F16),
        half("matmul 1024 bf16", DType::BF16),
        product("matvec 4096", [1, 4096], [4096, 4096]).at_most(0.75),
        // Weights that never change: their panels are kept.
        product("layer of 16 rows", [16, 1024], [1024, 1024]).at_most(1.0),
        product("layer of 64 rows", [64, 768], [768, 768]).at_most(1.0),
        Workload::new("shallow layer")
            .with("NdArray", shallow_layer::<NdArray>)
            .with("Fusion<NdArray>", shallow_layer::<Fusion<NdArray>>)
            .compiled(),
    ]
}

fn product<const D: usize>(name: &'static str, lhs: [usize; D], rhs: [usize; D]) -> Workload {
    Workload::new(name).with("NdArray", move || call::<NdArray, D>(lhs, rhs))
}

/// 1024 cubed, of a narrow type.
fn half(name: &'static str, dtype: DType) -> Workload {
    let prepare = move || {
        let [x, y] = [0, 1].map(|_| normal::<NdArray, 2>([1024, 1024]).cast(dtype));
        move || drop(black_box(x.clone().matmul(y.clone())))
    };
    Workload::new(name).with("NdArray", prepare).at_most(1.0)
}

/// One product of matrices that stay.
pub(super) fn call<B: Backend, const D: usize>(lhs: [usize; D], rhs: [usize; D]) -> impl FnMut() {
    let (x, y) = (normal::<B, D>(lhs), normal::<B, D>(rhs));
    move || drop(black_box(x.clone().matmul(y.clone())))
}

/// `relu(x w + b)` of 65,536 rows, 32 to 64 columns: as much memory as arithmetic.
fn shallow_layer<B: Backend>() -> impl FnMut() {
    let (x, w, bias) = (normal::<B, 2>([65_536, 32]), normal([32, 64]), normal([1, 64]));
    let device = B::Device::default();
    move || {
        let y = activation::relu(x.clone().matmul(w.clone()) + bias.clone());
        // A queue computes only the tensors that are still held.
        B::sync(&device);
        drop(black_box(y));
    }
}
