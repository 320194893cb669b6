use burn_autodiff::{Autodiff, BalancedCheckpointing};
use burn_backend::{AutodiffBackend, Backend, HasSpec, TensorData};
use burn_ndarray::{NdArray, NdTensor};
use burn_tensor::Tensor;

/// Values in `[low, high)` that look random and are the same everywhere.
fn floats<B: Backend, const D: usize>(shape: [usize; D], low: f64, high: f64) -> Tensor<B, D> {
    let at = |i: usize| low + (high - low) * (i as f64 * 0.618_033_988_749_895 + 0.137).fract();
    let values: Vec<f64> = (0..shape.iter().product()).map(at).collect();
    Tensor::from_data(TensorData::new(&values, shape), &Default::default())
}

type Leaf = NdArray<f64>;
type First = Autodiff<Leaf>;
type Balanced = Autodiff<Leaf, BalancedCheckpointing>;
type Second = Autodiff<First>;

fn tensor(values: &[f64]) -> Tensor<First, 1> {
    Tensor::from_data(TensorData::new(values, [values.len()]), &Default::default())
}

#[test]
fn second_derivative_of_cube() {
    let x = tensor(&[1.0, -2.0, 3.0]).require_grad();
    let outer = Tensor::<Second, 1>::from_inner(x.clone()).require_grad();
    let y = outer.clone() * outer.clone() * outer.clone();
    let dy = outer.grad(&y.backward()).unwrap();
    assert_eq!(dy.clone().into_data().to_f64(), [3.0, 12.0, 27.0]);
    let ddy = x.grad(&dy.backward()).unwrap();
    assert_eq!(ddy.into_data().to_f64(), [6.0, -12.0, 18.0]);
}

#[test]
fn untracked_keeps_nothing_and_works_in_place() {
    let x = tensor(&[1.0, 2.0]);
    let address = x.handle().primitive.address();
    let y = (x + 1).sin() * 2;
    assert!(y.handle().node.is_none());
    assert_eq!(y.handle().primitive.address(), address);
}

/// `sin` saves its input; `+ 1` saves nothing, so it may still be written in place.
#[test]
fn tracked_works_in_place_where_the_rule_allows() {
    let x = tensor(&[1.0, 2.0]).require_grad();
    let y = x.sin();
    let address = y.handle().primitive.address();
    let z = y + 1;
    assert_eq!(z.handle().primitive.address(), address);
    let address = z.handle().primitive.address();
    assert_ne!(z.sin().handle().primitive.address(), address);
}

#[test]
fn direct_and_api_work_in_place() {
    let x = floats::<Leaf, 1>([4], 0.0, 1.0);
    let address = x.handle().address();
    assert_eq!((x * 2 + floats::<Leaf, 1>([4], 0.0, 1.0)).handle().address(), address);
    let shared = floats::<Leaf, 1>([4], 0.0, 1.0);
    let copy = shared.clone();
    let address = copy.handle().address();
    assert_ne!((shared * 2).handle().address(), address);
}

#[test]
fn gradients_move_between_threads() {
    let x = tensor(&[2.0]).require_grad();
    let gradients = (x.clone() * x.clone()).backward();
    let found = std::thread::spawn(move || x.grad(&gradients).unwrap().into_data().to_f64()).join().unwrap();
    assert_eq!(found, [4.0]);
}

fn drop_long_chain<B: AutodiffBackend>() {
    let mut x = floats::<B, 1>([1], 0.0, 1.0).require_grad();
    for _ in 0..200_000 {
        x = x + 1;
    }
    drop(x);
}

#[test]
fn long_chains_drop_without_recursion() {
    drop_long_chain::<First>();
    drop_long_chain::<Balanced>();
}

#[test]
fn long_chains_are_differentiated_without_recursion() {
    let x = floats::<Balanced, 1>([1], 0.4, 0.6).require_grad();
    let mut y = x.clone();
    for _ in 0..20_000 {
        y = y.sin() + 0.1;
    }
    let gradient = x.grad(&y.backward()).unwrap().into_data().to_f64();
    let mut value = x.into_data().to_f64()[0];
    let mut expected = 1.0;
    for _ in 0..20_000 {
        expected *= value.cos();
        value = value.sin() + 0.1;
    }
    assert!((gradient[0] - expected).abs() <= 1e-9 * expected.abs().max(1e-300), "{gradient:?} {expected}");
}

