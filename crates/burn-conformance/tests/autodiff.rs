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
