//! A block of elementwise operations in one pass: chunk by chunk, intermediates stay in the cache.

use crate::buffer::Buffer;
use crate::parallel::{self, Shared};
use crate::simd::{Operand, Run};
use crate::strided::One;
use crate::tensor::NdTensor;
use crate::{binary, unary};
use alloc::vec::Vec;
use burn_backend::{Block, DType, Operation, Register};

/// Bytes of intermediates that stay in the first cache.
const CACHED: usize = 32 << 10;

pub fn run(block: Block<NdTensor>) -> Vec<NdTensor> {
    let Block { spec, inputs, steps, outputs } = block;
    let (len, width, dtype) = (spec.shape.num_elements(), spec.dtype.size(), spec.dtype);
    let inputs: Vec<NdTensor> = inputs.into_iter().map(NdTensor::into_contiguous).collect();
    let starts: Vec<Shared<u8>> = inputs.iter().map(|x| Shared(x.start().cast_mut())).collect();
    // Every chunk is read before results are written to it, so inputs that nobody else sees serve as results.
    let mut spare: Vec<NdTensor> = Vec::new();
    let mut kept: Vec<NdTensor> = Vec::new();
    for x in inputs {
        if x.is_writable() && spare.len() < outputs.len() { spare.push(x) } else { kept.push(x) }
    }
    let mut results: Vec<NdTensor> =
        outputs.iter().map(|_| spare.pop().unwrap_or_else(|| NdTensor::new(spec.clone()))).collect();
    let places: Vec<Shared<u8>> = results.iter_mut().map(|x| Shared(x.start_mut())).collect();
    let chunk = (CACHED / (width * steps.len().max(1))).clamp(128, 4096);
    let cost = steps.iter().map(cost).sum::<usize>();
    parallel::for_ranges(len.div_ceil(chunk), cost * chunk, &|range| {
        let mut registers = Buffer::new(steps.len() * chunk * width);
        let registers: &mut [u8] = registers.as_mut_slice().expect("a new buffer is unique");
        let registers = registers.as_mut_ptr();
        let register = |k: usize| registers.wrapping_add(k * chunk * width);
        for index in range {
            let first = index * chunk;
            let len = chunk.min(len - first);
            let address = |r: Register| match usize::from(r).checked_sub(starts.len()) {
                None => starts[usize::from(r)].get().wrapping_add(first * width),
                Some(k) => register(k),
            };
            for (k, step) in steps.iter().enumerate() {
                let operand = |&r: &Register| Operand { start: address(r), repeated: false, width };
                // SAFETY: inputs and registers have `len` elements here; a step reads registers before its own.
                unsafe { run_step(step, dtype, register(k), operand, len) };
            }
            for (place, &r) in places.iter().zip(&outputs) {
                // SAFETY: results have the length of the block; registers are no part of them.
                unsafe { address(r).copy_to(place.get().wrapping_add(first * width), len * width) };
            }
        }
    });
    drop(kept);
    results
}

#[allow(clippy::wildcard_enum_match_arm)] // A block has no other operations.
fn cost(step: &Operation<Register>) -> usize {
    match step {
        Operation::Unary { op, .. } => unary::cost(*op),
        Operation::Binary { op, .. } | Operation::BinaryScalar { op, .. } => binary::cost(*op),
        other => unreachable!("{} in an elementwise block", other.name()),
    }
}

/// # Safety
/// `out` may be written and the operands read for `len` elements of `dtype`.
#[allow(clippy::wildcard_enum_match_arm)] // A block has no other operations.
unsafe fn run_step(
    step: &Operation<Register>,
    dtype: DType,
    out: *mut u8,
    operand: impl Fn(&Register) -> Operand,
    len: usize,
) {
    let width = dtype.size();
    // SAFETY: by the contract.
    unsafe {
        match step {
            Operation::Unary { op, x } => unary::kernel(*op, dtype, &Run::new(out, width, [operand(x)], len)),
            Operation::Binary { op, lhs, rhs } => {
                binary::kernel(*op, dtype, &Run::new(out, width, [operand(lhs), operand(rhs)], len));
            }
            Operation::BinaryScalar { op, lhs, rhs } => {
                if let Some(op) = binary::as_unary(*op, dtype, *rhs) {
                    return unary::kernel(op, dtype, &Run::new(out, width, [operand(lhs)], len));
                }
                let one = One::new(*rhs, dtype);
                binary::kernel(*op, dtype, &Run::new(out, width, [operand(lhs), one.operand()], len));
            }
            other => unreachable!("{} in an elementwise block", other.name()),
        }
    }
}
