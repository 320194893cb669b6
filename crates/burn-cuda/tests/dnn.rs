//! Convolutions and attention by the libraries, beside the CPU's in `f64`.

mod device;

use burn_backend::*;
use burn_cuda::{Cuda, CudaDevice, allow_tf32};
use burn_ndarray::NdArray;
use std::sync::Mutex;

type B = Cuda<f32, i32>;
type Tensor = <B as Backend>::Tensor;
type Cpu = NdArray;
type Exact = <Cpu as Backend>::Tensor;

/// Tests, one at a time: they count launches, and one changes how products are rounded.
static ALONE: Mutex<()> = Mutex::new(());

/// The same numbers on the device and, exactly, on the CPU. They look random, so that sums of them do not
/// cancel.
fn numbers<const D: usize>(shape: [usize; D], dtype: DType, seed: u64) -> (Tensor, Exact) {
    let at = |i: usize| {
        let mut x = (i as u64 + seed * 100_000).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        x = (x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((x ^ (x >> 32)) >> 40) as f32 / (1 << 22) as f32 - 2.0
    };
    let values: Vec<f32> = (0..shape.iter().product()).map(at).collect();
    let data = TensorData::new(&values, shape);
    let x = B::cast(B::from_data(data, &CudaDevice::default()), dtype);
    (x.clone(), exact(x))
}

fn exact(x: Tensor) -> Exact {
    let data = block_on(B::into_data(B::cast(x, DType::F32))).unwrap().unwrap();
    Cpu::cast(Cpu::from_data(data, &Default::default()), DType::F64)
}

/// The largest error, as a part of the largest number.
fn error(found: Tensor, expected: &Exact) -> f64 {
    assert_eq!(found.shape(), expected.shape());
    let read = |x: Exact| block_on(Cpu::into_data(x)).unwrap().unwrap().to_f64();
    let (found, expected) = (read(exact(found)), read(expected.clone()));
    let largest = expected.iter().fold(0.0, |most, x| x.abs().max(most));
    let errors =
        found.iter().zip(&expected).map(|(x, y)| if x.is_nan() { f64::INFINITY } else { (x - y).abs() });
    errors.fold(0.0, f64::max) / largest.max(0.1)
}

/// Kernels of ours that `task` launches.
fn launches<T>(task: impl FnOnce() -> T) -> (T, usize) {
    let engine = numbers([1], DType::F32, 0).0.engine();
    let before = engine.launches();
    let done = task();
    (done, engine.launches() - before)
}

/// Returns the tolerance: one or two roundings of the stored dtype, many of sums in `f32`.
fn allowed(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2e-3,
        DType::BF16 => 1.2e-2,
        _ => 3e-5,
    }
}

const FLOATS: [DType; 3] = [DType::F32, DType::F16, DType::BF16];

fn options(stride: &[usize], padding: &[usize], dilation: &[usize], groups: usize) -> ConvOptions {
    let dims = |list: &[usize]| list.iter().copied().collect();
    ConvOptions { stride: dims(stride), padding: dims(padding), dilation: dims(dilation), groups }
}

/// Both results of a convolution and its gradients, the first ones found by the library alone.
fn convolution(
    (x, x_exact): (Tensor, Exact),
    (weight, weight_exact): (Tensor, Exact),
    bias: Option<(Tensor, Exact)>,
    options: &ConvOptions,
) -> ([Tensor; 3], [Exact; 3]) {
    fn all<B: Backend>(
        x: B::Tensor,
        weight: B::Tensor,
        bias: Option<B::Tensor>,
        options: &ConvOptions,
    ) -> [B::Tensor; 3] {
        let options = options.clone();
        let args = ConvArgs { x: x.clone(), weight: weight.clone(), bias, options: options.clone() };
        let (x_shape, weight_shape) = (x.spec().shape.clone(), weight.spec().shape.clone());
        let y = B::conv(args);
        let gradient =
            |other, target| ConvGradArgs { grad: y.clone(), other, target, options: options.clone() };
        let x_grad = B::conv_transpose(gradient(weight, x_shape));
        let weight_grad = B::conv_weight_grad(gradient(x, weight_shape));
        [y, x_grad, weight_grad]
    }
    let (bias, bias_exact) = bias.unzip();
    (all::<B>(x, weight, bias, options), all::<Cpu>(x_exact, weight_exact, bias_exact, options))
}

