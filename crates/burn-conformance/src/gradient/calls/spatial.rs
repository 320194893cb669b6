//! Calls of convolutions, interpolation and pools.

use super::call::{Call, call, positive, x};
use crate::Family;
use burn_backend::*;

pub fn conv(family: Family) -> Vec<Call> {
    let options = |list: [&[usize]; 3], groups| {
        let [stride, padding, dilation] = list.map(Dims::from);
        ConvOptions { stride, padding, dilation, groups }
    };
    let geometries: [(Shape, Shape, ConvOptions); 4] = [
        ([2, 2, 5].into(), [3, 2, 3].into(), options([&[1], &[1], &[1]], 1)),
        ([1, 4, 5, 4].into(), [2, 2, 2, 3].into(), options([&[2, 1], &[1, 1], &[2, 1]], 2)),
        ([1, 2, 4, 4].into(), [2, 1, 3, 3].into(), options([&[1, 1], &[1, 1], &[1, 1]], 2)),
        ([1, 1, 3, 2, 3].into(), [2, 1, 2, 2, 2].into(), options([&[1, 1, 2], &[0, 0, 1], &[1, 1, 1]], 1)),
    ];
    let op = |(shape, weight, options): (Shape, Shape, ConvOptions)| {
        let size = |d: usize| options.output_size(d, shape[d + 2], weight[d + 2]).expect("the kernel fits");
        let out: Shape =
            [shape[0], weight[0]].into_iter().chain((0..options.stride.len()).map(size)).collect();
        let name = format!("{shape:?} {weight:?}");
        let op = match family {
            Family::Conv => {
                let bias = Some(x([weight[0]]));
                Operation::Convolution(Convolution::Conv(Box::new(ConvArgs {
                    x: x(shape),
                    weight: positive(weight),
                    bias,
                    options,
                })))
            }
            Family::ConvTranspose => {
                let (grad, other, target) = (x(out), positive(weight), shape);
                Operation::Convolution(Convolution::ConvTranspose(Box::new(ConvGradArgs {
                    grad,
                    other,
                    target,
                    options,
                })))
            }
            _ => {
                let (grad, other, target) = (positive(out), x(shape), weight);
                Operation::Convolution(Convolution::ConvWeightGrad(Box::new(ConvGradArgs {
                    grad,
                    other,
                    target,
                    options,
                })))
            }
        };
        call(name, op)
    };
    geometries.map(op).into()
}

pub fn interpolate(family: Family) -> Vec<Call> {
    let sizes: [(Shape, Dims); 3] = [
        ([1, 2, 3].into(), [5].into()),
        ([1, 1, 3, 4].into(), [5, 2].into()),
        ([1, 1, 4, 2].into(), [3, 5].into()),
    ];
    let of = |mode: InterpolateMode| {
        sizes.clone().map(|(shape, size)| {
            let options = Box::new(Interpolation { mode, align_corners: false, factors: vec![] });
            let op = if family == Family::Interpolate {
                Operation::Resize(Resize::Interpolate { x: x(shape), size, options })
            } else {
                let grad: Shape = shape[..2].iter().chain(size.iter()).copied().collect();
                Operation::Resize(Resize::InterpolateGrad { grad: x(grad), target: shape, options })
            };
            call(format!("{mode:?}"), op)
        })
    };
    InterpolateMode::ALL.into_iter().flat_map(of).collect()
}

pub fn pool(family: Family) -> Vec<Call> {
    let adaptive: [(Shape, Dims); 2] = [([1, 2, 5].into(), [3].into()), ([1, 1, 4, 5].into(), [2, 3].into())];
    if family == Family::AdaptiveAvgPool {
        let op = |(shape, size): (Shape, Dims)| {
            call("", Operation::Pooling(Pooling::AdaptiveAvgPool { x: x(shape), size }))
        };
        return adaptive.map(op).into();
    }
    if family == Family::AdaptiveAvgPoolGrad {
        let op = |(target, size): (Shape, Dims)| {
            let shape: Shape = target[..2].iter().chain(size.iter()).copied().collect();
            call("", Operation::Pooling(Pooling::AdaptiveAvgPoolGrad { grad: x(shape), target }))
        };
        return adaptive.map(op).into();
    }
    let options = |list: [&[usize]; 4]| {
        let [kernel, stride, padding, dilation] = list.map(Dims::from);
        PoolOptions { kernel, stride, padding, dilation }
    };
    let geometries: [(Shape, PoolOptions); 3] = [
        ([1, 2, 6].into(), options([&[3], &[2], &[1], &[1]])),
        ([1, 1, 4, 5].into(), options([&[2, 2], &[1, 2], &[0, 1], &[1, 1]])),
        ([1, 1, 5, 5].into(), options([&[2, 2], &[2, 1], &[0, 0], &[2, 1]])),
    ];
    let mut calls = Vec::new();
    for (shape, options) in geometries {
        if family == Family::MaxPoolWithIndices {
            let op = Operation::Pooling(Pooling::MaxPoolWithIndices {
                x: x(shape),
                options: Box::new(options),
                index: DType::I64,
            });
            calls.push(call("", op));
            continue;
        }
        let size = |d: usize| options.output_size(d, shape[d + 2]).expect("a window fits");
        let out: Shape = shape[..2].iter().copied().chain((0..options.kernel.len()).map(size)).collect();
        for kind in PoolKind::ALL {
            let options = options.clone();
            let op = if family == Family::Pool {
                Operation::Pooling(Pooling::Pool(Box::new(PoolArgs { kind, x: x(&shape), options })))
            } else {
                let input = (kind == PoolKind::Max).then(|| x(&shape));
                let (grad, target) = (positive(&out), shape.clone());
                Operation::Pooling(Pooling::PoolGrad(Box::new(PoolGradArgs {
                    kind,
                    grad,
                    x: input,
                    target,
                    options,
                })))
            };
            calls.push(call(format!("{kind:?}"), op));
        }
    }
    calls
}
