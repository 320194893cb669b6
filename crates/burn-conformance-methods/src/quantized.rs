use super::calls::{Named, calls};
use crate::arguments::{Arguments, T};
use crate::finish::Finish;
use burn_backend::{DType, Shape, TensorData};
use burn_tensor::quantization::{
    BlockFormat, CalibrationRange, Packed, PackedBlocks, QuantizationLevel, QuantizationMode,
    QuantizationParameters, QuantizationScheme, QuantizationType, QuantizedTensor, try_compute_q_params,
};
use burn_tensor::{TensorError, TensorPrimitive};

/// Calls of quantization.
pub fn calls<const D: usize>() -> &'static [Named] {
    calls! { a;
        "quantize" quantize::<D>(a);
        "new" parts::<D>(a);
        "from_blocks" blocks(a).map(|_| ());
        "quantize_dynamic" a.float::<D>().try_quantize_dynamic(&scheme(a));
        "matmul" either::<D>(a).try_matmul(either(a));
        "add" either::<D>(a).try_add(either(a));
        "dequantize" either::<D>(a).try_dequantize();
        "compute_q_params" {
            let scheme = scheme(a);
            match CalibrationRange::try_of(&a.float::<D>(), &scheme) {
                Ok(range) => try_compute_q_params(&scheme, range).map(|found| Some((found.scale, found.offset))),
                Err(_) => Ok(None),
            }
        };
        "handle" either::<D>(a).try_handle().map(|_| ());
        "require_grad" either::<D>(a).try_require_grad();
        "set_require_grad" either::<D>(a).try_set_require_grad(a.flag());
        "of" range::<D>(a).map(|range| (range.min, range.max));
        "merge" match (range::<D>(a), range::<D>(a)) {
            (Ok(first), Ok(second)) => first.try_merge(second).map(|range| Some((range.min, range.max))),
            _ => Ok(None),
        };
    }
}

fn scheme(a: &mut Arguments<'_>) -> QuantizationScheme {
    let value = a.random.pick(&QuantizationType::ALL);
    let mode = a.random.pick(&[QuantizationMode::Symmetric, QuantizationMode::Affine]);
    let level = match a.random.below(3) {
        0 => QuantizationLevel::Tensor,
        1 => QuantizationLevel::Channel(a.random.below(5)),
        _ => QuantizationLevel::Block(a.random.pick(&[0, 1, 2, 3, usize::MAX])),
    };
    QuantizationScheme { value, level, mode }
}

fn quantize<const D: usize>(a: &mut Arguments<'_>) -> Result<T<D>, TensorError> {
    let scheme = scheme(a);
    let offset = (scheme.is_affine() != a.chance_of_a_mistake()).then(|| a.int::<1>());
    let parameters = QuantizationParameters { scale: a.float(), offset };
    a.float::<D>().try_quantize(&scheme, parameters)
}

/// As many parts as most schemes want, seldom what this one wants.
fn parts<const D: usize>(a: &mut Arguments<'_>) -> Result<T<D>, TensorError> {
    let zero = a.flag().then(|| a.int::<1>().into_handle());
    let (values, scale) = (a.int::<1>().into_handle(), a.float::<1>().into_handle());
    let packed = Packed { values, scale, zero, scheme: scheme(a), shape: a.shape::<D>() };
    let parts = QuantizedTensor::try_new(packed)?;
    Ok(T::from_primitive(TensorPrimitive::QFloat(parts)))
}

/// Blocks of a size that fits most formats seldom.
fn blocks(a: &mut Arguments<'_>) -> Result<T<2>, TensorError> {
    let format = a.random.pick(&BlockFormat::ALL);
    let row = a.random.pick(&[0, 1, format.bytes(), 2 * format.bytes()]);
    let rows = a.random.below(4);
    let shape = Shape::from(if a.chance_of_a_mistake() { vec![rows * row] } else { vec![rows, row] });
    let dtype = if a.chance_of_a_mistake() { DType::I32 } else { DType::U8 };
    let data = TensorData::new(vec![1_u8; rows * row], shape).convert_dtype(dtype);
    let transposed = a.flag();
    let wanted = a.random.pick(&[DType::F32, DType::F16, DType::F64, DType::I64]);
    let packed = PackedBlocks { blocks: data, format, transposed, dtype: wanted };
    T::<2>::try_from_blocks(packed, a.device)
}

fn either<const D: usize>(a: &mut Arguments<'_>) -> T<D> {
    let floats = a.float();
    if a.flag() { floats } else { floats.clone().try_quantize_dynamic(&scheme(a)).unwrap_or(floats) }
}

fn range<const D: usize>(
    a: &mut Arguments<'_>,
) -> Result<CalibrationRange<burn_backend::dynamic::Dynamic>, TensorError> {
    CalibrationRange::try_of(&a.float::<D>(), &scheme(a))
}