#[test]
fn convolutions_are_those_of_the_library() {
    device::require();
    let _alone = ALONE.lock();
    for dtype in FLOATS {
        for bias in [false, true] {
            let of = |x: &[usize], weight: &[usize], options: ConvOptions| {
                let made = |shape: &[usize], seed| match *shape {
                    [a, b, c] => numbers([a, b, c], dtype, seed),
                    [a, b, c, d] => numbers([a, b, c, d], dtype, seed),
                    _ => numbers(<[usize; 5]>::try_from(shape).unwrap(), dtype, seed),
                };
                let bias = bias.then(|| numbers([weight[0]], dtype, 7));
                let (x, weight) = (made(x, 1), made(weight, 3));
                let name = format!("{dtype:?} {:?} {:?} {options:?} {bias:?}", x.0.shape(), weight.0.shape());
                let ((found, expected), launched) = launches(|| convolution(x, weight, bias, &options));
                assert_eq!(launched, 0, "{name}");
                for (at, (found, expected)) in found.into_iter().zip(&expected).enumerate() {
                    let error = error(found, expected);
                    assert!(error < allowed(dtype), "{at} of {name}: {error}");
                }
            };
            of(&[8, 16, 28, 30], &[32, 16, 3, 3], options(&[1, 1], &[1, 1], &[1, 1], 1));
            of(&[3, 5, 17, 9], &[7, 5, 2, 3], options(&[2, 1], &[1, 0], &[1, 2], 1));
            of(&[2, 8, 12, 12], &[16, 2, 3, 3], options(&[1, 1], &[1, 1], &[1, 1], 4));
            of(&[2, 6, 12, 12], &[6, 1, 5, 5], options(&[1, 1], &[2, 2], &[1, 1], 6));
            of(&[4, 8, 100], &[16, 8, 5], options(&[2], &[2], &[1], 1));
            of(&[2, 4, 6, 7, 8], &[8, 4, 3, 2, 3], options(&[1, 2, 1], &[1, 0, 1], &[1, 1, 1], 1));
        }
    }
}

#[test]
fn images_lie_in_any_way() {
    device::require();
    let _alone = ALONE.lock();
    let options = options(&[1, 1], &[1, 1], &[1, 1], 1);
    let weight = || numbers([8, 4, 3, 3], DType::BF16, 3);
    // Channels last, and a part of an image.
    let (x, x_exact) = numbers([2, 10, 12, 4], DType::BF16, 1);
    let axes = || Dims::from([0, 3, 1, 2]);
    let x = (B::permute(x, axes()), Cpu::permute(x_exact, axes()));
    let (found, expected) = convolution(x, weight(), None, &options);
    // The result and the gradient of the input keep the memory layout of the images (channels last).
    assert!(found[..2].iter().all(|images| images.strides()[1] == 1));
    found.into_iter().zip(&expected).for_each(|(found, expected)| assert!(error(found, expected) < 1.2e-2));
    let (x, x_exact) = numbers([2, 4, 10, 20], DType::BF16, 1);
    let slices = || -> Slices { [0..2, 0..4, 0..10, 3..15].into_iter().map(Slice::from).collect() };
    let x = (B::slice(x, slices()), Cpu::slice(x_exact, slices()));
    let (found, expected) = convolution(x, weight(), None, &options);
    found.into_iter().zip(&expected).for_each(|(found, expected)| assert!(error(found, expected) < 1.2e-2));
}

#[test]
fn tf32_is_used_where_it_is_allowed() {
    device::require();
    let _alone = ALONE.lock();
    let made = || {
        let (x, weight) = (numbers([8, 64, 28, 28], DType::F32, 1), numbers([64, 64, 3, 3], DType::F32, 3));
        let (found, expected) = convolution(x, weight, None, &options(&[1, 1], &[1, 1], &[1, 1], 1));
        let errors = found.into_iter().zip(&expected).map(|(found, expected)| error(found, expected));
        errors.collect::<Vec<_>>()
    };
    assert!(made().iter().all(|&error| error < 3e-5));
    allow_tf32(true);
    let errors = made();
    allow_tf32(false);
    assert!(errors.iter().all(|&error| error < 2e-3), "{errors:?}");
    assert!(errors.iter().any(|&error| error > 3e-5), "{errors:?}");
}

/// `[batch, heads, key_heads, queries, keys, size, size_out]`.
type Sizes = [usize; 7];

/// Results of attention and its gradients: output, logarithms, and the gradients by query, key and value.
fn attention<B: Backend>(read: [B::Tensor; 4], mask: Option<B::Tensor>, causal: bool) -> [B::Tensor; 5] {
    let [query, key, value, grad] = read;
    let scale = 0.3;
    let args = AttentionArgs { query, key, value, mask, causal, scale };
    let (output, log_sums) = B::attention(args.clone());
    let AttentionArgs { query, key, value, mask, .. } = args;
    let (saved, sums) = (output.clone(), log_sums.clone());
    let args =
        AttentionGradArgs { grad, query, key, value, output: saved, log_sums: sums, mask, causal, scale };
    let (query, key, value) = B::attention_grad(args);
    [output, log_sums, query, key, value]
}

