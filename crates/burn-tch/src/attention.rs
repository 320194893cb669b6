//! Scaled dot-product attention: LibTorch's kernel without a matrix of scores where there is no mask, else a
//! composition.

use crate::backend::Leaf;
use crate::library::Torch;
use crate::tensor::TchTensor;
use crate::{LibTorchDevice, kernel};
use burn_backend::Operation;
use burn_backend::{
    AttentionArgs, AttentionGradArgs, DType, HasSpec, TensorSpec, kernels, output_specs, reference,
};
use burn_foreign::Kernels;
use tch::{TchError, Tensor};

/// Whether LibTorch's kernel for the processor computes it: heads are not shared, values are as long as keys, and
/// no row looks nowhere.
fn has_kernel(query: &TchTensor, key: &TchTensor, value: &TchTensor, mask: Option<&TchTensor>) -> bool {
    let shapes = [query, key, value].map(|x| &x.spec().shape);
    mask.is_none()
        && query.device() == LibTorchDevice::Cpu
        && matches!(query.dtype(), DType::F32 | DType::F64)
        && shapes[0][1] == shapes[1][1]
        && shapes[0][3] == shapes[2][3]
        && shapes.iter().all(|shape| shape.num_elements() > 0)
}

/// Heads in rows of elements that lie in order: as the kernel wants them.
fn rows(x: &TchTensor) -> Result<Tensor, TchError> {
    let x = x.tch();
    if x.stride().last() == Some(&1) { Ok(x.shallow_clone()) } else { x.f_contiguous() }
}

#[track_caller]
pub fn attention(args: AttentionArgs<TchTensor>) -> (TchTensor, TchTensor) {
    if !has_kernel(&args.query, &args.key, &args.value, args.mask.as_ref()) {
        kernels::ran(|| "composition attention".into());
        return reference::attention::<Leaf>(args);
    }
    let op = Operation::Attention(Box::new(args.by_ref()));
    let (spec, sums) = output_specs(&op).unwrap_or_else(|error| panic!("{error}")).two();
    let AttentionArgs { query, key, value, causal, scale, .. } = args;
    kernel::two("attention", query.device(), [spec, sums], || {
        let [query, key, value] = [rows(&query)?, rows(&key)?, rows(&value)?];
        Tensor::f_internal_scaled_dot_product_flash_attention_for_cpu(
            &query,
            &key,
            &value,
            0.0,
            causal,
            None::<Tensor>,
            scale,
        )
    })
}

#[track_caller]
pub fn attention_grad(args: AttentionGradArgs<TchTensor>) -> (TchTensor, TchTensor, TchTensor) {
    if !has_kernel(&args.query, &args.key, &args.value, args.mask.as_ref()) {
        kernels::ran(|| "composition attention_grad".into());
        return reference::attention_grad::<Leaf>(args);
    }
    let AttentionGradArgs { grad, query, key, value, output, log_sums, causal, scale, .. } = args;
    let device = query.device();
    let spec = |x: &TchTensor| TensorSpec { shape: x.shape(), dtype: x.dtype() };
    let specs = [spec(&query), spec(&key), spec(&value)];
    let memories = specs.each_ref().map(|spec| Torch::take(spec, LibTorchDevice::Cpu));
    kernels::ran(|| "torch attention_backward".into());
    let run = || {
        let [grad, query, key] = [rows(&grad)?, rows(&query)?, rows(&key)?];
        Tensor::f_internal_scaled_dot_product_flash_attention_for_cpu_backward(
            &grad,
            &query,
            &key,
            &rows(&value)?,
            &rows(&output)?,
            log_sums.tch(),
            0.0,
            causal,
            None::<Tensor>,
            scale,
        )
    };
    let [first, ..] = &specs;
    let found =
        run().unwrap_or_else(|cause| Torch::raise("attention_grad", Some(first.clone()), device, &cause));
    let ([query, key, value], [a, b, c]) = (specs, memories);
    (
        TchTensor::new(query, found.0, device, a),
        TchTensor::new(key, found.1, device, b),
        TchTensor::new(value, found.2, device, c),
    )
}
