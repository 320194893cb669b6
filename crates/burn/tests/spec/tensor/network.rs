//! The functions of `burn::tensor::module` against PyTorch (`scripts/network_fixtures.py`), their gradients
//! against PyTorch and central differences, and gradients of these.

use crate::expect::{exactly, nearly};
use crate::given::CPU;
use burn::backend::{Autodiff, NdArray};
use burn::tensor::backend::{AutodiffBackend, Backend};
use burn::tensor::module::*;
use burn::tensor::ops::{ConvOptions, PoolOptions};
use burn::tensor::{Bool, DynTensor, Int, Tensor, TensorData, TensorError};
use std::collections::BTreeMap;
use std::f64::consts::FRAC_1_SQRT_2;

type Plain = NdArray<f64>;
type Once = Autodiff<Plain>;
type Twice = Autodiff<Once>;

struct Case {
    inputs: BTreeMap<String, TensorData>,
    y: TensorData,
    grads: BTreeMap<String, TensorData>,
}

fn cases() -> BTreeMap<String, Case> {
    let data = |value: &serde_json::Value| {
        let list = |key: &str| value[key].as_array().expect("a list").iter();
        let values: Vec<f64> = list("values").map(|number| number.as_f64().expect("a number")).collect();
        let shape: Vec<usize> = list("shape").map(|size| size.as_u64().expect("a size") as usize).collect();
        match value["bool"].as_bool() {
            Some(true) => {
                TensorData::new(values.iter().map(|&value| value != 0.0).collect::<Vec<_>>(), shape)
            }
            _ => TensorData::new(values, shape),
        }
    };
    let tensors = |value: &serde_json::Value| {
        let object = value.as_object().expect("tensors by name");
        object.iter().map(|(name, value)| (name.clone(), data(value))).collect()
    };
    let all: serde_json::Value = serde_json::from_str(include_str!("network.json")).expect("the script's");
    let case = |value: &serde_json::Value| Case {
        inputs: tensors(&value["inputs"]),
        y: data(&value["y"]),
        grads: tensors(&value["grads"]),
    };
    all.as_object().expect("cases").iter().map(|(name, value)| (name.clone(), case(value))).collect()
}

/// Inputs by name.
struct Given<B: Backend> {
    floats: BTreeMap<String, DynTensor<B>>,
    bools: BTreeMap<String, DynTensor<B, Bool>>,
}

impl<B: Backend> Given<B> {
    fn new(inputs: &BTreeMap<String, TensorData>, float: impl Fn(&str, &TensorData) -> DynTensor<B>) -> Self {
        let is_bool = |data: &TensorData| data.dtype == burn::tensor::DType::Bool;
        let bools = inputs.iter().filter(|(_, data)| is_bool(data));
        let bools =
            bools.map(|(name, data)| (name.clone(), DynTensor::from_data(data.clone(), &Default::default())));
        let floats = inputs.iter().filter(|(_, data)| !is_bool(data));
        let floats = floats.map(|(name, data)| (name.clone(), float(name, data)));
        Given { floats: floats.collect(), bools: bools.collect() }
    }

    fn tensor<const D: usize>(&self, name: &str) -> Tensor<B, D> {
        self.floats[name].clone().into_rank()
    }
}

fn conv_options(stride: &[usize], padding: &[usize], dilation: &[usize], groups: usize) -> ConvOptions {
    ConvOptions { stride: stride.into(), padding: padding.into(), dilation: dilation.into(), groups }
}

fn transpose_options(
    [stride, padding, padding_out, dilation]: [&[usize]; 4],
    groups: usize,
) -> ConvTransposeOptions {
    ConvTransposeOptions {
        stride: stride.into(),
        padding: padding.into(),
        padding_out: padding_out.into(),
        dilation: dilation.into(),
        groups,
    }
}

fn pool_options([kernel, stride, padding, dilation]: [&[usize]; 4]) -> PoolOptions {
    PoolOptions {
        kernel: kernel.into(),
        stride: stride.into(),
        padding: padding.into(),
        dilation: dilation.into(),
    }
}

fn mode(name: &str) -> InterpolateMode {
    match name {
        "nearest" => InterpolateMode::Nearest,
        "nearest-exact" => InterpolateMode::NearestExact,
        "linear" | "bilinear" => InterpolateMode::Linear,
        "bicubic" => InterpolateMode::Cubic,
        "lanczos" => InterpolateMode::Lanczos,
        other => panic!("{other}"),
    }
}

