use burn_backend::*;
use burn_tensor::{Bool, Int, Tensor};

/// Largest acceptable difference from the f64 reference.
fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 1e-12,
        DType::F32 => 3e-6,
        _ => 0.0,
    }
}

#[track_caller]
pub fn assert_close(found: &TensorData, expected: &[f64]) {
    let (found, tolerance) = (found.to_f64(), tolerance(found.dtype));
    assert_eq!(found.len(), expected.len());
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        let same = (f.is_nan() && e.is_nan()) || f == e || (f - e).abs() <= tolerance * e.abs().max(1.0);
        assert!(same, "element {i}: found {f}, expected {e}\nfound {found:?}\nexpected {expected:?}");
    }
}

/// Values in `[low, high)` that look random and are the same everywhere.
pub fn values(count: usize, low: f64, high: f64) -> Vec<f64> {
    let at = |i: usize| (i as f64 * 0.618_033_988_749_895 + 0.137).fract();
    (0..count).map(|i| low + (high - low) * at(i)).collect()
}

pub fn floats<B: Backend, const D: usize>(shape: [usize; D], low: f64, high: f64) -> Tensor<B, D> {
    let data = values(shape.iter().product(), low, high);
    Tensor::from_data(TensorData::new(&data, shape), &Default::default())
}

pub fn ints<B: Backend, const D: usize>(shape: [usize; D], data: &[i64]) -> Tensor<B, D, Int> {
    Tensor::from_data(TensorData::new(data, shape), &Default::default())
}

/// Every unary function of floats against its definition, contiguous and transposed.
pub fn unary<B: Backend>() {
    for op in UnaryOp::ALL.into_iter().filter(|op| op.accepts(B::FloatElem::DTYPE)) {
        let low = if matches!(op, UnaryOp::Log | UnaryOp::Sqrt | UnaryOp::Log1p) { 0.1 } else { -3.0 };
        let x = floats::<B, 2>([3, 700], low, 3.0);
        let input = x.clone().into_data().to_f64();
        let y = Tensor::<B, 2>::from_handle(B::unary(op, x.clone().into_handle()));
        assert_close(&y.into_data(), &input.iter().map(|&x| op.eval_f64(x)).collect::<Vec<_>>());
        let y = B::unary(op, x.permute([1, 0]).into_handle());
        let expected: Vec<f64> = (0..2100).map(|i| op.eval_f64(input[i % 3 * 700 + i / 3])).collect();
        assert_close(&Tensor::<B, 2>::from_handle(y).into_data(), &expected);
    }
}

pub fn binary<B: Backend>() {
    for op in BinaryOp::ALL.into_iter().filter(|op| op.accepts(B::FloatElem::DTYPE)) {
        let (x, y) = (floats::<B, 1>([50], 0.5, 2.0), floats::<B, 1>([50], 0.1, 3.0));
        let (xs, ys) = (x.clone().into_data().to_f64(), y.clone().into_data().to_f64());
        let z = Tensor::<B, 1>::from_handle(B::binary(op, x.into_handle(), y.into_handle()));
        let expected: Vec<f64> = xs.iter().zip(&ys).map(|(&x, &y)| op.eval_f64(x, y)).collect();
        assert_close(&z.into_data(), &expected);
    }
    let x = ints::<B, 1>([3], &[7, -7, 9]) / 2;
    assert_close(&x.into_data(), &[3.0, -3.0, 4.0]);
}

pub fn broadcast<B: Backend>() {
    let x = floats::<B, 2>([2, 1], 0.0, 1.0);
    let y = floats::<B, 2>([1, 3], 1.0, 2.0);
    let (xs, ys) = (x.clone().into_data().to_f64(), y.clone().into_data().to_f64());
    let expected: Vec<f64> = (0..6).map(|i| xs[i / 3] - ys[i % 3]).collect();
    assert_close(&(x - y).into_data(), &expected);
}

