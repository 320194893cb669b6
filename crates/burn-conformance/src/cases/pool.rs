use super::{Emit, floats};
use crate::Case;
use crate::input::{Input, MemoryLayout, ordinary, repetitive};
use crate::number::Number;
use burn_backend::{DType, Dims, Operation, PoolArgs, PoolGradArgs, PoolKind, PoolOptions, Pooling, Shape};

fn geometries() -> Vec<(Shape, PoolOptions)> {
    let geometry = |x: &[usize], [kernel, stride, padding, dilation]: [&[usize]; 4]| {
        let [kernel, stride, padding, dilation] = [kernel, stride, padding, dilation].map(Dims::from);
        (Shape::from(x), PoolOptions { kernel, stride, padding, dilation })
    };
    vec![
        geometry(&[2, 3, 9], [&[2], &[2], &[0], &[1]]),
        geometry(&[1, 2, 10], [&[3], &[2], &[1], &[2]]),
        geometry(&[2, 3, 8, 6], [&[2, 2], &[2, 2], &[0, 0], &[1, 1]]),
        geometry(&[1, 2, 7, 9], [&[3, 2], &[1, 2], &[1, 1], &[1, 1]]),
        geometry(&[1, 2, 7, 9], [&[3, 3], &[2, 3], &[1, 0], &[2, 1]]),
        // The stride is larger than the window; one window.
        geometry(&[1, 1, 8, 8], [&[2, 2], &[3, 4], &[0, 0], &[1, 1]]),
        geometry(&[1, 1, 3, 3], [&[3, 3], &[1, 1], &[0, 0], &[1, 1]]),
        geometry(&[1, 2, 4, 5, 6], [&[2, 2, 3], &[2, 1, 2], &[0, 1, 1], &[1, 1, 1]]),
        geometry(&[0, 2, 4, 4], [&[2, 2], &[2, 2], &[0, 0], &[1, 1]]),
        geometry(&[2, 0, 4], [&[2], &[1], &[1], &[1]]),
    ]
}

fn pooled(x: &Shape, options: &PoolOptions) -> Shape {
    let size = |d| options.output_size(d, x[d + 2]).expect("a window fits");
    x[..2].iter().copied().chain((0..options.kernel.len()).map(size)).collect()
}

/// Operands of every kind of pooling: distinct values, equal ones, NaN.
fn sweep(mut f: impl FnMut(String, DType, MemoryLayout, Input, PoolOptions)) {
    for dtype in floats() {
        for (shape, options) in geometries() {
            for layout in MemoryLayout::ALL {
                let name = format!("{shape:?}, {options:?}, {layout:?}");
                f(
                    name.clone(),
                    dtype,
                    layout,
                    ordinary(shape.clone(), dtype).laid_out(layout),
                    options.clone(),
                );
                let equals = repetitive(shape.clone(), dtype).laid_out(layout);
                f(format!("{name}, equals"), dtype, layout, equals, options.clone());
            }
        }
        let options = PoolOptions::new([2, 2].into());
        let mut x = ordinary([1, 1, 4, 4], dtype).array();
        x.values[5] = Number::Float(f64::NAN);
        x.values[10] = Number::Float(f64::NEG_INFINITY);
        f(
            "NaN and infinity".into(),
            dtype,
            MemoryLayout::Contiguous,
            Input::new(x.to_data()),
            options.clone(),
        );
        let negative = x.map(dtype, |_| Number::Float(f64::NEG_INFINITY));
        f(
            "nothing but -inf".into(),
            dtype,
            MemoryLayout::Contiguous,
            Input::new(negative.to_data()),
            options.clone(),
        );
        if dtype == DType::F32 {
            f("large".into(), dtype, MemoryLayout::Contiguous, ordinary([2, 3, 80, 83], dtype), options);
        }
    }
}

pub fn pool(emit: Emit<'_>) {
    sweep(|name, dtype, _, x, options| {
        for kind in PoolKind::ALL {
            let op = Operation::Pooling(Pooling::Pool(Box::new(PoolArgs {
                kind,
                x: x.clone(),
                options: options.clone(),
            })));
            emit(Case::new(format!("{kind:?} {name}"), dtype, op));
        }
    });
}

pub fn pool_grad(emit: Emit<'_>) {
    sweep(|name, dtype, layout, x, options| {
        let target = x.data.shape.clone();
        let grad = ordinary(pooled(&target, &options), dtype).laid_out(layout);
        for kind in PoolKind::ALL {
            let x = (kind == PoolKind::Max).then(|| x.clone());
            let (grad, target, options) = (grad.clone(), target.clone(), options.clone());
            let op = Operation::Pooling(Pooling::PoolGrad(Box::new(PoolGradArgs {
                kind,
                grad,
                x,
                target,
                options,
            })));
            emit(Case::new(format!("{kind:?} {name}"), dtype, op));
        }
    });
}

pub fn max_pool_with_indices(emit: Emit<'_>) {
    sweep(|name, dtype, _, x, options| {
        let indices =
            if dtype == DType::F32 { vec![DType::I64, DType::I32, DType::U16] } else { vec![DType::I64] };
        for index in indices {
            let options = Box::new(options.clone());
            let op = Operation::Pooling(Pooling::MaxPoolWithIndices { x: x.clone(), options, index });
            emit(Case::new(format!("{name}, index {index}"), dtype, op));
        }
    });
}

fn adaptive() -> [(Shape, Dims); 11] {
    [
        ([1, 2, 4].into(), [0].into()),
        ([1, 2, 4, 6].into(), [2, 0].into()),
        ([2, 0, 5].into(), [2].into()),
        ([2, 3, 9].into(), [3].into()),
        ([2, 3, 10].into(), [4].into()),
        ([1, 2, 7, 9].into(), [3, 4].into()),
        ([1, 2, 7, 9].into(), [1, 1].into()),
        ([1, 2, 7, 9].into(), [7, 9].into()),
        ([1, 2, 3, 2].into(), [5, 4].into()),
        ([1, 2, 4, 5, 6].into(), [2, 5, 4].into()),
        ([0, 2, 4, 4].into(), [2, 2].into()),
    ]
}

pub fn adaptive_avg_pool(emit: Emit<'_>) {
    for dtype in floats() {
        for (shape, size) in adaptive() {
            for layout in MemoryLayout::ALL {
                let x = ordinary(shape.clone(), dtype).laid_out(layout);
                let op = Operation::Pooling(Pooling::AdaptiveAvgPool { x, size: size.clone() });
                emit(Case::new(format!("{shape:?} to {size:?}, {layout:?}"), dtype, op));
            }
        }
    }
}

pub fn adaptive_avg_pool_grad(emit: Emit<'_>) {
    for dtype in floats() {
        for (target, size) in adaptive() {
            let shape: Shape = target[..2].iter().chain(size.iter()).copied().collect();
            for layout in MemoryLayout::ALL {
                let grad = ordinary(shape.clone(), dtype).laid_out(layout);
                let op = Operation::Pooling(Pooling::AdaptiveAvgPoolGrad { grad, target: target.clone() });
                emit(Case::new(format!("{shape:?} to {target:?}, {layout:?}"), dtype, op));
            }
        }
    }
}