/// The function that a case is named after, with the options of the script.
fn run<B: Backend>(name: &str, given: &Given<B>) -> DynTensor<B> {
    let bias = || given.floats.contains_key("bias").then(|| given.tensor::<1>("bias"));
    let weight = || Some(given.tensor::<1>("weight"));
    let windows = UnfoldOptions { kernel: [2, 3], stride: [2, 1], padding: [1, 0], dilation: [1, 2] };
    let ceil = || pool_options([&[3, 2], &[2, 3], &[1, 1], &[1, 1]]);
    let parts: Vec<&str> = name.split('_').collect();
    match (name, &parts[..]) {
        ("conv3d", _) => {
            let options = conv_options(&[1, 2, 1], &[1, 0, 1], &[1, 1, 2], 1);
            conv3d(given.tensor("x"), given.tensor("weight"), bias(), options).into()
        }
        ("conv_transpose1d", _) => {
            let options = transpose_options([&[3], &[1], &[2], &[2]], 1);
            conv_transpose1d(given.tensor("x"), given.tensor("weight"), bias(), options).into()
        }
        ("conv_transpose2d", _) => {
            let options = transpose_options([&[2, 1], &[1, 2], &[1, 0], &[1, 2]], 2);
            conv_transpose2d(given.tensor("x"), given.tensor("weight"), bias(), options).into()
        }
        ("conv_transpose3d", _) => {
            let options = transpose_options([&[1, 2, 2], &[0, 1, 0], &[0, 0, 0], &[1, 1, 1]], 1);
            conv_transpose3d(given.tensor("x"), given.tensor("weight"), None, options).into()
        }
        ("max_pool3d", _) => max_pool3d(given.tensor("x"), [2, 3, 2], [1, 2, 2], [1, 1, 0], [2, 1, 1]).into(),
        ("avg_pool3d", _) => avg_pool3d(given.tensor("x"), [2, 3, 2], [1, 2, 2], [1, 1, 0], true).into(),
        ("adaptive_avg_pool3d", _) => adaptive_avg_pool3d(given.tensor("x"), [2, 3, 1]).into(),
        ("adaptive_max_pool1d", _) => adaptive_max_pool1d(given.tensor("x"), 3).into(),
        ("adaptive_max_pool2d", _) => adaptive_max_pool2d(given.tensor("x"), [3, 5]).into(),
        ("max_pool_ceil", _) => {
            let options = pool_options([&[3, 2], &[2, 3], &[1, 0], &[1, 1]]);
            max_pool_ceil(given.tensor::<4>("x"), options).into()
        }
        ("max_pool_ceil_dilated", _) => {
            max_pool_ceil(given.tensor::<3>("x"), pool_options([&[2], &[3], &[1], &[2]])).into()
        }
        ("avg_pool_ceil", _) => avg_pool_ceil(given.tensor::<4>("x"), ceil(), true).into(),
        ("avg_pool_ceil_without_pad", _) => avg_pool_ceil(given.tensor::<4>("x"), ceil(), false).into(),
        ("unfold4d", _) => unfold4d(given.tensor("x"), windows).into(),
        ("fold4d", _) => fold4d(given.tensor("x"), [4, 6], windows).into(),
        (_, ["interpolate1d", kind, rest @ ..]) => {
            let size = if rest.is_empty() { 7 } else { 3 };
            interpolate1d(given.tensor("x"), [size], InterpolateOptions::new(mode(kind))).into()
        }
        ("interpolate2d_nearest_scale", _) => {
            let options = InterpolateOptions::new(InterpolateMode::Nearest);
            interpolate2d(given.tensor("x"), [1.75, 0.5], options).into()
        }
        ("interpolate2d_one", _) => {
            let options = InterpolateOptions::new(InterpolateMode::Linear).with_align_corners(true);
            interpolate2d(given.tensor("x"), [1, 4], options).into()
        }
        ("interpolate2d_lanczos", _) => {
            interpolate2d(given.tensor("x"), [9, 3], InterpolateOptions::new(InterpolateMode::Lanczos)).into()
        }
        (_, ["interpolate2d", kind, "scale"]) => {
            interpolate2d(given.tensor("x"), [1.7, 0.6], InterpolateOptions::new(mode(kind))).into()
        }
        (_, ["interpolate2d", kind, corners]) => {
            let options = InterpolateOptions::new(mode(kind)).with_align_corners(*corners == "True");
            interpolate2d(given.tensor("x"), [5, 3], options).into()
        }
        (_, ["grid", "sample", mode, padding, corners]) => {
            let options = GridSampleOptions {
                mode: match *mode {
                    "nearest" => GridSampleMode::Nearest,
                    _ => GridSampleMode::Bilinear,
                },
                padding: match *padding {
                    "border" => GridSamplePadding::Border,
                    "reflection" => GridSamplePadding::Reflection,
                    _ => GridSamplePadding::Zeros,
                },
                align_corners: *corners == "True",
            };
            grid_sample_2d(given.tensor("x"), given.tensor("grid"), options).into()
        }
        (_, ["affine", "grid", corners]) => {
            affine_grid(given.tensor("theta"), [2, 1, 3, 2], *corners == "True").into()
        }
        (_, ["deform", "conv2d", rest @ ..]) => {
            let options = match rest {
                [] => conv_options(&[2, 1], &[1, 0], &[1, 2], 2),
                _ => conv_options(&[1, 1], &[1, 1], &[1, 1], 1),
            };
            let mask = rest.is_empty().then(|| given.tensor("mask"));
            let (x, offset, weight) = (given.tensor("x"), given.tensor("offset"), given.tensor("weight"));
            deform_conv2d(x, offset, weight, mask, bias(), options).into()
        }
        (_, ["attention", rest @ ..]) => {
            let options = match rest {
                ["causal"] => AttentionOptions { causal: true, scale: Some(0.3) },
                _ => AttentionOptions::default(),
            };
            let mask = match rest {
                ["hidden"] => Some(AttentionMask::from(given.bools["mask"].clone().into_rank::<4>())),
                ["added"] => Some(AttentionMask::from(given.tensor::<4>("mask"))),
                _ => None,
            };
            attention(given.tensor("q"), given.tensor("k"), given.tensor("v"), mask, options).into()
        }
        ("layer_norm", _) => layer_norm(given.tensor::<3>("x"), weight(), bias(), 1e-5).into(),
        ("rms_norm", _) => rms_norm(given.tensor::<3>("x"), weight(), 1e-5).into(),
        ("group_norm", _) => group_norm(given.tensor::<4>("x"), 2, weight(), bias(), 1e-5).into(),
        ("instance_norm", _) => instance_norm(given.tensor::<3>("x"), weight(), bias(), 1e-5).into(),
        ("batch_norm", _) => {
            let (mean, variance) = (given.tensor("mean"), given.tensor("variance"));
            batch_norm(given.tensor::<4>("x"), mean, variance, weight(), bias(), 1e-5).into()
        }
        (_, ["local", "response", "norm", size]) => {
            let size = size.parse().expect("a size");
            local_response_norm(given.tensor::<4>("x"), size, 0.5, 0.75, 1.5).into()
        }
        (other, _) => panic!("no function for {other}"),
    }
}

