use crate::print_options::print_options;
use crate::quantization::QuantizationScheme;
use crate::{PrintOptions, Tensor, TensorKind};
use alloc::vec::Vec;
use burn_backend::{Backend, DType, TensorData};
use core::fmt::{Debug, Display, Formatter, Result};

impl<B: Backend, const D: usize, K: TensorKind> Display for Tensor<B, D, K> {
    /// Formats the values with shape, device, backend, kind and dtype; `{:.2}` limits the decimals.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let device = self.device();
        let quantization = self.quantization();
        tensor(f, &self.to_data(), &device, &B::name(&device), K::NAME, quantization)
    }
}

pub(crate) fn tensor(
    f: &mut Formatter<'_>,
    data: &TensorData,
    device: &dyn Debug,
    backend: &str,
    kind: &str,
    quantization: Option<QuantizationScheme>,
) -> Result {
    let mut options = print_options();
    options.precision = f.precision().or(options.precision);
    writeln!(f, "Tensor {{\n  data:")?;
    let values = Values { numbers: data.to_f64(), dtype: data.dtype, exact: exact(data), options };
    values.rows(f, &data.shape, 0, 0)?;
    writeln!(f, ",\n  shape:  {:?},\n  device:  {device:?},", data.shape)?;
    writeln!(f, "  backend:  {backend:?},\n  kind:  {kind:?},\n  dtype:  {:?},", data.dtype.name())?;
    if let Some(QuantizationScheme { value, level, mode }) = quantization {
        writeln!(f, "  quantization:  {value:?}, {mode:?}, {level:?},")?;
    }
    f.write_str("}")
}

/// Returns integers, which an `f64` may not hold.
fn exact(data: &TensorData) -> Vec<i128> {
    match data.dtype {
        DType::U64 => data.iter::<u64>().map(i128::from).collect(),
        int if int.is_int() => data.iter::<i64>().map(i128::from).collect(),
        _ => Vec::new(),
    }
}

struct Values {
    numbers: Vec<f64>,
    exact: Vec<i128>,
    dtype: DType,
    options: PrintOptions,
}

impl Values {
    /// Formats the part of the tensor with `shape` whose first element is `start`.
    fn rows(&self, f: &mut Formatter<'_>, shape: &[usize], start: usize, depth: usize) -> Result {
        let [size, inner @ ..] = shape else {
            return self.number(f, start);
        };
        let step: usize = inner.iter().product();
        let edge = self.options.edge_items;
        let summarised = self.numbers.len() > self.options.threshold && *size > 2 * edge;
        f.write_str("[")?;
        let mut shown = 0..*size;
        while let Some(i) = shown.next() {
            match (i, inner) {
                (0, _) => {}
                (_, []) => f.write_str(", ")?,
                _ => write!(f, ",\n{:1$}", "", depth + 1)?,
            }
            if summarised && i == edge {
                f.write_str("...")?;
                shown = size - edge..*size;
                continue;
            }
            self.rows(f, inner, start + i * step, depth + 1)?;
        }
        f.write_str("]")
    }

    fn number(&self, f: &mut Formatter<'_>, at: usize) -> Result {
        let value = self.numbers[at];
        match (self.dtype, self.options.precision) {
            (DType::Bool, _) => write!(f, "{}", value != 0.0),
            (int, _) if int.is_int() => write!(f, "{}", self.exact[at]),
            (_, Some(precision)) => write!(f, "{value:.precision$}"),
            (DType::F64, None) => write!(f, "{value:?}"),
            (_, None) => write!(f, "{:?}", value as f32),
        }
    }
}
