use burn_backend::*;
use burn_tensor::Tensor;
use burn_tensor::activation::{relu, sigmoid, softmax};

/// Values in `[low, high)` that look random and are the same everywhere.
fn values(count: usize, low: f64, high: f64) -> Vec<f64> {
    let at = |i: usize| (i as f64 * 0.618_033_988_749_895 + 0.137).fract();
    (0..count).map(|i| low + (high - low) * at(i)).collect()
}

fn floats<B: Backend, const D: usize>(shape: [usize; D], low: f64, high: f64) -> Tensor<B, D> {
    let data = values(shape.iter().product(), low, high);
    Tensor::from_data(TensorData::new(&data, shape), &Default::default())
}

/// Compares a gradient with central differences; the backend should compute in f64.
#[track_caller]
pub fn check_gradient<B: AutodiffBackend, const D: usize>(
    x: Tensor<B, D>,
    f: impl Fn(Tensor<B, D>) -> Tensor<B, D>,
) {
    let shape = x.dims();
    let weights = |shape: Shape| TensorData::new(values(shape.num_elements(), 0.5, 1.5), shape);
    let loss = |x: Tensor<B, D>| {
        let y = f(x);
        let weights = Tensor::from_data(weights(y.shape()), &y.device());
        (y * weights).sum()
    };
    let x = x.require_grad();
    let gradients = loss(x.clone()).backward();
    let found = x.grad(&gradients).expect("the function depends on x").into_data().to_f64();
    let point = x.into_data().to_f64();
    let step = 1e-5;
    for i in 0..point.len() {
        let at = |delta: f64| {
            let mut moved = point.clone();
            moved[i] += delta;
            loss(Tensor::from_data(TensorData::new(&moved, shape), &Default::default())).into_data().to_f64()
                [0]
        };
        let expected = (at(step) - at(-step)) / (2.0 * step);
        let close = (found[i] - expected).abs() <= 1e-6 * expected.abs().max(1.0);
        assert!(close, "gradient {i}: found {}, expected {expected}", found[i]);
    }
}

/// Every smooth unary function.
pub fn unary_gradients<B: AutodiffBackend>() {
    use UnaryOp::*;
    for op in UnaryOp::ALL.into_iter().filter(|op| !matches!(op, Not | Floor | Sign | Ceil | Round | Trunc)) {
        let x = floats::<B, 1>([6], 0.1, 0.9);
        check_gradient(x, |x| Tensor::from_handle(B::unary(op, x.into_handle())));
    }
}

pub fn composed_gradients<B: AutodiffBackend>() {
    let w = floats::<B, 2>([4, 3], -1.0, 1.0);
    let row = floats::<B, 2>([1, 4], 0.5, 1.0);
    let x = || floats::<B, 2>([2, 4], -1.0, 1.0);
    check_gradient(x(), |x| softmax(x.matmul(w.clone()), 1));
    check_gradient(row.clone(), |row| (x() * row.clone() / (row + 2)).sin());
    check_gradient(x(), |x| {
        Tensor::cat(vec![x.clone().slice([0..1, 1..3]), x.slice([1..2, 0..2])], 0).tanh()
    });
    check_gradient(x(), |x| x.clone().permute([1, 0]).matmul(x.exp()));
    check_gradient(x(), |x| x.clone().max_dim_with_indices(1).0 * x.sum_dim(1));
    check_gradient(x(), |x| {
        let positive = x.clone().greater_elem(0);
        x.clone().powf_scalar(3).mask_where(positive, x * 3)
    });
    check_gradient(x(), |x| sigmoid(x.clone().reshape([4, 2])).reshape([2, 4]) * relu(x));
}

pub fn conv_gradients<B: AutodiffBackend>() {
    let options = ConvOptions {
        stride: Dims::from(&[2, 1][..]),
        padding: Dims::from(&[1, 0][..]),
        dilation: Dims::from(&[1, 2][..]),
        groups: 2,
    };
    let (x, w) = (|| floats::<B, 4>([2, 4, 5, 6], -1.0, 1.0), || floats::<B, 4>([6, 2, 3, 2], -1.0, 1.0));
    check_gradient(x(), |x| x.conv(w(), None, options.clone()));
    check_gradient(w(), |w| x().conv(w, None, options.clone()).sin());
    let bias = || floats::<B, 4>([1, 1, 1, 6], -1.0, 1.0);
    check_gradient(bias(), |b| x().conv(w(), Some(b.reshape([6])), options.clone()).sin());
}

/// Gradient checks for one autodiff backend.
#[macro_export]
macro_rules! gradient_suite {
    ($name:ident: $backend:ty) => {
        mod $name {
            #[test]
            fn unary() {
                $crate::unary_gradients::<$backend>();
            }
            #[test]
            fn composed() {
                $crate::composed_gradients::<$backend>();
            }
            #[test]
            fn conv() {
                $crate::conv_gradients::<$backend>();
            }
        }
    };
}
