use super::{Emit, floats};
use crate::Case;
use crate::input::{Input, MemoryLayout, list, ordinary, spread};
use crate::number::Number;
use burn_backend::{DType, Normalization, Operation, Shape};

fn sweep(mut f: impl FnMut(String, DType, Input, usize)) {
    for dtype in floats() {
        let shapes: [(Shape, usize); 11] = [
            ([2, 0, 3].into(), 0),
            ([2, 0, 3].into(), 1),
            ([37].into(), 0),
            ([1].into(), 0),
            ([5, 9].into(), 0),
            ([5, 9].into(), 1),
            ([3, 4, 5].into(), 1),
            ([2, 3, 4, 5].into(), 3),
            ([0, 3].into(), 0),
            ([0, 3].into(), 1),
            ([3, 1].into(), 1),
        ];
        for (shape, dim) in shapes {
            for layout in MemoryLayout::ALL {
                let x = ordinary(shape.clone(), dtype).laid_out(layout);
                f(format!("{shape:?} along {dim}, {layout:?}"), dtype, x, dim);
            }
        }
        let class =
            |values: &[f64]| list(&values.iter().copied().map(Number::Float).collect::<Vec<_>>(), dtype);
        let inf = f64::INFINITY;
        f("large values".into(), dtype, class(&[1000.0, 999.0, 1001.0, 0.0]), 0);
        // Where it is made of parts, `x - max` is rounded to the dtype, and that error grows with the distance.
        let far = if dtype.size() == 2 { 9.0 } else { 90.0 };
        f("far apart".into(), dtype, spread([64], dtype, -far, far), 0);
        f("some -inf".into(), dtype, class(&[0.5, -inf, 1.0, -inf]), 0);
        f("nothing but -inf".into(), dtype, class(&[-inf, -inf]), 0);
        f("NaN".into(), dtype, class(&[0.5, f64::NAN, 1.0]), 0);
        f("inf".into(), dtype, class(&[0.5, inf, 1.0]), 0);
    }
    for dim in 0..2 {
        f(format!("large, along {dim}"), DType::F32, ordinary([260, 271], DType::F32), dim);
    }
}

pub fn softmax(emit: Emit<'_>) {
    sweep(|name, dtype, x, dim| {
        emit(Case::new(name, dtype, Operation::Normalization(Normalization::Softmax { x, dim })))
    });
}

pub fn log_softmax(emit: Emit<'_>) {
    sweep(|name, dtype, x, dim| {
        emit(Case::new(name, dtype, Operation::Normalization(Normalization::LogSoftmax { x, dim })))
    });
}
