use super::pair::*;
use burn_backend::*;

fn dims(list: &[usize]) -> Dims {
    Dims::from(list)
}

#[test]
fn matmul() {
    for dtype in shared_dtypes().filter(|&dtype| dtype != DType::Bool) {
        for layout in LAYOUTS {
            let shapes: [(&[usize], &[usize]); 7] = [
                (&[3, 4], &[4, 5]),
                (&[1, 20], &[20, 9]),
                (&[17, 33], &[33, 1]),
                (&[2, 3, 4], &[4, 5]),
                (&[3, 4], &[6, 4, 5]),
                (&[5, 1, 3, 4], &[2, 4, 5]),
                (&[7, 3, 4], &[7, 4, 2]),
            ];
            for (lhs, rhs) in shapes {
                let (lhs, rhs) =
                    (tensor(lhs, dtype, (0.0, 2.0), layout), tensor(rhs, dtype, (0.0, 2.0), layout));
                check(Operation::Linalg(Linalg::Matmul { lhs, rhs }));
            }
        }
    }
}

/// Input, weight, groups; stride, padding, dilation.
type Conv = (&'static [usize], &'static [usize], usize, [&'static [usize]; 3]);

const CONVS: [Conv; 9] = [
    (&[2, 3, 9], &[4, 3, 3], 1, [&[2], &[1], &[1]]),
    (&[2, 3, 8, 7], &[5, 3, 3, 2], 1, [&[1, 1], &[0, 0], &[1, 1]]),
    (&[3, 4, 8, 9], &[6, 2, 3, 3], 2, [&[2, 1], &[1, 2], &[1, 2]]),
    (&[2, 6, 6, 6], &[6, 1, 3, 3], 6, [&[1, 1], &[1, 1], &[1, 1]]),
    (&[2, 6, 7, 6], &[12, 1, 3, 2], 6, [&[2, 2], &[1, 0], &[1, 1]]),
    (&[2, 4, 5, 5], &[3, 4, 1, 1], 1, [&[1, 1], &[0, 0], &[1, 1]]),
    (&[2, 4, 5, 5], &[3, 4, 1, 1], 1, [&[2, 2], &[1, 1], &[1, 1]]),
    (&[1, 2, 5, 4, 6], &[3, 2, 2, 3, 2], 1, [&[1, 2, 1], &[1, 1, 0], &[1, 1, 2]]),
    (&[1, 2, 3, 2], &[3, 2, 2, 2], 1, [&[1, 1], &[3, 3], &[2, 1]]),
];

#[test]
fn conv() {
    for dtype in [DType::F64, DType::F32, DType::I32] {
        for layout in LAYOUTS {
            CONVS.into_iter().for_each(|case| check_conv(case, dtype, layout));
        }
    }
}

fn check_conv((x, weight, groups, [stride, padding, dilation]): Conv, dtype: DType, layout: MemoryLayout) {
    let options =
        ConvOptions { stride: dims(stride), padding: dims(padding), dilation: dims(dilation), groups };
    let numbers = |shape: &[usize]| tensor(shape, dtype, (-3.0, 3.0), layout);
    let (x, bias, weight) = (numbers(x), numbers(&[weight[0]]), numbers(weight));
    let forward = |bias| ConvArgs { x: x.clone(), weight: weight.clone(), bias, options: options.clone() };
    check(Operation::Convolution(Convolution::Conv(Box::new(forward(Some(bias))))));
    check(Operation::Convolution(Convolution::Conv(Box::new(forward(None)))));
    let out = run(Operation::Convolution(Convolution::Conv(Box::new(forward(None))))).one();
    let grad = numbers(&out.spec().shape);
    let backward = |other: &Pair, target: &Pair| ConvGradArgs {
        grad: grad.clone(),
        other: other.clone(),
        target: target.shape(),
        options: options.clone(),
    };
    check(Operation::Convolution(Convolution::ConvTranspose(Box::new(backward(&weight, &x)))));
    check(Operation::Convolution(Convolution::ConvWeightGrad(Box::new(backward(&x, &weight)))));
}

/// Input; kernel, stride, padding, dilation.
type Pool = (&'static [usize], [&'static [usize]; 4]);

const POOLS: [Pool; 5] = [
    (&[2, 3, 9], [&[3], &[2], &[1], &[1]]),
    (&[2, 3, 8, 7], [&[2, 2], &[2, 2], &[0, 0], &[1, 1]]),
    (&[2, 3, 8, 7], [&[3, 2], &[1, 2], &[1, 1], &[1, 1]]),
    (&[1, 2, 5, 6, 4], [&[2, 3, 2], &[1, 2, 2], &[1, 1, 0], &[1, 1, 1]]),
    (&[2, 2, 9, 9], [&[3, 3], &[2, 2], &[1, 1], &[2, 2]]),
];

#[test]
fn pool() {
    for dtype in [DType::F64, DType::F32, DType::F16] {
        for layout in LAYOUTS {
            POOLS.into_iter().for_each(|case| check_pool(case, dtype, layout));
        }
    }
}

fn check_pool((shape, [kernel, stride, padding, dilation]): Pool, dtype: DType, layout: MemoryLayout) {
    let options = PoolOptions {
        kernel: dims(kernel),
        stride: dims(stride),
        padding: dims(padding),
        dilation: dims(dilation),
    };
    let x = tensor(shape, dtype, (-2.0, 2.0), layout);
    let mut kinds = vec![PoolKind::Max];
    if dilation.iter().all(|&d| d == 1) {
        kinds.extend([true, false].map(|count_include_pad| PoolKind::Avg { count_include_pad }));
    }
    for kind in kinds {
        let args = PoolArgs { kind, x: x.clone(), options: options.clone() };
        check(Operation::Pooling(Pooling::Pool(Box::new(args.clone()))));
        let out = run(Operation::Pooling(Pooling::Pool(Box::new(args)))).one();
        let grad = tensor(&out.spec().shape, dtype, (-2.0, 2.0), layout);
        let args =
            PoolGradArgs { kind, grad, x: Some(x.clone()), target: x.shape(), options: options.clone() };
        check(Operation::Pooling(Pooling::PoolGrad(Box::new(args))));
    }
    check(Operation::Pooling(Pooling::MaxPoolWithIndices {
        x: x.clone(),
        options: Box::new(options),
        index: DType::I32,
    }));
    let size: Dims = shape[2..].iter().map(|&size| size.div_ceil(2) + 1).collect();
    check(Operation::Pooling(Pooling::AdaptiveAvgPool { x: x.clone(), size: size.clone() }));
    let out = run(Operation::Pooling(Pooling::AdaptiveAvgPool { x: x.clone(), size })).one();
    let grad = tensor(&out.spec().shape, dtype, (-2.0, 2.0), layout);
    check(Operation::Pooling(Pooling::AdaptiveAvgPoolGrad { grad, target: x.shape() }));
}

#[test]
fn fft() {
    for dtype in [DType::F64, DType::F32, DType::BF16] {
        for layout in LAYOUTS {
            for n in [1, 2, 15, 16, 37] {
                for dim in 0..2 {
                    let x =
                        |size: usize| tensor(&[[size, 3, 2], [3, size, 2]][dim], dtype, (-2.0, 2.0), layout);
                    check(Operation::Spectral(Spectral::Fft { op: FftOp::Forward, x: x(n), dim }));
                    check(Operation::Spectral(Spectral::Fft { op: FftOp::Backward, x: x(n), dim }));
                    check(Operation::Spectral(Spectral::Fft { op: FftOp::Real, x: x(n), dim }));
                    check(Operation::Spectral(Spectral::Fft { op: FftOp::Half { n }, x: x(n / 2 + 1), dim }));
                }
            }
        }
    }
}

#[test]
fn softmax() {
    for dtype in [DType::F64, DType::F32, DType::F16] {
        for layout in LAYOUTS {
            for dim in 0..2 {
                let x = tensor(&[5, 300], dtype, (-3.0, 3.0), layout);
                check(Operation::Normalization(Normalization::Softmax { x: x.clone(), dim }));
                check(Operation::Normalization(Normalization::LogSoftmax { x, dim }));
            }
        }
    }
}
