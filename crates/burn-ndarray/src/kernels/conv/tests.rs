//! Convolutions of few results and of single channels beside their definition in f64.

use super::{conv_with, few_results, geometry::Geometry, padded_plane};
use crate::kernels::bounds::Bounds;
use crate::miri::shrink;
use crate::tensor::NdTensor;
use alloc::{vec, vec::Vec};
use burn_backend::{ConvArgs, ConvOptions, DType, Dims, Shape, TensorSpec};

fn numbers(shape: Shape, seed: usize) -> NdTensor {
    let number = |i: usize| ((i * 7919 + seed * 104_729) % 1013) as f32 / 506.0 - 1.0;
    NdTensor::with::<f32>(TensorSpec { shape, dtype: DType::F32 }, |xs| {
        xs.iter_mut().enumerate().for_each(|(i, x)| *x = number(i));
    })
}

/// The results of two spatial dimensions by their definition.
fn expected(args: &ConvArgs<NdTensor>, out: &Shape, residual: Option<&NdTensor>) -> Vec<f64> {
    let ([x, weight], options) = ([&args.x, &args.weight], &args.options);
    let (shape, kernel) = (x.shape(), weight.shape());
    let rows = out[1] / options.groups;
    let place = |at: usize| {
        let (n, o) = (at / (out[1] * out[2] * out[3]), at / (out[2] * out[3]) % out[1]);
        let at_out = [at / out[3] % out[2], at % out[3]];
        let mut sum = args.bias.as_ref().map_or(0.0, |bias| f64::from(bias.slice::<f32>()[o]));
        for channel in 0..kernel[1] {
            for tap in 0..kernel[2] * kernel[3] {
                let taps = [tap / kernel[3], tap % kernel[3]];
                let element: [usize; 2] = core::array::from_fn(|d| {
                    (at_out[d] * options.stride[d] + taps[d] * options.dilation[d])
                        .wrapping_sub(options.padding[d])
                });
                if element[0] < shape[2] && element[1] < shape[3] {
                    let plane = n * shape[1] + o / rows * kernel[1] + channel;
                    let x = x.slice::<f32>()[(plane * shape[2] + element[0]) * shape[3] + element[1]];
                    let weight = (o * kernel[1] + channel) * kernel[2] * kernel[3] + tap;
                    sum += f64::from(x) * f64::from(args.weight.slice::<f32>()[weight]);
                }
            }
        }
        sum + residual.map_or(0.0, |residual| f64::from(residual.slice::<f32>()[at]))
    };
    (0..out.num_elements()).map(place).collect()
}

/// Draws convolutions, and compares those that `suits` takes: so many at least.
fn check(
    suits: fn(&Geometry) -> bool,
    channels: impl Fn(&mut dyn FnMut(usize, usize) -> usize) -> [usize; 3],
    least: usize,
) {
    let (mut state, mut count) = (5_u64, 0);
    let mut draw = |least: usize, most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        least + (state >> 33) as usize % (most + 1 - least)
    };
    for n in 0..shrink(800, 16) {
        let [groups, group_in, group_out] = channels(&mut draw);
        let input = [draw(1, 9), draw(1, shrink(40, 12))];
        let kernel = [draw(1, 6), draw(1, 7)];
        let pair = |d: [usize; 2]| Dims::from(&d[..]);
        let stride = if n % 3 == 0 { [draw(1, 3), draw(1, 3)] } else { [draw(1, 2); 2] };
        let dilation = if n % 4 == 0 { [draw(1, 2), draw(1, 2)] } else { [1; 2] };
        // The sides of every fourth differ.
        let mut padding = vec![draw(0, 4), draw(0, 4)];
        if n % 4 == 1 {
            padding.extend([n % 5, n % 3]);
        }
        let padding = Dims::from(&padding[..]);
        let options = ConvOptions { stride: pair(stride), padding, dilation: pair(dilation), groups };
        let sizes = [0, 1].map(|d| options.output_size(d, input[d], kernel[d]));
        let [Some(height), Some(width)] = sizes else { continue };
        let batch = draw(1, 3);
        let x = Shape::from([batch, groups * group_in, input[0], input[1]]);
        let weight = Shape::from([groups * group_out, group_in, kernel[0], kernel[1]]);
        let out = Shape::from([batch, groups * group_out, height, width]);
        if !suits(&Geometry::new(&x, &weight, &out, &options)) {
            continue;
        }
        count += 1;
        let bias = (n % 5 > 0).then(|| numbers(Shape::from([groups * group_out]), 3));
        let residual = (n % 2 > 0).then(|| numbers(out.clone(), 4));
        let args = ConvArgs { x: numbers(x, 1), weight: numbers(weight, 2), bias, options };
        let wanted = expected(&args, &out, residual.as_ref());
        let found = conv_with(args.clone(), out, residual.as_ref(), Some(Bounds::NONE));
        for (at, (found, wanted)) in found.slice::<f32>().iter().zip(wanted).enumerate() {
            assert!(
                (f64::from(*found) - wanted).abs() < 1e-4,
                "{args:?}: element {at} is {found}, not {wanted}"
            );
        }
    }
    assert!(count >= least, "{count} of the convolutions are computed so");
}

#[test]
fn planes_of_few_results_are_those_of_f64() {
    let channels = |draw: &mut dyn FnMut(usize, usize) -> usize| [draw(1, 2), draw(1, 9), draw(3, 11)];
    check(few_results::suits, channels, shrink(40, 1));
}

#[test]
fn single_channels_are_those_of_f64() {
    let channels = |draw: &mut dyn FnMut(usize, usize) -> usize| [draw(2, 5), 1, 1];
    check(padded_plane::suits, channels, shrink(100, 1));
}