/// `sum(y * cos(0, 1, 2, ..))`, of rank 1.
fn loss<B: Backend>(y: DynTensor<B>) -> DynTensor<B> {
    let count = y.shape().num_elements();
    let weights: Vec<f64> = (0..count).map(|at| (at as f64).cos()).collect();
    let weights = DynTensor::from_data(TensorData::new(weights, y.shape()), &Default::default());
    let axes = y.all_axes();
    (y * weights).sum_dims(&axes, false).unsqueeze_dim(0)
}

fn leaf<B: AutodiffBackend>(x: DynTensor<B::InnerBackend>) -> DynTensor<B> {
    DynTensor::from_handle(B::set_require_grad(B::from_inner(x.into_handle()), true))
}

fn gradients<B: AutodiffBackend>(
    name: &str,
    given: &Given<B>,
) -> BTreeMap<String, DynTensor<B::InnerBackend>> {
    let grads = B::backward(loss(run(name, given)).into_handle()).expect("tracked");
    let own = |x: &DynTensor<B>| B::grad(x.handle(), &grads).map(DynTensor::from_handle);
    given.floats.iter().filter_map(|(name, x)| Some((name.clone(), own(x)?))).collect()
}

/// A direction that is no axis, different for every input.
fn direction(name: &str, data: &TensorData) -> Vec<f64> {
    let seed = name.bytes().map(f64::from).sum::<f64>();
    (0..data.shape.num_elements()).map(|at| (seed + 1.7 * at as f64).sin()).collect()
}

