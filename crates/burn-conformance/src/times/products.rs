use super::{normal, report};
use burn_backend::{Backend, DType};

/// Reports a product of two square matrices.
pub fn matmul<B: Backend>(prefix: &str, name: &str, dtype: DType, size: usize, device: &B::Device) {
    let [x, y] = [0; 2].map(|_| normal::<B>([size, size], dtype, device));
    report::<B>(&format!("{prefix}matmul {name} {size}"), device, &|| vec![B::matmul(x.clone(), y.clone())]);
}
