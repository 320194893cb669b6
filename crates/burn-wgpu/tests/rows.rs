//! Rows of awkward lengths, few and long or many and short, and views: what works on rows gives what the CPU
//! gives.

mod device;

use burn_backend::*;
use burn_conformance::noise;
use burn_ndarray::NdArray;
use burn_tensor::{Int, Tensor};
use burn_wgpu::{Wgpu, WgpuDevice};

type Gpu = Wgpu<f32, i32>;
type Cpu = NdArray<f32>;

/// Few different numbers, zeros of both signs and NaN among them.
fn ties(count: usize) -> Vec<f32> {
    let pick = |x: f32| match (x * 8.0) as i32 {
        7 => f32::NAN,
        6 => f32::INFINITY,
        0 if x < 0.0 => -0.0,
        whole => whole as f32,
    };
    noise(count).into_iter().map(pick).collect()
}

/// How an operand lies in memory.
#[derive(Clone, Copy, Debug)]
enum Lay {
    Plain,
    Transposed,
    Stepped,
    Flipped,
}

const LAYS: [Lay; 4] = [Lay::Plain, Lay::Transposed, Lay::Stepped, Lay::Flipped];

fn view<B: Backend>(values: &[f32], shape: [usize; 3], lay: Lay, device: &B::Device) -> B::Tensor {
    let of = |values: &[f32], shape: [usize; 3]| B::from_data(TensorData::new(values, shape), device);
    let [a, b, c] = shape;
    match lay {
        Lay::Plain => of(values, shape),
        Lay::Transposed => B::permute(of(values, [c, a, b]), Dims::from([1, 2, 0])),
        Lay::Flipped => B::flip(of(values, shape), Dims::from([1, 2])),
        Lay::Stepped => {
            let wide = B::repeat_dim(of(values, shape), 2, 2);
            let slices = [a, b].map(|size| Slice::from(0..size)).into_iter();
            B::slice(wide, slices.chain([Slice { start: 1, end: 2 * c, step: 2 }]).collect())
        }
    }
}

fn data<B: Backend>(x: B::Tensor) -> TensorData {
    block_on(B::into_data(x)).unwrap().unwrap()
}

/// Whether results are what the CPU has: each within `tolerance`, and NaN where it is.
fn compare(name: &str, found: TensorData, expected: TensorData, tolerance: f64) {
    assert_eq!(found.shape, expected.shape, "{name}");
    for (at, (x, y)) in found.to_f64().into_iter().zip(expected.to_f64()).enumerate() {
        let same = x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= tolerance * y.abs().max(1.0);
        assert!(same, "{name}: {x}, not {y}, at {at}");
    }
}

/// Shapes with lines around the sizes at which kernels change, as first, middle and last dimension.
const SHAPES: [([usize; 3], usize); 16] = [
    ([3, 5, 1], 2),
    ([3, 7, 31], 2),
    ([1, 40, 33], 2),
    ([2, 3, 255], 2),
    ([257, 2, 3], 0),
    ([2, 256, 33], 1),
    ([1, 2, 1023], 2),
    ([1, 3, 1025], 2),
    ([1030, 1, 40], 0),
    ([1, 2, 4097], 2),
    ([1, 9000, 3], 1),
    ([1, 1, 10_007], 2),
    ([1, 70, 1100], 1),
    ([2000, 1, 3], 2),
    ([1, 1, 100_003], 2),
    ([40_000, 1, 2], 0),
];

/// Runs both backends over the shapes and layouts; large ones in one layout only.
fn sweep(values: fn(usize) -> Vec<f32>, check: impl Fn(&str, &dyn Fn() -> Operands, usize)) {
    device::require();
    let device = WgpuDevice::default();
    for (at, (shape, dim)) in SHAPES.into_iter().enumerate() {
        let values = values(shape.iter().product());
        let both = |lay| Operands {
            gpu: view::<Gpu>(&values, shape, lay, &device),
            cpu: view::<Cpu>(&values, shape, lay, &Default::default()),
        };
        let lays = if values.len() > 5000 { &LAYS[at % 4..][..1] } else { &LAYS[..] };
        for lay in lays {
            check(&format!("{shape:?} along {dim}, {lay:?}"), &|| both(*lay), dim);
        }
    }
}

