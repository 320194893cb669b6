//! Calls that compute elements: in `f64`, rounded once to the element type, so that sums, products,
//! quotients and roots of floats are those of IEEE 754; integers exactly, or not at all.

use crate::calls::Operand;
use burn_ir::{DType, TensorData};

/// The result of a call, of this shape; none if it is another sort of call.
pub(super) fn computed(
    call: &str,
    tensors: &[&TensorData],
    operands: &[Operand],
    shape: &[usize],
    dtype: DType,
) -> Option<TensorData> {
    match (call, tensors) {
        ("cast", [x]) => Some((*x).clone().convert_dtype(dtype)),
        ("int_to_float" | "bool_to_float" | "bool_to_int", [x]) => Some((*x).clone().convert_dtype(dtype)),
        (_, [x]) if is_number(x.dtype, dtype) => {
            if let Some(function) = call.strip_suffix("_scalar").and_then(binary) {
                let y = TensorData::new([operands[1].number().ok()?.to_f64()?], [1]);
                // Numbers of the host are of the element type, as operands of one element are.
                return pairs(x, &y.try_convert_dtype(dtype).ok()?, function, shape, dtype);
            }
            let reduction = reduction(call).filter(|_| x.dtype.is_float());
            if let Some((initial, function)) = reduction {
                let sums = reduced(x, &operands[1].axes().ok()?, shape, (initial, function))?;
                let count = if call == "mean_dims" { x.num_elements() / sums.len().max(1) } else { 1 };
                return rounded(sums.into_iter().map(|sum| sum / count as f64), shape, dtype);
            }
            let function = unary(call).filter(|_| x.dtype.is_float())?;
            rounded(x.iter::<f64>().map(function), shape, dtype)
        }
        (_, [x, y]) if is_number(x.dtype, dtype) && y.dtype == dtype => {
            pairs(x, y, binary(call)?, shape, dtype)
        }
        _ => None,
    }
}

/// Whether elements of `x` and of the result are numbers of one type.
fn is_number(x: DType, dtype: DType) -> bool {
    x == dtype && (dtype.is_float() || dtype.is_int())
}

/// Integers beyond this may have no `f64`.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// The values in an element type; none if an integer is not exact or does not fit.
fn rounded(values: impl Iterator<Item = f64>, shape: &[usize], dtype: DType) -> Option<TensorData> {
    let values: Vec<f64> = values.collect();
    if dtype.is_int() && values.iter().any(|value| value.fract() != 0.0 || value.abs() >= MOST_EXACT) {
        return None;
    }
    if values.len() != shape.iter().product::<usize>() {
        return None;
    }
    TensorData::new(values, shape).try_convert_dtype(dtype).ok()
}

fn binary(call: &str) -> Option<fn(f64, f64) -> f64> {
    Some(match call {
        "add" => |a, b| a + b,
        "sub" => |a, b| a - b,
        "mul" => |a, b| a * b,
        // A quotient of integers has a fraction, or is exact.
        "div" => |a, b| a / b,
        _ => return None,
    })
}

fn unary(call: &str) -> Option<fn(f64) -> f64> {
    Some(match call {
        "neg" => |x| -x,
        "abs" => f64::abs,
        "recip" => |x| 1.0 / x,
        "sqrt" => f64::sqrt,
        "exp" => f64::exp,
        "log" => f64::ln,
        "sin" => f64::sin,
        "cos" => f64::cos,
        "tanh" => f64::tanh,
        "sigmoid" => |x| 1.0 / (1.0 + (-x).exp()),
        _ => return None,
    })
}

/// First value and function of a reduction.
type Reduction = (f64, fn(f64, f64) -> f64);

fn reduction(call: &str) -> Option<Reduction> {
    Some(match call {
        "sum_dims" | "mean_dims" => (0.0, |a, b| a + b),
        "prod_dims" => (1.0, |a, b| a * b),
        _ => return None,
    })
}

