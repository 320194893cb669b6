//! The gradient of maximum pooling by squares, which has a kernel of its own, against its definition.

use burn_backend::*;
use burn_ndarray::{NdArray, NdTensor};

type Leaf = NdArray<f32>;

fn tensor(list: &[f32], shape: [usize; 4]) -> NdTensor {
    Leaf::from_data(TensorData::new(list, shape), &Default::default())
}

fn list(x: NdTensor) -> Vec<f32> {
    let mut future = std::pin::pin!(Leaf::into_data(x));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(data) => data.expect("data can be read").to_vec().expect("they are f32"),
        std::task::Poll::Pending => unreachable!("the CPU answers at once"),
    }
}

/// Few different values, so that many are equal, and some that are NaN or infinite.
fn values(len: usize) -> Vec<f32> {
    let special = |k: usize| match k % 17 {
        0 => f32::NAN,
        1 => f32::NEG_INFINITY,
        2 => f32::INFINITY,
        rest => (rest * 7 % 5) as f32 - 2.0,
    };
    (0..len).map(|k| special(k * k % 101 + k)).collect()
}

#[test]
fn max_pool_grad_of_squares_goes_to_the_first_of_the_largest_and_nan_is_largest() {
    for (height, width) in [(2, 2), (5, 7), (8, 9), (3, 33), (6, 64), (2, 131)] {
        let (planes, out) = (6, (height / 2, width / 2));
        let xs = values(planes * height * width);
        let grads: Vec<f32> = (1..=planes * out.0 * out.1).map(|k| k as f32).collect();
        let mut expected = vec![0.0; xs.len()];
        for plane in 0..planes {
            for i in 0..out.0 {
                for j in 0..out.1 {
                    let at = |k: usize| (plane * height + 2 * i + k / 2) * width + 2 * j + k % 2;
                    let mut best = at(0);
                    for k in 1..4 {
                        let (x, largest) = (xs[at(k)], xs[best]);
                        if x > largest || (x.is_nan() && !largest.is_nan()) {
                            best = at(k);
                        }
                    }
                    expected[best] = grads[(plane * out.0 + i) * out.1 + j];
                }
            }
        }
        let shape = [2, 3, height, width];
        let found = Leaf::pool_grad(PoolGradArgs {
            kind: PoolKind::Max,
            grad: tensor(&grads, [2, 3, out.0, out.1]),
            x: Some(tensor(&xs, shape)),
            target: shape.into(),
            options: PoolOptions::new(Dims::from([2, 2])),
        });
        assert_eq!(list(found), expected, "{height} x {width}");
    }
}

#[test]
fn max_pool_with_steps_of_two_and_three_gives_the_largest_and_its_place() {
    for (kernel, stride, padding) in [(2, 2, 0), (3, 2, 1), (3, 3, 1), (2, 3, 0), (3, 1, 1)] {
        for (height, width) in [(7, 9), (8, 37), (10, 64)] {
            let xs = values(2 * height * width);
            let mut options = PoolOptions::new(Dims::from([kernel, kernel]));
            (options.stride, options.padding) = (Dims::repeat(stride, 2), Dims::repeat(padding, 2));
            let x = tensor(&xs, [1, 2, height, width]);
            let (largest, places) = Leaf::max_pool_with_indices(x.clone(), options.clone(), DType::F32);
            let pooled = Leaf::pool(PoolArgs { kind: PoolKind::Max, x, options });
            let bits = |list: Vec<f32>| {
                list.into_iter()
                    .map(|x| x.is_nan().then_some(0.0).or(Some(x)).map(f32::to_bits))
                    .collect::<Vec<_>>()
            };
            let out = largest.spec().shape.clone();
            let (largest, places) = (list(largest), list(places));
            assert_eq!(bits(largest.clone()), bits(list(pooled)));
            for (at, (value, place)) in largest.into_iter().zip(places).enumerate() {
                let (plane, i, j) = (at / (out[2] * out[3]), at / out[3] % out[2], at % out[3]);
                let mut best: Option<usize> = None;
                for k in 0..kernel * kernel {
                    let (row, column) = (i * stride + k / kernel, j * stride + k % kernel);
                    let inside = (padding..height + padding).contains(&row)
                        && (padding..width + padding).contains(&column);
                    if !inside {
                        continue;
                    }
                    let k = (row - padding) * width + column - padding;
                    let x = xs[plane * height * width + k];
                    let wins = |best: f32| x > best || (x.is_nan() && !best.is_nan());
                    if best.is_none_or(|best| wins(xs[plane * height * width + best])) {
                        best = Some(k);
                    }
                }
                let best = best.expect("every window covers something");
                assert_eq!(place as usize, best);
                let x = xs[plane * height * width + best];
                assert!(value == x || (value.is_nan() && x.is_nan()));
            }
        }
    }
}
