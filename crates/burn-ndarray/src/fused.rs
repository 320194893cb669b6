//! A block of elementwise operations in one pass: chunk by chunk, intermediates stay in the cache.

use crate::elementwise::{Chunk, Chunk2, ChunkScalar, binary_number, unary_float};
use crate::float::Float;
use crate::{Array, NdTensor};
use burn_backend::{Block, DType, Operation, Register};

const CHUNK: usize = 1024;

pub fn run(block: Block<NdTensor>) -> Vec<NdTensor> {
    match block.spec.dtype {
        DType::F32 => run_typed(block, NdTensor::into_f32),
        DType::F64 => run_typed(block, NdTensor::into_f64),
        _ => unreachable!("blocks are of floats"),
    }
}

fn run_typed<E: Float>(block: Block<NdTensor>, into: fn(NdTensor) -> Array<E>) -> Vec<NdTensor>
where
    NdTensor: From<Array<E>>,
{
    let Block { spec, inputs, steps, outputs } = block;
    let inputs: Vec<Array<E>> = inputs.into_iter().map(|x| into(x).into_contiguous()).collect();
    let total = spec.shape.num_elements();
    let mut results: Vec<Vec<E>> = outputs.iter().map(|_| Vec::with_capacity(total)).collect();
    let mut registers = vec![E::default(); steps.len() * CHUNK.min(total)];
    for start in (0..total).step_by(CHUNK) {
        let len = CHUNK.min(total - start);
        let chunk = |k: usize| &inputs[k].buffer()[start..start + len];
        for (k, step) in steps.iter().enumerate() {
            let (done, rest) = registers.split_at_mut(k * len);
            let read = |r: &Register| match usize::from(*r).checked_sub(inputs.len()) {
                None => chunk(usize::from(*r)),
                Some(k) => &done[k * len..(k + 1) * len],
            };
            run_step(step, &mut rest[..len], read);
        }
        for (result, &r) in results.iter_mut().zip(&outputs) {
            let k = usize::from(r) - inputs.len();
            result.extend_from_slice(&registers[k * len..(k + 1) * len]);
        }
    }
    results.into_iter().map(|values| Array::new(spec.shape.clone(), values).into()).collect()
}

#[allow(clippy::wildcard_enum_match_arm, reason = "the planner of blocks puts nothing else into one")]
fn run_step<'a, E: Float>(step: &Operation<Register>, out: &mut [E], read: impl Fn(&Register) -> &'a [E]) {
    match step {
        Operation::Unary { op, x } => unary_float(*op, Chunk { out, x: Some(read(x)) }),
        Operation::Binary { op, lhs, rhs } => {
            binary_number(*op, Chunk2 { out, x: Some(read(lhs)), y: Some(read(rhs)) });
        }
        Operation::BinaryScalar { op, lhs, rhs } => {
            let chunk = Chunk { out, x: Some(read(lhs)) };
            binary_number(*op, ChunkScalar { chunk, y: E::from_f64(rhs.to_f64()) });
        }
        other => unreachable!("{} in an elementwise block", other.name()),
    }
}
