use super::{Emit, floats};
use crate::Case;
use crate::input::{Input, MemoryLayout, ordinary};
use crate::number::Number;
use burn_backend::{DType, Dims, InterpolateMode, Interpolation, Operation, Resize, Shape};

fn sizes() -> [(Shape, Dims); 12] {
    [
        ([2, 3, 5].into(), [8].into()),
        ([1, 2, 9].into(), [4].into()),
        ([1, 2, 1].into(), [6].into()),
        ([1, 2, 7].into(), [1].into()),
        ([2, 3, 4, 6].into(), [8, 12].into()),
        ([1, 2, 7, 9].into(), [3, 4].into()),
        ([1, 2, 4, 9].into(), [11, 5].into()),
        ([1, 2, 9, 4].into(), [5, 11].into()),
        ([1, 2, 5, 5].into(), [5, 5].into()),
        ([1, 1, 2, 3].into(), [17, 1].into()),
        ([0, 2, 4, 4].into(), [2, 2].into()),
        ([2, 0, 4].into(), [9].into()),
    ]
}

fn sweep(mut f: impl FnMut(String, DType, MemoryLayout, Shape, Dims, Interpolation)) {
    for dtype in floats() {
        for mode in InterpolateMode::ALL {
            for align_corners in [false, true] {
                for (shape, size) in sizes() {
                    let options = Interpolation { mode, align_corners, factors: vec![] };
                    for layout in MemoryLayout::ALL {
                        let name = format!("{shape:?} to {size:?}, {options:?}, {layout:?}");
                        f(name, dtype, layout, shape.clone(), size.clone(), options.clone());
                    }
                }
            }
            // Factors that the sizes do not follow from, one of them far beyond the edge.
            for factors in [vec![1.7, 0.6], vec![0.1, 30.0]] {
                let options = Interpolation { mode, align_corners: false, factors };
                let name = format!("{options:?}");
                f(name, dtype, MemoryLayout::Contiguous, [1, 2, 5, 6].into(), [8, 3].into(), options);
            }
            if dtype == DType::F32 {
                for size in [[90, 61], [20, 30]] {
                    let options = Interpolation { mode, align_corners: false, factors: vec![] };
                    let name = format!("large, {size:?}, {options:?}");
                    f(name, dtype, MemoryLayout::Contiguous, [2, 3, 40, 33].into(), size.into(), options);
                }
            }
        }
    }
}

pub fn interpolate(emit: Emit<'_>) {
    sweep(|name, dtype, layout, shape, size, options| {
        let x = ordinary(shape, dtype).laid_out(layout);
        emit(Case::new(
            name,
            dtype,
            Operation::Resize(Resize::Interpolate { x, size, options: Box::new(options) }),
        ));
    });
    // NaN and infinity reach only the results that read them.
    for dtype in floats() {
        for mode in InterpolateMode::ALL {
            let mut x = ordinary([1, 1, 6, 6], dtype).array();
            x.values[14] = Number::Float(f64::NAN);
            let options = Box::new(Interpolation { mode, align_corners: false, factors: vec![] });
            let (x, size) = (Input::new(x.to_data()), Dims::from([11, 13]));
            emit(Case::new(
                format!("NaN, {mode:?}"),
                dtype,
                Operation::Resize(Resize::Interpolate { x, size, options }),
            ));
        }
    }
}

pub fn interpolate_grad(emit: Emit<'_>) {
    sweep(|name, dtype, layout, target, size, options| {
        let shape: Shape = target[..2].iter().chain(size.iter()).copied().collect();
        let grad = ordinary(shape, dtype).laid_out(layout);
        emit(Case::new(
            name,
            dtype,
            Operation::Resize(Resize::InterpolateGrad { grad, target, options: Box::new(options) }),
        ));
    });
}
