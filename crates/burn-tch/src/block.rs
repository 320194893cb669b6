//! Elementwise blocks on the processor, part by part: what is computed of a part stays in the cache of a
//! core.

use crate::LibTorchDevice;
use crate::create::uninitialized;
use crate::leaf::Leaf;
use crate::library::Torch;
use crate::parallel::for_ranges;
use crate::tensor::{Shared, TchTensor};
use burn_backend::{
    Block, BlockStep, DType, HasSpec, Register, Shape, TensorSpec,
    kernel_error::{self, KernelError},
    kernels, memory_budget, reference,
};
use burn_library_backend::{Kernels, Memory};
use std::sync::{Mutex, PoisonError};
use tch::{TchError, Tensor};

type Result<T> = std::result::Result<T, TchError>;

/// Why a part could not be computed.
enum Failure {
    Library(TchError),
    Kernel(KernelError),
}

impl From<TchError> for Failure {
    fn from(error: TchError) -> Self {
        Failure::Library(error)
    }
}

/// Elements of a part.
const PART: usize = 1 << 14;

/// Blocks of fewer parts run as they are.
const FEWEST: usize = 4;

pub fn run_block(block: Block<TchTensor>) -> Vec<TchTensor> {
    if block.head.is_some() {
        return reference::head_first::<Leaf>(block, run_block);
    }
    kernels::ran(|| "composition run_block".into());
    match Parts::of(&block) {
        Some(parts) => {
            kernels::explain(|| "in parts".into());
            in_parts(block, parts)
        }
        None => reference::run_block::<Leaf>(block),
    }
}

/// How a block is divided: along one dimension of its shape, or of its elements in order.
struct Parts {
    shape: Shape,
    dim: usize,
    /// Size of a part along the dimension; the last is smaller.
    step: usize,
}

impl Parts {
    /// Finds a division; `None` where there is none, or no gain in one.
    fn of(block: &Block<TchTensor>) -> Option<Self> {
        let count = block.shape.num_elements();
        let is_plain = |dtype| matches!(dtype, DType::F32 | DType::F64 | DType::Bool);
        let is_elementwise =
            |step: &BlockStep<Register>| step.as_elementwise().is_some_and(|op| !op.is_cast());
        let fits = count >= FEWEST * PART
            && block.steps.len() > 1
            && block.steps.iter().all(is_elementwise)
            && block.specs.iter().all(|spec| spec.shape == block.shape && is_plain(spec.dtype))
            && block.inputs.iter().all(|x| x.device() == LibTorchDevice::Cpu && is_plain(x.dtype()));
        if !fits {
            return None;
        }
        let is_flat = |x: &TchTensor| {
            x.spec().shape.num_elements() == 1 || (x.spec().shape == block.shape && x.tch().is_contiguous())
        };
        if block.inputs.iter().all(is_flat) {
            return Some(Parts { shape: Shape::from([count]), dim: 0, step: PART });
        }
        let shape = block.shape.clone();
        let dim = shape.iter().position(|&size| size > 1)?;
        let inner = count / shape[dim];
        let is_aligned = block.inputs.iter().all(|x| x.spec().shape.rank() == shape.rank());
        (is_aligned && inner <= 2 * PART).then(|| Parts { step: (PART / inner).max(1), shape, dim })
    }

    fn count(&self) -> usize {
        self.shape[self.dim].div_ceil(self.step)
    }

    /// The shape of part `at`, or of what an input has of it.
    fn shape(&self, at: usize) -> Shape {
        let size = self.shape[self.dim];
        self.shape.with(self.dim, self.step.min(size - at * self.step))
    }

    /// The whole of an operand or a result, in the shape that is divided.
    fn whole(&self, x: &Tensor) -> Result<Tensor> {
        match x.dim() == self.shape.rank() {
            true => Ok(x.shallow_clone()),
            false => x.f_view([-1]),
        }
    }