fn moved(inputs: &BTreeMap<String, TensorData>, step: f64) -> BTreeMap<String, TensorData> {
    let move_one = |(name, data): (&String, &TensorData)| {
        if data.dtype == burn::tensor::DType::Bool {
            return (name.clone(), data.clone());
        }
        let along = direction(name, data);
        let values = data.to_f64().into_iter().zip(along).map(|(x, d)| x + step * d);
        (name.clone(), TensorData::new(values.collect::<Vec<_>>(), data.shape.clone()))
    };
    inputs.iter().map(move_one).collect()
}

fn on<B: Backend>(data: &TensorData) -> DynTensor<B> {
    DynTensor::from_data(data.clone(), &Default::default())
}

#[track_caller]
fn close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let error = (found - expected).abs();
        assert!(error <= tolerance * (1.0 + expected.abs()), "{what}: {found} and {expected}");
    }
}

fn first_order(name: &str, inputs: &BTreeMap<String, TensorData>) -> BTreeMap<String, Vec<f64>> {
    let given = Given::<Once>::new(inputs, |_, data| leaf::<Once>(on(data)));
    let grads = gradients(name, &given);
    grads.into_iter().map(|(input, grad)| (input, grad.into_data().to_f64())).collect()
}

#[test]
fn functions_of_networks_are_those_of_pytorch() {
    for (name, case) in cases() {
        let y = run(&name, &Given::<Plain>::new(&case.inputs, |_, data| on(data))).into_data();
        assert_eq!(y.shape, case.y.shape, "{name}");
        close(&y.to_f64(), &case.y.to_f64(), 1e-11, &name);
    }
}

#[test]
fn functions_of_networks_have_the_gradients_of_pytorch() {
    for (name, case) in cases() {
        let grads = first_order(&name, &case.inputs);
        for (input, expected) in &case.grads {
            let what = format!("{name} by {input}");
            // An input that nothing depends on has a gradient of zeros in PyTorch, or none.
            let zeros = || vec![0.0; expected.shape.num_elements()];
            close(&grads.get(input).cloned().unwrap_or_else(zeros), &expected.to_f64(), 1e-10, &what);
        }
    }
}

#[test]
fn functions_of_networks_change_as_their_gradients_say() {
    const STEP: f64 = 1e-6;
    for (name, case) in cases() {
        let value = |step| {
            let given = Given::<Plain>::new(&moved(&case.inputs, step), |_, data| on(data));
            loss(run(&name, &given)).into_data().to_f64()[0]
        };
        let difference = (value(STEP) - value(-STEP)) / (2.0 * STEP);
        let grads = first_order(&name, &case.inputs);
        let dot = |(input, grad): (&String, &Vec<f64>)| -> f64 {
            grad.iter().zip(direction(input, &case.inputs[input])).map(|(g, d)| g * d).sum()
        };
        close(&[grads.iter().map(dot).sum()], &[difference], 1e-6, &name);
    }
}