struct Operands {
    gpu: <Gpu as Backend>::Tensor,
    cpu: <Cpu as Backend>::Tensor,
}

/// The same call on both backends.
macro_rules! on_both {
    ($name:expr, $operands:expr, $tolerance:expr, |$B:ident, $x:ident| $call:expr) => {{
        let Operands { gpu, cpu } = $operands;
        let found = {
            type $B = Gpu;
            let $x = gpu;
            data::<Gpu>($call)
        };
        let expected = {
            type $B = Cpu;
            let $x = cpu;
            data::<Cpu>($call)
        };
        compare($name, found, expected, $tolerance);
    }};
}

#[test]
fn reductions_of_any_length() {
    sweep(noise, |name, x, dim| {
        for (op, tolerance) in [(ReduceOp::Sum, 1e-4), (ReduceOp::Max, 0.0)] {
            on_both!(name, x(), tolerance, |B, x| B::reduce(op, x, Dims::from([dim])));
        }
        on_both!(name, x(), 1e-4, |B, x| B::reduce(ReduceOp::Mean, x, Dims::from([0, 1, 2])));
    });
}

/// Neighbouring columns are loaded as one vector where there are enough of them; of few rows, parts are added
/// up by another kernel.
#[test]
fn sums_of_many_columns() {
    device::require();
    for (shape, dim) in [([1, 1100, 1024], 1), ([3, 700, 514], 1), ([9000, 1, 132], 0)] {
        let values = noise(shape.iter().product());
        let both = |lay| Operands {
            gpu: view::<Gpu>(&values, shape, lay, &WgpuDevice::default()),
            cpu: view::<Cpu>(&values, shape, lay, &Default::default()),
        };
        for op in [ReduceOp::Sum, ReduceOp::Mean] {
            let name = format!("{} of {shape:?} along {dim}", op.name());
            let listening = kernels::listen();
            on_both!(&name, both(Lay::Plain), 1e-4, |B, x| B::reduce(op, x, Dims::from([dim])));
            let heard = listening.heard();
            assert_eq!(heard[0], "sum_columns", "{name}: {heard:?}");
            assert!(heard.len() <= 2, "{name}: {heard:?}");
        }
    }
}

#[test]
fn extremes_and_their_places() {
    sweep(ties, |name, x, dim| {
        for op in Extremum::ALL {
            on_both!(name, x(), 0.0, |B, x| B::arg_reduce(op, x, dim, DType::I32));
        }
        on_both!(name, x(), 0.0, |B, x| B::reduce_with_indices(Extremum::Min, x, dim, DType::I32).0);
    });
}

#[test]
fn softmax_of_any_length() {
    sweep(noise, |name, x, dim| {
        on_both!(name, x(), 1e-6, |B, x| B::softmax(x, dim));
        on_both!(name, x(), 1e-5, |B, x| B::log_softmax(x, dim));
    });
}

#[test]
fn softmax_of_infinite_numbers() {
    device::require();
    let inf = f32::INFINITY;
    for size in [40, 9000] {
        for (place, value) in [(3, -inf), (size - 1, inf), (0, f32::NAN), (0, -inf)] {
            let mut values = noise(size);
            values[place] = value;
            if place == 0 && value == -inf {
                values.fill(-inf);
            }
            let x = Operands {
                gpu: view::<Gpu>(&values, [1, 1, size], Lay::Plain, &WgpuDevice::default()),
                cpu: view::<Cpu>(&values, [1, 1, size], Lay::Plain, &Default::default()),
            };
            let name = format!("{value} at {place} of {size}");
            on_both!(&name, x, 1e-6, |B, x| B::softmax(x, 2));
        }
    }
}

