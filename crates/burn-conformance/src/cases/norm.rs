use super::{Emit, floats};
use crate::Case;
use crate::input::{Input, MemoryLayout, list, ordinary, spread};
use crate::number::Number;
use burn_backend::{DType, LayerNormArgs, LayerNormGradArgs, Normalization, Operation, Shape};

/// Epsilon that every float dtype represents exactly.
const EPSILON: f64 = 1.0 / 128.0;

fn sweep(mut f: impl FnMut(String, DType, Input, f64)) {
    for dtype in floats() {
        let shapes: [Shape; 8] = [
            [2, 3, 0].into(),
            [0, 3].into(),
            [37].into(),
            [5, 9].into(),
            [3, 1].into(),
            [2, 3, 4, 5].into(),
            [4, 64].into(),
            [3, 130].into(),
        ];
        for shape in shapes {
            for layout in MemoryLayout::ALL {
                let x = ordinary(shape.clone(), dtype).laid_out(layout);
                f(format!("{shape:?}, {layout:?}"), dtype, x, EPSILON);
            }
        }
        let class =
            |values: &[f64]| list(&values.iter().copied().map(Number::Float).collect::<Vec<_>>(), dtype);
        let inf = f64::INFINITY;
        f("of one value".into(), dtype, class(&[0.75; 5]), EPSILON);
        f("NaN".into(), dtype, class(&[0.5, f64::NAN, 1.0]), EPSILON);
        f("inf".into(), dtype, class(&[0.5, inf, 1.0]), EPSILON);
        f("-inf and inf".into(), dtype, class(&[-inf, inf, 1.0]), EPSILON);
    }
    f("large".into(), DType::F32, ordinary([260, 271], DType::F32), 1e-5);
    f("large".into(), DType::F64, ordinary([70, 271], DType::F64), 1e-5);
}

/// A list for the last dimension.
fn along(x: &Input, from: f64, to: f64) -> Input {
    let spec = x.spec();
    spread([*spec.shape.last().expect("a last dimension")], spec.dtype, from, to)
}

pub fn layer_norm(emit: Emit<'_>) {
    sweep(|name, dtype, x, epsilon| {
        for (given, [weight, bias]) in
            [("", [false; 2]), (", scaled", [true, false]), (", affine", [true; 2])]
        {
            let weight = weight.then(|| along(&x, -0.5, 1.5));
            let bias = bias.then(|| along(&x, 0.7, -0.8));
            let args = LayerNormArgs { x: x.clone(), weight, bias, epsilon };
            emit(Case::new(
                format!("{name}{given}"),
                dtype,
                Operation::Normalization(Normalization::LayerNorm(Box::new(args))),
            ));
        }
    });
}

pub fn layer_norm_grad(emit: Emit<'_>) {
    sweep(|name, dtype, x, epsilon| {
        for weight in [false, true] {
            let weight = weight.then(|| along(&x, -0.5, 1.5));
            let grad = spread(x.spec().shape, dtype, 1.25, -0.75).laid_out(x.layout);
            let name = format!("{name}{}", if weight.is_some() { ", scaled" } else { "" });
            let args = LayerNormGradArgs { grad, x: x.clone(), weight, epsilon };
            emit(Case::new(
                name,
                dtype,
                Operation::Normalization(Normalization::LayerNormGrad(Box::new(args))),
            ));
        }
    });
}