#[test]
fn functions_of_networks_have_second_derivatives() {
    const STEP: f64 = 1e-6;
    for (name, case) in cases() {
        // The gradient of the gradient along the direction, by every input.
        let inner: BTreeMap<String, DynTensor<Once>> = case
            .inputs
            .iter()
            .filter(|(_, data)| data.dtype != burn::tensor::DType::Bool)
            .map(|(input, data)| (input.clone(), leaf::<Once>(on(data))))
            .collect();
        let given = Given::<Twice>::new(&case.inputs, |input, _| leaf::<Twice>(inner[input].clone()));
        let grads = gradients::<Twice>(&name, &given);
        let mut slope: Option<DynTensor<Once>> = None;
        for (input, grad) in grads {
            let along = TensorData::new(direction(&input, &case.inputs[&input]), grad.shape());
            let axes = grad.all_axes();
            let part = (grad * on(&along)).sum_dims(&axes, false).unsqueeze_dim(0);
            slope = Some(slope.map_or(part.clone(), |sum| sum + part));
        }
        let slope = slope.expect("an input").into_handle();
        // Linear functions have a gradient that depends on nothing.
        let tracked = slope.node.is_some();
        let seconds = tracked.then(|| Once::backward(slope).expect("tracked"));
        let (above, below) = (moved(&case.inputs, STEP), moved(&case.inputs, -STEP));
        let (above, below) = (first_order(&name, &above), first_order(&name, &below));
        for (input, x) in &inner {
            let second = seconds.as_ref().and_then(|seconds| Once::grad(x.handle(), seconds));
            let count = x.shape().num_elements();
            let second =
                second.map_or(vec![0.0; count], |x| DynTensor::<Plain>::from_handle(x).into_data().to_f64());
            let Some(above) = above.get(input) else { continue };
            let difference = above.iter().zip(&below[input]).map(|(a, b)| (a - b) / (2.0 * STEP));
            close(&second, &difference.collect::<Vec<_>>(), 1e-5, &format!("{name} by {input}, twice"));
        }
    }
}

