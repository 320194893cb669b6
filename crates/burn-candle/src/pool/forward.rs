use super::windows::Windows;
use crate::element::{Float, Number};
use crate::layout::reshape;
use crate::library::Core;
use crate::memory::in_order;
use crate::rows::by_row;
use crate::tensor::CandleTensor;
use crate::unary::is_half;
use crate::{CandleDevice, cast, create, host, index};
use burn_backend::{
    DType, Element, HasSpec, Operation, PoolArgs, PoolKind, PoolOptions, Pooling, Scalar, Shape, TensorSpec,
};
use burn_library_backend::{Kernels, result, with_float};

pub fn pool(args: PoolArgs<CandleTensor>) -> CandleTensor {
    let dtype = args.x.dtype();
    if is_half(dtype) {
        return cast::cast(pool(args.map(|x| cast::cast(x, DType::F32))), dtype);
    }
    let spec = result(&Operation::Pooling(Pooling::Pool(Box::new(args.by_ref()))));
    let PoolArgs { kind, x, options } = args;
    match kind {
        PoolKind::Max => max_pool_with_indices(x, options, DType::I64).0,
        PoolKind::Avg { .. } if spec.shape.num_elements() == 0 => {
            create::full(spec, Scalar::Int(0), x.device())
        }
        // On a GPU it multiplies by a rounded `f32`.
        PoolKind::Avg { .. }
            if is_plain(&options) && (dtype != DType::F64 || x.device() == CandleDevice::Cpu) =>
        {
            let [kernel, stride] = [&options.kernel, &options.stride].map(|list| (list[0], list[1]));
            Core::run("avg_pool2d", x.device(), spec, || {
                in_order(x.candle())?.avg_pool2d_with_stride(kernel, stride)
            })
        }
        PoolKind::Avg { count_include_pad } => averages(x, spec, &options, count_include_pad),
    }
}

/// Whether windows are planes without padding and gaps.
fn is_plain(options: &PoolOptions) -> bool {
    options.kernel.len() == 2
        && options.padding.iter().all(|&padding| padding == 0)
        && options.dilation.iter().all(|&dilation| dilation == 1)
}

fn averages(
    x: CandleTensor,
    spec: TensorSpec,
    options: &PoolOptions,
    count_include_pad: bool,
) -> CandleTensor {
    let (dtype, shape) = (x.dtype(), spec.shape.clone());
    let windows = Windows::new(&x.spec().shape, options);
    Core::own("avg_pool", [&x], spec, |[x]| {
        with_float!(dtype, E => {
            let values = by_row::<E, E>(&x, windows.inputs, windows.outputs, |plane, out| {
                for (at, out) in out.iter_mut().enumerate() {
                    let mut sum = E::default();
                    windows.each(at, |place| {
                        sum = E::from_sum(sum.to_sum() + E::load(plane[place]).to_sum());
                    });
                    let divisor = windows.divisor(at, count_include_pad);
                    *out = E::from_f64(sum.to_f64() / divisor as f64).store();
                }
            })?;
            host::make::<E>(values, &shape)
        })
    })
}

/// The largest element of each window, the first among equals, and its index in the flattened spatial
/// dimensions.
pub fn max_pool_with_indices(
    x: CandleTensor,
    options: PoolOptions,
    index: DType,
) -> (CandleTensor, CandleTensor) {
    let op = Operation::Pooling(Pooling::MaxPoolWithIndices {
        x: &x,
        options: options.clone().into(),
        index: DType::I64,
    });
    let spec = burn_backend::output_specs(&op).unwrap_or_else(|error| panic!("{error}")).two().1;
    let (dtype, shape) = (x.dtype(), spec.shape.clone());
    if shape.num_elements() == 0 {
        let values = create::full(TensorSpec { shape, dtype }, Scalar::Int(0), x.device());
        return (values, create::full(TensorSpec { dtype: index, ..spec }, Scalar::Int(0), x.device()));
    }
    let windows = Windows::new(&x.spec().shape, &options);
    let places = Core::own("max_pool", [&x], spec, |[x]| {
        let places = with_float!(dtype, E => by_row::<E, i64>(&x, windows.inputs, windows.outputs, |plane, out| {
            for (at, out) in out.iter_mut().enumerate() {
                *out = largest::<E>(plane, &windows, at) as i64;
            }
        })?);
        host::make::<i64>(places, &shape)
    });
    let planes: usize = shape[..2].iter().product();
    let flat = |x: CandleTensor, size: usize| reshape(x, Shape::from([planes, size]));
    let of_planes = flat(places.clone(), windows.outputs);
    let values = index::gather_checked("max_pool", &flat(x, windows.inputs), 1, &of_planes);
    (reshape(values, shape), cast::cast(places, index))
}

/// Where the largest element of window `at` is; the first NaN if there is one.
pub fn largest<E: Number>(plane: &[E::Stored], windows: &Windows, at: usize) -> usize {
    let mut best: Option<(usize, E)> = None;
    windows.each(at, |place| {
        let x = E::load(plane[place]);
        #[allow(clippy::eq_op, reason = "a number that is not equal to itself is NaN")]
        let wins = best.is_none_or(|(_, best)| x > best || (x != x && best == best));
        if wins {
            best = Some((place, x));
        }
    });
    best.map_or(0, |(place, _)| place)
}
