use super::random::Random;
use burn_backend::DType;
use burn_ndarray::NdArray;
use burn_onnx::RunValue;
use burn_onnx::graph::{Constant, Dimension, ValueInfo, ValueType};
use burn_tensor::TensorData;
use std::sync::Arc;

/// Inputs of a node.
pub struct Inputs {
    pub names: Vec<String>,
    pub constants: Vec<Constant>,
    pub infos: Vec<ValueInfo>,
    pub values: Vec<RunValue<NdArray>>,
}

const TYPES: [DType; 12] = [
    DType::F32,
    DType::F32,
    DType::F32,
    DType::I64,
    DType::I64,
    DType::Bool,
    DType::I32,
    DType::F16,
    DType::F64,
    DType::U8,
    DType::I8,
    DType::U64,
];

pub fn dims(random: &mut Random, wild: usize) -> Vec<usize> {
    let rank = random.pick(&[0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 6]);
    let sizes: &[usize] = if random.chance(wild) { &[0, 1, 2, 3, 7] } else { &[1, 2, 2, 4, 6] };
    (0..rank).map(|_| random.pick(sizes)).collect()
}

pub fn data(random: &mut Random, wild: usize, dims: &[usize], dtype: DType) -> TensorData {
    let count: usize = dims.iter().product();
    if dtype.is_float() {
        let hostile = [f64::NAN, f64::INFINITY, -1e30, 1e30, 0.0, -0.0, 1e-30];
        let number = |random: &mut Random| match random.chance(wild / 2) {
            true => random.pick(&hostile),
            false => random.pick(&[-1.5, -0.5, 0.25, 1.0, 2.0]),
        };
        let values: Vec<f64> = (0..count).map(|_| number(random)).collect();
        return TensorData::new(values, dims).convert_dtype(dtype);
    }
    let hostile = [i64::MAX, i64::MIN, -1, 1 << 31, 1 << 40, -(1 << 40), 255];
    let number = |random: &mut Random| match random.chance(wild / 2) {
        true => random.pick(&hostile),
        false => random.pick(&[0, 1, 2, 1, 3, 4]),
    };
    let values: Vec<i64> = (0..count).map(|_| number(random)).collect();
    TensorData::new(values, dims).convert_dtype(dtype)
}

fn declared(random: &mut Random, data: &TensorData) -> ValueType {
    let dims = data.shape.iter().enumerate().map(|(d, &size)| match random.below(3) {
        0 => Dimension::Known(size),
        1 => Dimension::Unknown,
        _ => Dimension::Named(format!("size{d}of{size}")),
    });
    ValueType::Tensor { dtype: data.dtype, dims: Some(dims.collect()) }
}

/// Tensors, constants, sequences and gaps, mostly of dimensions that fit each other.
pub fn inputs(random: &mut Random, wild: usize) -> Inputs {
    let mut all = Inputs { names: Vec::new(), constants: Vec::new(), infos: Vec::new(), values: Vec::new() };
    let (shared, main) = (dims(random, wild), random.pick(&TYPES));
    let apart = random.pick(&[0, 30, 60]);
    for place in 0..random.below(8) + usize::from(!random.chance(5)) {
        if random.chance(8) {
            all.names.push(String::new());
            continue;
        }
        let name = format!("x{place}");
        let dims = match random.below(4) {
            _ if place == 0 => shared.clone(),
            0 if !random.chance(apart) => shared.clone(),
            // A list as long as the first input has dimensions, or a channel each.
            1 => vec![random.pick(&[shared.len().max(1), 1, 2 * shared.len()])],
            2 => vec![shared.get(1).copied().unwrap_or(1)],
            _ if random.chance(apart) => dims(random, wild),
            _ => shared.clone(),
        };
        let dtype = if random.chance(apart / 2 + 10) { random.pick(&TYPES) } else { main };
        let dtype = if dims.len() == 1 && random.chance(40) { DType::I64 } else { dtype };
        let data = data(random, wild, &dims, dtype);
        all.names.push(name.clone());
        if random.chance(40) {
            all.constants.push(Constant { name, data: Arc::new(data) });
            continue;
        }
        let value_type = declared(random, &data);
        let (value_type, value) = match random.below(14) {
            0 => {
                let values = (0..random.below(4)).map(|_| RunValue::Data(data.clone()));
                (ValueType::Sequence(Box::new(value_type)), RunValue::Sequence(values.collect()))
            }
            1 => {
                let inner = random.chance(50).then(|| Box::new(RunValue::Data(data.clone())));
                (ValueType::Optional(Box::new(value_type)), RunValue::Optional(inner))
            }
            _ => (value_type, RunValue::Data(data)),
        };
        all.infos.push(ValueInfo { name, value_type });
        all.values.push(value);
    }
    all
}
