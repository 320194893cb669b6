use super::kernel::Kernel;
use super::operands::{Operands, is_bias, rows};
use crate::leaf::Leaf;
use crate::library::Torch;
use crate::tensor::TchTensor;
use crate::{LibTorchDevice, kernel};
use burn_backend::{
    Attention, AttentionArgs, AttentionGradArgs, DType, HasSpec, Operation, TensorSpec, kernels,
    output_specs, reference,
};
use burn_library_backend::Kernels;
use tch::TchError;

/// Whether a kernel of LibTorch may compute it. That of the processor wants heads that are not shared, and
/// values as long as keys.
fn may_have_kernel(args: &AttentionArgs<&TchTensor>) -> bool {
    let AttentionArgs { query, key, value, mask, .. } = args;
    let shapes = [query, key, value].map(|x| &x.spec().shape);
    let fits = match query.device() {
        LibTorchDevice::Cpu => {
            matches!(query.dtype(), DType::F32 | DType::F64)
                && shapes[0][1] == shapes[1][1]
                && shapes[0][3] == shapes[2][3]
        }
        LibTorchDevice::Cuda(_) => matches!(query.dtype(), DType::F32 | DType::F16 | DType::BF16),
        LibTorchDevice::Mps | LibTorchDevice::Vulkan => false,
    };
    fits && mask.is_none_or(|mask| is_bias(mask, query)) && shapes.iter().all(|x| x.num_elements() > 0)
}

/// The kernel that computes it, and its operands.
#[track_caller]
fn chosen(op: &'static str, args: AttentionArgs<&TchTensor>) -> Option<(Kernel, Operands)> {
    if !may_have_kernel(&args) {
        return None;
    }
    let device = args.query.device();
    let choose = || -> Result<_, TchError> {
        let operands = Operands::new(args)?;
        Ok(Kernel::of(&operands, device)?.map(|kernel| (kernel, operands)))
    };
    choose().unwrap_or_else(|cause| Torch::raise(op, None, device, &cause))
}

#[track_caller]
pub fn attention(args: AttentionArgs<TchTensor>) -> (TchTensor, TchTensor) {
    let Some((kernel, operands)) = chosen("attention", args.by_ref()) else {
        kernels::ran(|| "composition attention".into());
        return reference::attention::<Leaf>(args);
    };
    let op = Operation::Attention(Attention::Attention(Box::new(args.by_ref())));
    let (spec, sums) = output_specs(&op).unwrap_or_else(|error| panic!("{error}")).two();
    kernel::two("attention", args.query.device(), [spec, sums], || {
        kernel.explain();
        kernel.forward(&operands)
    })
}

#[track_caller]
pub fn attention_grad(args: AttentionGradArgs<TchTensor>) -> (TchTensor, TchTensor, TchTensor) {
    let AttentionGradArgs { query, key, value, mask, causal, scale, .. } = &args;
    let forward = AttentionArgs { query, key, value, mask: mask.as_ref(), causal: *causal, scale: *scale };
    let Some((kernel, operands)) = chosen("attention_grad", forward) else {
        kernels::ran(|| "composition attention_grad".into());
        return reference::attention_grad::<Leaf>(args);
    };
    let device = query.device();
    let spec = |x: &TchTensor| TensorSpec { shape: x.shape(), dtype: x.dtype() };
    let specs = [spec(query), spec(key), spec(value)];
    let memories = specs.each_ref().map(|spec| Torch::take(spec, device));
    kernels::ran(|| "torch attention_backward".into());
    kernel.explain();
    let run = || kernel.backward(&operands, &rows(&args.grad)?, &rows(&args.output)?, args.log_sums.tch());
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
