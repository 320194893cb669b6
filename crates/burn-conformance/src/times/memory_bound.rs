use super::{normal, report};
use burn_backend::*;
use burn_tensor::{Tensor, TensorPrimitive, activation};

/// Reports what waits for memory: GELU as a user writes it, softmax, layer norm, sums of rows and of columns.
pub fn memory_bound<B: Backend>(prefix: &str, suffix: &str, dtype: DType, device: &B::Device) {
    let report = |name: &str, task: &dyn Fn() -> Vec<B::Tensor>| {
        report::<B>(&format!("{prefix}{name} {suffix}"), device, task);
    };
    let primitive = |x: Tensor<B, 3>| x.into_primitive().tensor();
    let x: Tensor<B, 3> =
        Tensor::from_primitive(TensorPrimitive::Float(normal::<B>([32, 512, 2048], dtype, device)));
    report("gelu chain", &|| {
        let half = (x.clone() / 2_f64.sqrt()).erf() + 1;
        vec![primitive(x.clone() * half / 2)]
    });
    drop(x);
    let x: Tensor<B, 2> =
        Tensor::from_primitive(TensorPrimitive::Float(normal::<B>([8192, 4096], dtype, device)));
    report("softmax", &|| vec![activation::softmax(x.clone(), 1).into_primitive().tensor()]);
    drop(x);
    let x = normal::<B>([16_384, 1024], dtype, device);
    report("layer norm", &|| {
        vec![B::layer_norm(LayerNormArgs { x: x.clone(), weight: None, bias: None, epsilon: 1e-5 })]
    });
    let x = normal::<B>([8192, 8192], dtype, device);
    for (dim, place) in [(1, "last"), (0, "first")] {
        report(&format!("sum {place}"), &|| vec![B::reduce(ReduceOp::Sum, x.clone(), Dims::from([dim]))]);
    }
}
