use super::windows::Windows;
use crate::tensor::TchTensor;
use crate::{cast, create, kernel};
use burn_backend::{DType, HasSpec, Operation, PoolOptions, Pooling, Scalar, TensorSpec, output_specs};
use tch::{Kind, TchError, Tensor};

/// The largest element of each window, the first among equals, and its index in the flattened spatial
/// dimensions.
#[track_caller]
pub fn max_pool_with_indices(x: TchTensor, options: PoolOptions, index: DType) -> (TchTensor, TchTensor) {
    let op = Operation::Pooling(Pooling::MaxPoolWithIndices {
        x: &x,
        options: options.clone().into(),
        index: DType::I64,
    });
    let (spec, places) = output_specs(&op).unwrap_or_else(|error| panic!("{error}")).two();
    if spec.shape.num_elements() == 0 {
        let places = TensorSpec { dtype: index, ..places };
        return (
            create::full(spec, Scalar::Int(0), x.device()),
            create::full(places, Scalar::Int(0), x.device()),
        );
    }
    let windows = Windows::new(&options, &x.spec().shape);
    let (values, places) = kernel::two("max_pool", x.device(), [spec, places], || {
        let (values, places) = largest(&windows.opened(x.tch())?, &windows)?;
        Ok((windows.closed(values)?, windows.closed(places)?))
    });
    (values, cast::cast(places, index))
}

/// The largest elements and their positions. Of several NaN, LibTorch's kernel gives the last, so where there
/// are some the first is looked for.
pub fn largest(x: &Tensor, windows: &Windows) -> Result<(Tensor, Tensor), TchError> {
    let (values, places) = run(x, windows)?;
    let is_nan = values.f_isnan()?;
    if is_nan.f_any()?.f_int64_value(&[])? == 0 {
        return Ok((values, places));
    }
    let nan = run(&x.f_isnan()?.f_to_kind(Kind::Float)?, windows)?.1;
    let places = nan.f_where_self(&is_nan, &places)?;
    Ok((values, places))
}

fn run(x: &Tensor, windows: &Windows) -> Result<(Tensor, Tensor), TchError> {
    let Windows { kernel, stride, padding, dilation, .. } = windows;
    if windows.is_volume() {
        x.f_max_pool3d_with_indices(kernel, stride, padding, dilation, false)
    } else {
        x.f_max_pool2d_with_indices(kernel, stride, padding, dilation, false)
    }
}

/// Each element of `grad` added to the largest of its window.
pub fn to_largest(x: &Tensor, grad: &Tensor, windows: &Windows) -> Result<Tensor, TchError> {
    let x = windows.opened(x)?;
    let (grad, places) = (windows.opened(grad)?, largest(&x, windows)?.1);
    let Windows { kernel, stride, padding, dilation, .. } = windows;
    windows.closed(if windows.is_volume() {
        x.f_max_pool3d_with_indices_backward(&grad, kernel, stride, padding, dilation, false, &places)?
    } else {
        x.f_max_pool2d_with_indices_backward(&grad, kernel, stride, padding, dilation, false, &places)?
    })
}