fn check(name: &str, sizes: Sizes, dtype: DType, mask: Option<(Tensor, Exact)>, causal: bool, most: usize) {
    let [batch, heads, key_heads, queries, keys, size, size_out] = sizes;
    let read = [
        numbers([batch, heads, queries, size], dtype, 1),
        numbers([batch, key_heads, keys, size], dtype, 3),
        numbers([batch, key_heads, keys, size_out], dtype, 5),
        numbers([batch, heads, queries, size_out], dtype, 7),
    ];
    let (found, expected) = (read.each_ref().map(|x| x.0.clone()), read.map(|x| x.1));
    let (mask, mask_exact) = mask.unzip();
    let (found, launched) = launches(|| attention::<B>(found, mask, causal));
    assert!(launched <= most, "{launched} launches: {name} {sizes:?}");
    let expected = attention::<Cpu>(expected, mask_exact, causal);
    for (at, (found, expected)) in found.into_iter().zip(&expected).enumerate() {
        let error = error(found, expected);
        assert!(error < allowed(dtype), "{at} of {name} {sizes:?} {dtype:?}: {error}");
    }
}

const HEADS: [Sizes; 6] = [
    [2, 4, 4, 256, 256, 64, 64],
    [2, 4, 2, 200, 300, 64, 64],
    [1, 3, 3, 130, 70, 128, 128],
    [2, 2, 1, 5, 7, 8, 8],
    [1, 2, 2, 1, 500, 64, 64],
    [1, 2, 2, 77, 1, 32, 32],
];

#[test]
fn attention_is_that_of_the_library() {
    device::require();
    let _alone = ALONE.lock();
    for dtype in [DType::F16, DType::BF16] {
        for sizes in HEADS {
            // Few queries that are not causal have two kernels of ours.
            let most = if sizes[3] <= 5 { 2 } else { 0 };
            check("plain", sizes, dtype, None, false, most);
            check("causal", sizes, dtype, None, true, 0);
        }
    }
}

#[test]
fn masks_hide_and_add() {
    device::require();
    let _alone = ALONE.lock();
    let dtype = DType::BF16;
    for sizes in [HEADS[0], HEADS[1], HEADS[3]] {
        let [batch, heads, _, queries, keys, ..] = sizes;
        let shapes = [
            [batch, 1, 1, keys],
            [1, 1, queries, keys],
            [batch, heads, queries, keys],
            [1, heads, queries, 1],
        ];
        for shape in shapes {
            for causal in [false, true] {
                let mask = numbers(shape, dtype, 9);
                check(&format!("added {shape:?}"), sizes, dtype, Some(mask), causal, 20);
                // Every third key, and all keys of the first rows: what is hidden also comes first.
                let hide = |i: usize| if i.is_multiple_of(3) || i < 170 { f32::NEG_INFINITY } else { 0.25 };
                let values: Vec<f32> = (0..shape.iter().product()).map(hide).collect();
                let data = TensorData::new(&values, shape);
                let added = B::cast(B::from_data(data, &CudaDevice::default()), dtype);
                let added = (added.clone(), exact(added));
                let hidden = (is_hidden::<B>(&added.0), is_hidden::<Cpu>(&added.1));
                check(&format!("holes {shape:?} {causal}"), sizes, dtype, Some(added), causal, 20);
                check(&format!("hidden {shape:?} {causal}"), sizes, dtype, Some(hidden), causal, 20);
            }
        }
    }
}

#[test]
fn too_many_scores_are_made_in_parts() {
    device::require();
    let _alone = ALONE.lock();
    // 768 MiB of them: the batch is taken apart first, and then the heads that share a key.
    for (sizes, mask) in
        [([3, 4, 2, 4096, 4096, 8, 8], [3, 1, 1, 4096]), ([1, 12, 3, 4096, 4096, 8, 8], [1, 12, 1, 1])]
    {
        let mask = numbers(mask, DType::F32, 9);
        check("parts", sizes, DType::F32, Some(mask), true, 200);
    }
}

fn is_hidden<B: Backend>(mask: &B::Tensor) -> B::Tensor {
    B::compare_scalar(CompareOp::Equal, mask.clone(), Scalar::Float(f64::NEG_INFINITY))
}

#[test]
fn heads_lie_between_rows() {
    device::require();
    let _alone = ALONE.lock();
    // As projections leave them: rows, then heads.
    let turned = |seed| {
        let (x, exact) = numbers([2, 96, 4, 64], DType::BF16, seed);
        let axes = || Dims::from([0, 2, 1, 3]);
        (B::permute(x, axes()), Cpu::permute(exact, axes()))
    };
    let read = [1, 3, 5, 7].map(turned);
    let (found, expected) = (read.each_ref().map(|x| x.0.clone()), read.map(|x| x.1));
    let (found, launched) = launches(|| attention::<B>(found, None, false));
    assert_eq!(launched, 0);
    let expected = attention::<Cpu>(expected, None, false);
    found.into_iter().zip(&expected).for_each(|(found, expected)| assert!(error(found, expected) < 1.2e-2));
}
