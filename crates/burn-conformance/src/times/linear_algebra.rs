use super::{normal, report};
use burn_backend::*;

/// Matrices with `along` more on the diagonal.
fn matrices<B: Backend>(shape: &[usize], along: f64, device: &B::Device) -> B::Tensor {
    let size = shape[shape.len() - 1];
    let counted = |sizes: [usize; 2]| {
        let spec = TensorSpec::new([size], DType::I32);
        let range = B::range(spec, Scalar::Int(0), Scalar::Int(1), device);
        B::expand(B::reshape(range, sizes.into()), [size, size].into())
    };
    let is_along = B::compare(CompareOp::Equal, counted([size, 1]), counted([1, size]));
    let more = B::binary_scalar(BinaryOp::Mul, B::cast(is_along, DType::F32), Scalar::Float(along));
    let shape = Shape::from(shape);
    B::binary(BinaryOp::Add, normal::<B>(shape.clone(), DType::F32, device), B::expand(more, shape))
}

/// Reports factorizations and systems of equations, in `f32`.
pub fn linear_algebra<B: Backend>(prefix: &str, device: &B::Device) {
    let matrices = |shape: &[usize], along: f64| matrices::<B>(shape, along, device);
    let report =
        |name: &str, task: &dyn Fn() -> Vec<B::Tensor>| report::<B>(&format!("{prefix}{name}"), device, task);
    let (a, b) = (matrices(&[1024, 1024], 1.0), normal::<B>([1024, 1], DType::F32, device));
    report("solve 1024", &|| vec![B::solve(a.clone(), b.clone())]);
    let definite = matrices(&[1024, 1024], 200.0);
    let factorize = |name: &str, op: Factorization, x: &B::Tensor| {
        report(name, &|| vec![B::factorize(op, x.clone())]);
    };
    factorize("cholesky 1024", Factorization::Cholesky, &definite);
    factorize("qr 1024", Factorization::Qr, &a);
    factorize("qr 64 x 32", Factorization::Qr, &matrices(&[64, 32, 32], 1.0));
    let some = matrices(&[256, 256], 1.0);
    factorize("eigh 256", Factorization::Eigh, &some);
    factorize("svd 256", Factorization::Svd, &some);
    for (op, along) in
        [(Factorization::Cholesky, 20.0), (Factorization::Eigh, 1.0), (Factorization::Svd, 1.0)]
    {
        factorize(&format!("{} 64 x 32", op.name()), op, &matrices(&[64, 32, 32], along));
    }
}
