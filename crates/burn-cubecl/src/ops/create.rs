use crate::device::arithmetic::Abilities;
use crate::device::engine::Engine;
use crate::device::error_text::device_error_text;
use crate::launch::constant_cache;
use crate::launch::element::{stored_bytes, words};
use crate::launch::kernel::{Body, Kernel, launch};
use crate::launch::strides;
use crate::launch::tensor::{CubeTensor, require};
use crate::ops::block::{Program, Steps, read_scalars};
use burn_backend::*;

/// # Panics
/// When the device has no elements of this dtype.
#[track_caller]
pub fn from_data(data: TensorData, engine: &'static dyn Engine) -> CubeTensor {
    require(engine, data.dtype);
    let spec = TensorSpec::new(data.shape.clone(), data.dtype);
    if spec.shape.num_elements() == 0 {
        return CubeTensor::empty(spec, engine);
    }
    CubeTensor::new(spec, engine.create(&stored_bytes(&data)), engine)
}

/// Reads the values of a tensor, once they are computed.
///
/// # Errors
/// When the device failed, by now or earlier.
pub fn into_data(x: CubeTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
    let (shape, dtype) = (x.shape(), x.dtype());
    let count = shape.num_elements();
    let x = crate::ops::layout::contiguous(x);
    let engine = x.engine();
    let read = (count > 0).then(|| engine.read(vec![x.handle().clone()]));
    async move {
        let Some(read) = read else { return TensorData::from_bytes(&[], shape, dtype) };
        let failed = |error: &dyn std::fmt::Display| DataError::Device(format!("{}: {error}", engine.name()));
        let bytes = read.await.map_err(|error| {
            constant_cache::forget(engine);
            DataError::Device(device_error_text(engine.name(), &error))
        })?;
        let bytes: &[u8] = bytes.first().ok_or_else(|| failed(&"nothing came back"))?;
        let stored = count * crate::launch::element::stored_size(dtype);
        let bytes = bytes.get(..stored).ok_or_else(|| failed(&"fewer bytes than elements came back"))?;
        if dtype != DType::Bool {
            return TensorData::from_bytes(bytes, shape, dtype);
        }
        let bools: Vec<u8> = bytes.chunks_exact(4).map(|word| u8::from(word != [0; 4])).collect();
        TensorData::from_bytes(&bools, shape, dtype)
    }
}

#[track_caller]
pub fn full(spec: TensorSpec, value: Scalar, engine: &'static dyn Engine) -> CubeTensor {
    let mut program = Program::new(0);
    let register = program.constant(value, spec.dtype);
    program.output(register);
    let shape = spec.shape.clone();
    program.run(&shape, &[], vec![spec], engine).remove(0)
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Range;

impl Kernel for Range {
    const NAME: &'static str = "range";

    fn expand(&self, body: &mut Body) {
        let count = body.next_word();
        let scalars = read_scalars(body, 2);
        let (out, dtype) = (body.variable(0), body.dtype(0));
        let at = strides::position::expand(&mut body.scope);
        let inside = strides::is_below::expand(&mut body.scope, at.clone(), count);
        Steps { scope: &mut body.scope, abilities: Abilities::default() }.when(inside, |steps| {
            let [start, step] =
                [0, 1].map(|at| steps.scalar(dtype, scalars[at].0.clone(), scalars[at].1.clone()));
            let index = crate::ops::block::KernelValue::new(at.clone(), DType::U32);
            let index = steps.cast(&index, dtype);
            let far = steps.binary(BinaryOp::Mul, &index, &step);
            let value = steps.binary(BinaryOp::Add, &start, &far);
            steps.store(&out, at, &value);
        });
    }
}

#[track_caller]
pub fn range(spec: TensorSpec, start: Scalar, step: Scalar, engine: &'static dyn Engine) -> CubeTensor {
    let (count, dtype) = (spec.shape.num_elements(), spec.dtype);
    let out = CubeTensor::empty(spec, engine);
    let mut all: Vec<u32> = strides::words(&[count]).collect();
    all.extend(words(start, dtype).into_iter().chain(words(step, dtype)));
    launch(Range, &[], &[&out], &all, count);
    out
}
