use super::{Emit, numbers};
use crate::Case;
use crate::input::{MemoryLayout, ordinary, spread};
use burn_backend::{ConvArgs, ConvGradArgs, ConvOptions, Convolution, DType, Dims, Operation, Shape};

/// Shapes and options of one convolution.
#[derive(Clone, Debug)]
struct Geometry {
    x: Shape,
    weight: Shape,
    options: ConvOptions,
}

impl Geometry {
    fn output(&self) -> Shape {
        let spatial = self.options.stride.len();
        let size =
            |d| self.options.output_size(d, self.x[d + 2], self.weight[d + 2]).expect("the kernel fits");
        [self.x[0], self.weight[0]].into_iter().chain((0..spatial).map(size)).collect()
    }
}

fn geometries() -> Vec<Geometry> {
    let geometry =
        |x: &[usize], weight: &[usize], [stride, padding, dilation]: [&[usize]; 3], groups| Geometry {
            x: Shape::from(x),
            weight: Shape::from(weight),
            options: ConvOptions {
                stride: Dims::from(stride),
                padding: Dims::from(padding),
                dilation: Dims::from(dilation),
                groups,
            },
        };
    vec![
        geometry(&[2, 3, 9], &[4, 3, 3], [&[1], &[0], &[1]], 1),
        geometry(&[1, 4, 10], &[6, 2, 3], [&[2], &[1], &[2]], 2),
        geometry(&[2, 3, 7, 6], &[4, 3, 3, 2], [&[1, 1], &[0, 0], &[1, 1]], 1),
        geometry(&[1, 2, 6, 6], &[3, 2, 1, 1], [&[1, 1], &[0, 0], &[1, 1]], 1),
        geometry(&[1, 2, 6, 6], &[3, 2, 3, 3], [&[1, 1], &[1, 1], &[1, 1]], 1),
        geometry(&[2, 4, 7, 8], &[6, 2, 3, 2], [&[2, 3], &[1, 2], &[2, 1]], 2),
        // Depthwise.
        geometry(&[2, 6, 8, 7], &[6, 1, 3, 3], [&[1, 1], &[1, 1], &[1, 1]], 6),
        geometry(&[1, 3, 9, 9], &[6, 1, 3, 3], [&[2, 2], &[1, 0], &[1, 2]], 3),
        // The stride leaves a rest; more padding than kernel; one place only.
        geometry(&[1, 1, 8, 5], &[2, 1, 3, 5], [&[3, 2], &[0, 0], &[1, 1]], 1),
        geometry(&[1, 2, 2, 2], &[2, 2, 2, 2], [&[1, 1], &[3, 2], &[1, 1]], 1),
        geometry(&[1, 2, 3, 3], &[2, 2, 3, 3], [&[1, 1], &[0, 0], &[1, 1]], 1),
        geometry(&[1, 2, 4, 5, 4], &[4, 2, 2, 3, 2], [&[1, 2, 1], &[0, 1, 1], &[1, 1, 2]], 1),
        geometry(&[2, 4, 3, 4, 4], &[4, 2, 2, 2, 3], [&[1, 1, 2], &[1, 0, 1], &[1, 2, 1]], 2),
        geometry(&[0, 2, 5, 5], &[3, 2, 3, 3], [&[1, 1], &[0, 0], &[1, 1]], 1),
        // No channels come in, none go out; groups of nothing.
        geometry(&[2, 0, 5], &[3, 0, 2], [&[1], &[0], &[1]], 1),
        geometry(&[2, 2, 5], &[0, 2, 2], [&[1], &[1], &[1]], 1),
        geometry(&[1, 0, 4, 4], &[4, 0, 3, 3], [&[1, 2], &[1, 1], &[1, 1]], 2),
        geometry(&[0, 4, 5], &[4, 1, 2], [&[1], &[0], &[1]], 4),
    ]
}

fn sweep(mut f: impl FnMut(String, DType, MemoryLayout, Geometry)) {
    for dtype in numbers() {
        for geometry in geometries() {
            // Effects of the dtype show in one layout, effects of the layout in some dtypes.
            let layouts: &[MemoryLayout] = match dtype {
                DType::F64 | DType::F32 | DType::BF16 | DType::I64 => &MemoryLayout::ALL,
                _ => &[MemoryLayout::Transposed],
            };
            for &layout in layouts {
                let Geometry { x, weight, options } = &geometry;
                let name = format!("{x:?} with {weight:?}, {options:?}, {layout:?}");
                f(name, dtype, layout, geometry.clone());
            }
        }
    }
    for dtype in [DType::F32, DType::BF16] {
        let options = ConvOptions { padding: [1, 1].into(), ..ConvOptions::new(2) };
        let large = Geometry { x: [2, 8, 20, 21].into(), weight: [9, 8, 3, 3].into(), options };
        f("large".into(), dtype, MemoryLayout::Contiguous, large);
    }
}

pub fn conv(emit: Emit<'_>) {
    sweep(|name, dtype, layout, Geometry { x, weight, options }| {
        let channels = weight[0];
        let x = ordinary(x, dtype).laid_out(layout);
        let weight = spread(weight, dtype, -1.0, 1.0).laid_out(layout);
        for bias in [None, Some(ordinary([channels], dtype).laid_out(layout))] {
            let name = format!("{name}, bias {}", bias.is_some());
            let args = ConvArgs { x: x.clone(), weight: weight.clone(), bias, options: options.clone() };
            emit(Case::new(name, dtype, Operation::Convolution(Convolution::Conv(Box::new(args)))));
        }
    });
}

pub fn conv_transpose(emit: Emit<'_>) {
    sweep(|name, dtype, layout, geometry| {
        let grad = ordinary(geometry.output(), dtype).laid_out(layout);
        let other = spread(geometry.weight, dtype, -1.0, 1.0).laid_out(layout);
        let args = ConvGradArgs { grad, other, target: geometry.x, options: geometry.options };
        emit(Case::new(name, dtype, Operation::Convolution(Convolution::ConvTranspose(Box::new(args)))));
    });
}

pub fn conv_weight_grad(emit: Emit<'_>) {
    sweep(|name, dtype, layout, geometry| {
        let grad = ordinary(geometry.output(), dtype).laid_out(layout);
        let other = spread(geometry.x, dtype, -1.0, 1.0).laid_out(layout);
        let args = ConvGradArgs { grad, other, target: geometry.weight, options: geometry.options };
        emit(Case::new(name, dtype, Operation::Convolution(Convolution::ConvWeightGrad(Box::new(args)))));
    });
}