/// Indices of the elements of a tensor of `dims`, repeated to `shape`, in its row-major order.
fn indices(dims: &[usize], shape: &[usize]) -> impl Iterator<Item = usize> + use<> {
    let missing = shape.len().saturating_sub(dims.len());
    let (mut strides, mut step) = (vec![0; shape.len()], 1);
    for d in (0..dims.len()).rev() {
        strides[missing + d] = if dims[d] == 1 { 0 } else { step };
        step *= dims[d];
    }
    let shape = shape.to_vec();
    (0..shape.iter().product()).map(move |mut place: usize| {
        let mut index = 0;
        for d in (0..shape.len()).rev() {
            index += place % shape[d] * strides[d];
            place /= shape[d];
        }
        index
    })
}

/// A function of two tensors, whose shapes broadcast.
fn pairs(
    x: &TensorData,
    y: &TensorData,
    function: fn(f64, f64) -> f64,
    shape: &[usize],
    dtype: DType,
) -> Option<TensorData> {
    if dtype == DType::U64 || dtype == DType::I64 && [x, y].iter().any(|data| is_beyond(data)) {
        return None;
    }
    let (left, right) = (x.to_f64(), y.to_f64());
    let places = indices(&x.shape, shape).zip(indices(&y.shape, shape));
    let values: Vec<f64> =
        places.map(|(a, b)| Some(function(*left.get(a)?, *right.get(b)?))).collect::<Option<_>>()?;
    rounded(values.into_iter(), shape, dtype)
}

fn is_beyond(data: &TensorData) -> bool {
    data.iter::<i64>().any(|value| value.unsigned_abs() as f64 >= MOST_EXACT)
}

/// Dimensions reduced to size 1.
fn reduced(
    x: &TensorData,
    axes: &[usize],
    shape: &[usize],
    (initial, function): Reduction,
) -> Option<Vec<f64>> {
    let one: Vec<usize> =
        x.shape.iter().enumerate().map(|(d, &size)| if axes.contains(&d) { 1 } else { size }).collect();
    if one != shape {
        return None;
    }
    let mut values = vec![initial; shape.iter().product()];
    for (place, value) in indices(&one, &x.shape).zip(x.iter::<f64>()) {
        let sum = values.get_mut(place)?;
        *sum = function(*sum, value);
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Expr;

    #[test]
    fn shapes_broadcast() {
        let (x, y) = (TensorData::new([1.0_f32, 2.0], [2, 1]), TensorData::new([10.0_f32, 20.0, 30.0], [3]));
        let found = computed("mul", &[&x, &y], &[], &[2, 3], DType::F32).unwrap();
        assert_eq!(found, TensorData::new([10.0_f32, 20.0, 30.0, 20.0, 40.0, 60.0], [2, 3]));
    }

    #[test]
    fn scalars_are_rounded_to_the_element_type_first() {
        let x = TensorData::new([0.5_f32, 3.0], [2]);
        let operands = [Operand::Absent, Operand::Number(Expr::Float(0.1))];
        let found = computed("div_scalar", &[&x], &operands, &[2], DType::F32).unwrap();
        assert_eq!(found, TensorData::new([0.5_f32 / 0.1, 3.0 / 0.1], [2]));
    }

    #[test]
    fn integers_that_are_not_exact_are_left_to_the_model() {
        let (x, y) = (TensorData::new([7_i64, 8], [2]), TensorData::new([2_i64, 2], [2]));
        assert!(computed("div", &[&x, &y], &[], &[2], DType::I64).is_none());
        let large = TensorData::new([i64::MAX, 1], [2]);
        assert!(computed("add", &[&large, &y], &[], &[2], DType::I64).is_none());
        assert_eq!(
            computed("sub", &[&x, &y], &[], &[2], DType::I64).unwrap(),
            TensorData::new([5_i64, 6], [2])
        );
    }

    #[test]
    fn dimensions_are_reduced_to_size_one() {
        let x = TensorData::new([1.0_f32, 2.0, 3.0, 5.0, 7.0, 11.0], [2, 3]);
        let operands = [Operand::Absent, Operand::Numbers(vec![Expr::Int(0)])];
        let found = computed("mean_dims", &[&x], &operands, &[1, 3], DType::F32).unwrap();
        assert_eq!(found, TensorData::new([3.0_f32, 4.5, 7.0], [1, 3]));
    }
}