#[test]
fn layer_norms_of_any_length() {
    sweep(noise, |name, x, _| {
        on_both!(name, x(), 1e-4, |B, x| {
            let weight = Some(B::slice(x.clone(), first_row(x.spec())));
            let weight = weight.map(|row| B::reshape(row, [x.shape()[2]].into()));
            B::layer_norm(LayerNormArgs { bias: weight.clone(), weight, x, epsilon: 1e-2 })
        });
        on_both!(name, x(), 1e-4, |B, x| {
            let grad = B::unary(UnaryOp::Sin, x.clone());
            B::layer_norm_grad(LayerNormGradArgs { grad, x, weight: None, epsilon: 1e-2 })
        });
    });
}

fn first_row(spec: &TensorSpec) -> Slices {
    [1, 1, spec.shape[2]].map(|size| Slice::from(0..size)).into_iter().collect()
}

#[test]
fn scans_of_any_length() {
    sweep(noise, |name, x, dim| {
        on_both!(name, x(), 1e-3, |B, x| B::cumulative(CumulativeOp::Sum, x, dim));
        on_both!(name, x(), 0.0, |B, x| B::cumulative(CumulativeOp::Min, x, dim));
    });
}

#[test]
fn sorts_of_any_length() {
    sweep(noise, |name, x, dim| {
        on_both!(name, x(), 0.0, |B, x| B::sort(x, dim, false));
    });
}

#[test]
fn sorts_are_stable() {
    sweep(ties, |name, x, dim| {
        for descending in [false, true] {
            on_both!(name, x(), 0.0, |B, x| B::sort_with_indices(x, dim, descending, DType::I32).1);
        }
    });
}

#[test]
fn the_first_of_any_length() {
    sweep(ties, |name, x, dim| {
        for (k, largest) in [(1, false), (7, true), (300, true)] {
            on_both!(name, x(), 0.0, |B, x| {
                let k = k.min(x.shape()[dim]);
                B::topk(x, k, dim, largest, DType::I32).1
            });
        }
    });
}

#[test]
fn wide_integers_in_order() {
    device::require();
    let values: Vec<i64> = noise(10_007).iter().map(|x| (x.to_bits() as i64) << 20 ^ 0x55).collect();
    let values: Vec<i64> = values.iter().map(|&x| if x % 3 == 0 { -x } else { x }).collect();
    let device = WgpuDevice::default();
    let x = || TensorData::new(&values, [10_007]);
    let found = data::<Gpu>(Gpu::sort(Gpu::from_data(x(), &device), 0, true));
    let mut expected = values.clone();
    expected.sort_unstable_by(|x, y| y.cmp(x));
    assert_eq!(found.to_vec::<i64>().unwrap(), expected);
    let sum = data::<Gpu>(Gpu::reduce(ReduceOp::Sum, Gpu::from_data(x(), &device), Dims::from([0])));
    assert_eq!(sum.to_vec::<i64>().unwrap(), [values.iter().fold(0_i64, |x, &y| x.wrapping_add(y))]);
}

#[test]
fn orders_at_random_need_no_f64() {
    device::require();
    let device = WgpuDevice::default();
    Wgpu::<f32, i32>::seed(4);
    let sorted = |x: Tensor<Wgpu, 1, Int>| x.sort(0).into_data().to_f64();
    let numbers: Vec<f64> = (0..5000).map(f64::from).collect();
    let order = Tensor::<Wgpu, 1, Int>::randperm(5000, &device);
    assert_ne!(order.clone().into_data().to_f64(), numbers);
    assert_eq!(sorted(order), numbers);
    let shuffled = Tensor::<Wgpu, 1, Int>::arange(0..5000, &device).shuffle(0);
    assert_ne!(shuffled.clone().into_data().to_f64(), numbers);
    assert_eq!(sorted(shuffled), numbers);
}