    /// Part `at` of an operand or a result; what is repeated along the dimension is there whole.
    fn part(&self, x: &Tensor, at: usize) -> Result<Tensor> {
        if x.size()[self.dim] == 1 {
            return Ok(x.shallow_clone());
        }
        let size = self.shape(at)[self.dim];
        x.f_narrow(self.dim as i64, (at * self.step) as i64, size as i64)
    }

    /// Part `at` of an operand as a tensor of ours.
    fn operand(&self, x: &Tensor, dtype: DType, at: usize) -> Result<TchTensor> {
        let part = self.part(x, at)?;
        let shape: Shape = part.size().into_iter().map(|size| size as usize).collect();
        Ok(TchTensor::new(TensorSpec { shape, dtype }, part, LibTorchDevice::Cpu, Memory::none()))
    }
}

/// Runs the block over every part. A result is written over an input that nothing else holds, if there is one
/// like it: when all that is computed of a part is there, nothing reads the part again.
fn in_parts(block: Block<TchTensor>, parts: Parts) -> Vec<TchTensor> {
    let Block { mut inputs, steps, specs, outputs, .. } = block;
    let mut free: Vec<usize> = (0..inputs.len()).filter(|&at| inputs[at].unique().is_some()).collect();
    let result = |&output: &Register| {
        let spec = &specs[usize::from(output) - inputs.len()];
        match free.iter().position(|&at| inputs[at].spec() == spec) {
            Some(found) => inputs[free.remove(found)].clone(),
            None => uninitialized(spec.clone()),
        }
    };
    let results: Vec<TchTensor> = outputs.iter().map(result).collect();
    let run = || {
        let whole = |x: &TchTensor| parts.whole(x.tch()).map(Shared);
        let operands = inputs.iter().map(|x| Ok((whole(x)?, x.dtype()))).collect::<Result<_>>()?;
        let results = results.iter().map(whole).collect::<Result<_>>()?;
        DividedBlock { steps, specs, outputs, operands, results, parts }.run()
    };
    match run() {
        Ok(()) => results,
        Err(Failure::Kernel(error)) => error.raise(),
        Err(Failure::Library(error)) => Torch::raise("run_block", None, LibTorchDevice::Cpu, &error),
    }
}

/// A block whose operands and results are divided.
struct DividedBlock {
    steps: Vec<BlockStep<Register>>,
    specs: Vec<TensorSpec>,
    outputs: Vec<Register>,
    operands: Vec<(Shared, DType)>,
    results: Vec<Shared>,
    parts: Parts,
}

impl DividedBlock {
    fn run(&self) -> std::result::Result<(), Failure> {
        let scope = memory_budget::current();
        let failure = Mutex::new(None);
        for_ranges(self.parts.count(), 1, &|range| {
            let run = || range.into_iter().try_for_each(|at| self.run_caught(at));
            let done = match &scope {
                Some(scope) => scope.run(run),
                None => run(),
            };
            if let Err(found) = done {
                *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
            }
        });
        failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Errors of kernels belong to the thread that calls the block.
    fn run_caught(&self, at: usize) -> std::result::Result<(), Failure> {
        let mut done = Ok(());
        kernel_error::catch(&mut || done = self.run_part(at)).map_err(Failure::Kernel)?;
        done.map_err(Failure::Library)
    }

    fn run_part(&self, at: usize) -> Result<()> {
        let shape = self.parts.shape(at);
        let inputs = self.operands.iter().map(|(x, dtype)| self.parts.operand(&x.0, *dtype, at));
        let inputs = inputs.collect::<Result<Vec<_>>>()?;
        // While they are held, steps cannot write over them.
        let held = inputs.clone();
        let specs = self.specs.iter().map(|spec| TensorSpec { shape: shape.clone(), dtype: spec.dtype });
        let (specs, steps, outputs) = (specs.collect(), self.steps.clone(), self.outputs.clone());
        let found = reference::run_block::<Leaf>(Block {
            shape,
            folded: 0,
            head: None,
            inputs,
            steps,
            specs,
            outputs,
        });
        drop(held);
        self.results
            .iter()
            .zip(&found)
            .try_for_each(|(result, found)| self.parts.part(&result.0, at)?.f_copy_(found.tch()))
    }
}