#[test]
fn errors_name_the_operation_the_shapes_and_the_line() {
    let x = floats::<Leaf, 2>([2, 3], 0.0, 1.0);
    let y = floats::<Leaf, 2>([4, 3], 0.0, 1.0);
    let message = |f: Box<dyn FnOnce() + std::panic::UnwindSafe>| {
        *std::panic::catch_unwind(f).unwrap_err().downcast::<String>().unwrap()
    };
    let (a, b) = (x.clone().into_handle(), y.clone().into_handle());
    let found = message(Box::new(move || drop(Tensor::<Leaf, 2>::from_handle(a) + Tensor::from_handle(b))));
    assert_eq!(
        found,
        "add: shapes [2, 3] and [4, 3] do not broadcast: dimension 0 (of the result) is 2 on the left and 4 on \
         the right, and neither is 1"
    );
    let found = message(Box::new(move || drop(x.matmul(y))));
    assert_eq!(
        found,
        "matmul: inner sizes differ: the left side [2, 3] has 3 columns, the right side [4, 3] has 4 rows"
    );
}

#[test]
fn spec_is_shared_by_every_handle() {
    let x: NdTensor = floats::<Leaf, 2>([2, 3], 0.0, 1.0).into_handle();
    assert_eq!(&x.shape()[..], [2, 3]);
}

/// A matrix in many products, as in a recurrent network: the gradient is the sum of all `x^T g`, whether they
/// are computed one by one or together, on the way or at the end.
#[test]
fn a_matrix_in_many_products_has_the_gradient_of_all() {
    for (calls, rows) in [(1, 3), (2, 3), (20, 1), (7, 63), (3, 64), (9, 40)] {
        let weights = floats::<First, 2>([4, 3], -1.0, 1.0).require_grad();
        // Once a leaf, once the result of a call, whose own gradient needs the sum.
        let doubled = weights.clone() * 2.0;
        let inputs: Vec<_> =
            (0..calls).map(|k| floats::<First, 2>([rows, 4], -0.1 * k as f64, 1.0)).collect();
        let factor = |k: usize| 0.5 + k as f64;
        let mut sum = Tensor::<First, 1>::zeros([1], &Default::default());
        for (k, x) in inputs.iter().enumerate() {
            let direct = x.clone().matmul(weights.clone()) * factor(k);
            sum = sum + direct.sum() + x.clone().matmul(doubled.clone()).sum();
        }
        let gradients = sum.backward();
        let found: Vec<f64> =
            weights.grad(&gradients).expect("tracked").into_data().to_vec().expect("floats");
        // The gradient of each result is a matrix of one number, so that of a row is its sum of inputs, times
        // the number.
        let mut wanted = [0.0; 4];
        for (k, x) in inputs.into_iter().enumerate() {
            let x: Vec<f64> = x.into_data().to_vec().expect("floats");
            x.iter().enumerate().for_each(|(i, x)| wanted[i % 4] += x * (factor(k) + 2.0));
        }
        for (i, found) in found.into_iter().enumerate() {
            let wanted = wanted[i / 3];
            assert!(
                (found - wanted).abs() < 1e-12 * wanted.abs().max(1.0),
                "{calls} calls: {found}, not {wanted}"
            );
        }
    }
}

/// The second derivative of a sum of `(x W)^3` goes through the products that waited.
#[test]
fn products_that_waited_have_derivatives() {
    let inner = Tensor::<First, 2>::from_floats([[3.0]], &Default::default()).require_grad();
    let weight = Tensor::<Second, 2>::from_inner(inner.clone()).require_grad();
    let mut sum = Tensor::<Second, 1>::zeros([1], &Default::default());
    for k in 0..6 {
        let x = Tensor::<Second, 2>::full([2, 1], 1.0 + f64::from(k), &Default::default());
        sum = sum + x.matmul(weight.clone()).powi_scalar(3).sum();
    }
    // With s the sum of 2 (1 + k)^3: s w^3, 3 s w^2, 6 s w.
    let s = f64::from((1..=6).map(|k| 2 * k * k * k).sum::<i32>());
    let first = weight.grad(&sum.backward()).expect("tracked");
    let found: f64 = first.clone().into_scalar();
    assert!((found - 27.0 * s).abs() < 1e-9, "{found}");
    let second: f64 = inner.grad(&first.sum().backward()).expect("tracked").into_scalar();
    assert!((second - 18.0 * s).abs() < 1e-9, "{second}");
}