pub fn layout<B: Backend>() {
    let x = ints::<B, 2>([2, 3], &[1, 2, 3, 4, 5, 6]);
    let t = x.clone().permute([1, 0]);
    assert_close(&t.clone().into_data(), &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    assert_close(&t.slice([1..3, 0..1]).into_data(), &[2.0, 3.0]);
    let joined = Tensor::cat(vec![x.clone(), x.slice([0..2, 1..2])], 1);
    assert_close(&joined.into_data(), &[1.0, 2.0, 3.0, 2.0, 4.0, 5.0, 6.0, 5.0]);
    let empty = Tensor::<B, 2>::zeros([0, 3], &Default::default());
    assert_close(&empty.exp().sum_dim(0).into_data(), &[0.0; 3]);
}

pub fn reduce<B: Backend>() {
    let x = ints::<B, 2>([2, 3], &[1, 5, 3, 4, 2, 6]);
    assert_close(&x.clone().sum_dim(1).into_data(), &[9.0, 12.0]);
    assert_close(&x.clone().sum().into_data(), &[21.0]);
    let (max, at) = x.max_dim_with_indices(1);
    assert_close(&max.into_data(), &[5.0, 6.0]);
    assert_close(&at.into_data(), &[1.0, 2.0]);
}

pub fn index<B: Backend>() {
    let x = floats::<B, 2>([2, 3], 0.0, 1.0);
    let xs = x.clone().into_data().to_f64();
    let picked = x.gather(1, ints::<B, 2>([2, 2], &[2, 0, 1, 1]));
    assert_close(&picked.into_data(), &[xs[2], xs[0], xs[4], xs[4]]);
}

pub fn conv<B: Backend>() {
    let x = ints::<B, 4>([1, 1, 3, 3], &[1, 2, 3, 4, 5, 6, 7, 8, 9]).into_data();
    let x = Tensor::<B, 4>::from_data(x, &Default::default());
    let weight = Tensor::<B, 4>::full([1, 1, 2, 2], 1, &Default::default());
    let bias = Tensor::<B, 1>::full([1], 0.5, &Default::default());
    let y = x.conv(weight, Some(bias), ConvOptions::new(2));
    assert_close(&y.into_data(), &[12.5, 16.5, 24.5, 28.5]);
}

pub fn softmax<B: Backend>() {
    let x = floats::<B, 2>([3, 5], -2.0, 2.0);
    let exp = x.clone().exp();
    let expected = (exp.clone() / exp.sum_dim(1)).into_data().to_f64();
    assert_close(&burn_tensor::activation::softmax(x, 1).into_data(), &expected);
}

/// Results that nobody reads, and operands that die early, change nothing.
pub fn dropped<B: Backend>() {
    let x = floats::<B, 1>([10], 0.0, 1.0);
    let xs = x.clone().into_data().to_f64();
    drop(x.clone().exp().sin());
    let y = x.clone().sin();
    let z = (y.clone() * 2 + 1).cos();
    drop(y);
    let expected: Vec<f64> = xs.iter().map(|x| (x.sin() * 2.0 + 1.0).cos()).collect();
    let copy = z.clone();
    assert_close(&z.into_data(), &expected);
    assert_close(&copy.into_data(), &expected);
    assert_close(&x.into_data(), &xs);
}

/// Threads that share unfinished tensors agree.
pub fn two_threads<B: Backend>() {
    let x = floats::<B, 1>([2000], 0.0, 1.0);
    for _ in 0..20 {
        let shared = x.clone().sin() * 3;
        let expected: Vec<f64> = x.clone().into_data().to_f64().iter().map(|x| x.sin() * 3.0 + 1.0).collect();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                let (mine, expected) = (shared.clone(), &expected);
                scope.spawn(move || assert_close(&(mine + 1).into_data(), expected));
            }
            let mine = shared.clone();
            drop(shared);
            assert_close(&(mine + 1).into_data(), &expected);
        });
    }
}

pub fn argwhere<B: Backend>() {
    let x = ints::<B, 2>([2, 2], &[3, 0, 4, 5]) * 2;
    let hits: Tensor<B, 2, Bool> = x.greater_elem(5);
    let at = hits.argwhere();
    assert_eq!(at.dims(), [3, 2]);
    assert_close(&(at * 10).into_data(), &[0.0, 0.0, 10.0, 0.0, 10.0, 10.0]);
}
