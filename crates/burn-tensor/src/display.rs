use crate::{Tensor, TensorKind};
use burn_backend::{Backend, DType, TensorData};
use std::fmt::{Debug, Display, Formatter, Result};

impl<B: Backend, const D: usize, K: TensorKind> Display for Tensor<B, D, K> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let device = self.device();
        tensor(f, &self.clone().into_data(), &device, &B::name(&device), K::NAME)
    }
}

fn tensor(f: &mut Formatter<'_>, data: &TensorData, device: &dyn Debug, backend: &str, kind: &str) -> Result {
    let shape = &data.shape;
    writeln!(f, "Tensor {{\n  data:")?;
    rows(f, &data.to_f64(), shape, data.dtype, 0)?;
    writeln!(f, ",\n  shape:  {shape:?},\n  device:  {device:?},")?;
    write!(f, "  backend:  {backend:?},\n  kind:  {kind:?},\n  dtype:  {:?},\n}}", data.dtype.name())
}

fn rows(f: &mut Formatter<'_>, values: &[f64], shape: &[usize], dtype: DType, depth: usize) -> Result {
    let [size, inner @ ..] = shape else {
        return number(f, values[0], dtype);
    };
    f.write_str("[")?;
    for (i, chunk) in values.chunks((values.len() / size.max(&1)).max(1)).enumerate() {
        match (i, inner) {
            (0, _) => {}
            (_, []) => f.write_str(", ")?,
            _ => write!(f, ",\n{}", " ".repeat(depth + 1))?,
        }
        rows(f, chunk, inner, dtype, depth + 1)?;
    }
    f.write_str("]")
}

fn number(f: &mut Formatter<'_>, value: f64, dtype: DType) -> Result {
    match (dtype, f.precision()) {
        (DType::Bool, _) => write!(f, "{}", value != 0.0),
        (int, _) if int.is_int() => write!(f, "{value:.0}"),
        (_, Some(precision)) => write!(f, "{value:.precision$}"),
        (DType::F64, None) => write!(f, "{value:?}"),
        (_, None) => write!(f, "{:?}", value as f32),
    }
}