#[test]
fn x_014_grids_read_images_where_they_point() {
    let image = Tensor::<NdArray, 4>::from_data([[[[1.0, 2.0], [3.0, 4.0]]]], CPU);
    let mirror = Tensor::<NdArray, 3>::from_data([[[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]], CPU);
    let grid = affine_grid(mirror, image.dims(), false);
    nearly(
        grid_sample_2d(image.clone(), grid.clone(), GridSampleOptions::default()),
        [[[[2.0, 1.0], [4.0, 3.0]]]],
    );
    let error = try_grid_sample_2d(image.clone(), grid.clone().repeat_dim(0, 2), Default::default());
    assert!(error.expect_err("two grids, one image").to_string().contains("grid_sample_2d"));
    assert!(try_affine_grid(Tensor::<NdArray, 3>::zeros([1, 3, 2], CPU), image.dims(), true).is_err());
    // Points outside of the image read zero, and a NaN coordinate does not read out of bounds.
    let away = grid.full_like(f64::MAX);
    exactly(grid_sample_2d(image.clone(), away, GridSampleOptions::default()), [[[[0.0, 0.0], [0.0, 0.0]]]]);
    let nowhere = grid.full_like(f64::NAN);
    assert_eq!(grid_sample_2d(image, nowhere, GridSampleOptions::default()).dims(), [1, 1, 2, 2]);
}

#[test]
fn attention_of_a_query_without_keys_is_zero() {
    let x = Tensor::<Once, 4>::from_data([[[[1.0, 2.0], [3.0, -1.0]]]], CPU).require_grad();
    let hidden = Tensor::<Once, 4, Bool>::from_data([[[[true, true], [false, true]]]], CPU);
    let y = attention(x.clone(), x.clone(), x.clone(), Some(hidden.into()), AttentionOptions::default());
    exactly(y.clone(), [[[[0.0, 0.0], [1.0, 2.0]]]]);
    let gradients = y.sum().backward();
    // Only the value of the first key is seen, once.
    exactly(x.grad(&gradients).expect("tracked"), [[[[1.0, 1.0], [0.0, 0.0]]]]);
    let added = Tensor::<Plain, 4>::from_data([[[[f64::NEG_INFINITY, f64::NEG_INFINITY], [0.0, 0.0]]]], CPU);
    let x = Tensor::<Plain, 4>::from_data([[[[1.0, 2.0], [1.0, 2.0]]]], CPU);
    let y = attention(x.clone(), x.clone(), x, Some(added.into()), AttentionOptions::default());
    nearly(y, [[[[0.0, 0.0], [1.0, 2.0]]]]);
}

#[test]
fn attention_is_causal_from_the_first_key() {
    let x = Tensor::<Plain, 4>::from_data([[[[1.0], [0.0]]]], CPU);
    let v = Tensor::<Plain, 4>::from_data([[[[1.0], [3.0]]]], CPU);
    let options = AttentionOptions { causal: true, scale: Some(FRAC_1_SQRT_2) };
    // The second query is 0: it looks at both keys alike.
    nearly(attention(x.clone(), x, v, None, options), [[[[1.0], [2.0]]]]);
}

#[test]
fn deform_conv2d_without_offsets_is_a_convolution() {
    let values = |count: usize| (0..count).map(|at| (at as f64 * 1.3).sin()).collect::<Vec<_>>();
    let x = Tensor::<Plain, 4>::from_data(TensorData::new(values(32), [1, 2, 4, 4]), CPU);
    let weight = Tensor::<Plain, 4>::from_data(TensorData::new(values(54), [3, 2, 3, 3]), CPU);
    let options = conv_options(&[1, 1], &[1, 1], &[1, 1], 1);
    let expected = conv2d(x.clone(), weight.clone(), None, options.clone()).into_data();
    let offset = Tensor::zeros([1, 18, 4, 4], CPU);
    nearly(deform_conv2d(x, offset, weight, None, None, options), expected);
}

#[test]
fn fold4d_counts_the_windows_of_each_pixel() {
    let options = UnfoldOptions::new([2, 2]);
    let ones = Tensor::<Plain, 4, Int>::ones([1, 1, 3, 3], CPU);
    let counts = fold4d(unfold4d(ones, options), [3, 3], options);
    exactly(counts, [[[[1, 2, 1], [2, 4, 2], [1, 2, 1]]]]);
}

#[test]
fn functions_of_networks_name_what_does_not_fit() {
    let zeros = |shape: [usize; 4]| Tensor::<Plain, 4>::zeros(shape, CPU);
    let vector = Tensor::<Plain, 1>::zeros([3], CPU);
    let x = zeros([1, 2, 4, 4]);
    let linear = InterpolateOptions::new(InterpolateMode::Linear);
    let transpose =
        |stride: usize, out: usize| transpose_options([&[stride; 2], &[0; 2], &[out; 2], &[1; 2]], 1);
    let short = transpose_options([&[1], &[0], &[0], &[1]], 1);
    let windows = UnfoldOptions::new([5, 5]);
    let conv = || conv_options(&[1, 1], &[0, 0], &[1, 1], 1);
    let attend = |q: [usize; 4], k: [usize; 4], v: [usize; 4]| {
        try_attention(zeros(q), zeros(k), zeros(v), None, AttentionOptions::default())
    };
    let error = |result: Result<Tensor<Plain, 4>, TensorError>| result.expect_err("does not fit").to_string();
    for (message, part) in [
        (error(try_interpolate2d(x.clone(), [0, 1], linear)), "interpolate2d"),
        (error(try_interpolate2d(x.clone(), [usize::MAX, 2], linear)), "interpolate2d"),
        (error(try_interpolate2d(x.clone(), [f64::INFINITY, 2.0], linear)), "interpolate2d"),
        (error(try_interpolate2d(x.clone(), [f64::NAN, 2.0], linear)), "interpolate2d"),
        (
            error(try_conv_transpose2d(x.clone(), zeros([3, 1, 2, 2]), None, transpose(1, 0))),
            "conv_transpose2d",
        ),
        (error(try_conv_transpose2d(x.clone(), zeros([2, 1, 2, 2]), None, transpose(1, 1))), "padding_out"),
        (
            error(try_conv_transpose2d(x.clone(), zeros([2, 1, 2, 2]), None, transpose(usize::MAX, 0))),
            "leave nothing",
        ),
        (error(try_conv_transpose2d(x.clone(), zeros([2, 1, 2, 2]), None, short)), "2 dimensions"),
        (
            error(try_conv_transpose2d(
                x.clone(),
                zeros([2, 1, 2, 2]),
                Some(vector.clone()),
                transpose(1, 0),
            )),
            "3 numbers of bias for 1 channels",
        ),
        (error(x.clone().try_conv_transpose(zeros([2, 1, 2, 2]), [1, 1, 9, 9], conv())), "conv_transpose"),
        (error(try_adaptive_max_pool2d(zeros([1, 1, 0, 1]), [1, 1])), "empty"),
        (error(try_max_pool_ceil(x.clone(), pool_options([&[9, 9], &[1, 1], &[0, 0], &[1, 1]]))), "larger"),
        (error(try_fold4d(Tensor::zeros([1, 5, 9], CPU), [4, 4], UnfoldOptions::new([2, 2]))), "columns"),
        (error(try_deform_conv2d(x.clone(), x.clone(), zeros([1, 2, 2, 2]), None, None, conv())), "offsets"),
        (error(attend([1, 3, 2, 2], [1, 2, 2, 2], [1, 2, 2, 2])), "do not fit"),
        (error(attend([1, 2, 2, 2], [1, 2, 2, 3], [1, 2, 2, 2])), "do not fit"),
        (error(try_layer_norm(x.clone(), Some(vector.clone()), None, 1e-5)), "3 numbers for dimension 3"),
        (error(try_group_norm(x.clone(), 3, None, None, 1e-5)), "3 groups of the 2 channels"),
        (error(try_local_response_norm(x.clone(), 0, 1.0, 1.0, 1.0)), "local_response_norm"),
        (try_unfold4d(x, windows).expect_err("too large").to_string(), "larger than the padded input"),
    ] {
        assert!(message.contains(part), "{part}: {message}");
        assert!(message.contains(file!()), "the line of the program: {message}");
    }
}

/// `out[i stride + k dilation - padding] += x[i] weight[k]`, with `padding_out` more elements at the end.
fn transposed(x: &[f64], weight: &[f64], [stride, padding, padding_out, dilation]: [usize; 4]) -> Vec<f64> {
    let whole = (x.len() - 1) * stride + (weight.len() - 1) * dilation + 1 + padding_out;
    let mut out = vec![0.0; whole];
    for (i, x) in x.iter().enumerate() {
        weight.iter().enumerate().for_each(|(k, weight)| out[i * stride + k * dilation] += x * weight);
    }
    out[padding..whole - padding].to_vec()
}

/// PyTorch asks for an output padding below the stride or the dilation.
#[test]
fn conv_transpose_output_padding_may_be_below_the_stride_or_the_dilation() {
    let mut count = 0;
    let values = |count: usize| (0..count).map(|at| (at as f64 * 1.3).cos()).collect::<Vec<_>>();
    let steps = |from: usize| from..from + 3;
    for (stride, dilation) in steps(1).flat_map(|stride| steps(1).map(move |dilation| (stride, dilation))) {
        for (padding, padding_out) in (0..4).flat_map(|p| (0..stride.max(dilation)).map(move |out| (p, out)))
        {
            for (size, kernel) in [(1, 3), (3, 2), (4, 3)] {
                if (size - 1) * stride + (kernel - 1) * dilation + padding_out < 2 * padding {
                    continue;
                }
                count += usize::from(padding_out >= stride);
                let (x, weight): (Vec<f64>, Vec<f64>) = (values(size), values(kernel));
                let expected = transposed(&x, &weight, [stride, padding, padding_out, dilation]);
                let floats = |list: &[f64], shape: &[usize]| TensorData::new(list, shape.to_vec());
                let options = |rank: usize| {
                    let with = |usual: usize, last: usize| [vec![usual; rank - 1], vec![last]].concat();
                    transpose_options(
                        [&with(1, stride), &with(0, padding), &with(0, padding_out), &with(1, dilation)],
                        1,
                    )
                };
                let bias = || Some(Tensor::<Plain, 1>::from_data([0.5], CPU));
                let expected: Vec<f64> = expected.into_iter().map(|x| x + 0.5).collect();
                let len = expected.len();
                let (x1, w1) = (floats(&x, &[1, 1, size]), floats(&weight, &[1, 1, kernel]));
                let y = conv_transpose1d(
                    Tensor::from_data(x1, CPU),
                    Tensor::from_data(w1, CPU),
                    bias(),
                    options(1),
                );
                nearly(y, floats(&expected, &[1, 1, len]));
                let (x2, w2) = (floats(&x, &[1, 1, 1, size]), floats(&weight, &[1, 1, 1, kernel]));
                let y = conv_transpose2d(
                    Tensor::from_data(x2, CPU),
                    Tensor::from_data(w2, CPU),
                    bias(),
                    options(2),
                );
                nearly(y, floats(&expected, &[1, 1, 1, len]));
                let (x3, w3) = (floats(&x, &[1, 1, 1, 1, size]), floats(&weight, &[1, 1, 1, 1, kernel]));
                let y = conv_transpose3d(
                    Tensor::from_data(x3, CPU),
                    Tensor::from_data(w3, CPU),
                    bias(),
                    options(3),
                );
                nearly(y, floats(&expected, &[1, 1, 1, 1, len]));
            }
        }
    }
    assert!(count > 20, "{count} beyond the stride");
}
