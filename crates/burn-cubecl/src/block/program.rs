use super::step::{Steps, Value};
use crate::element::words as words_of;
use crate::engine::Engine;
use crate::kernel::{Body, Kernel, launch};
use crate::leaf::Leaf;
use crate::strides::{self, Merged, broadcast};
use crate::tensor::{CubeTensor, require};
use burn_backend::*;

/// Elementwise operations over inputs: registers are the inputs, and then one per step.
#[derive(Clone, Debug, Default)]
pub struct Program {
    steps: Vec<Step>,
    inputs: usize,
    outputs: Vec<Register>,
    /// Of the numbers that are given with a launch.
    scalars: Vec<[u32; 2]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Scalar { dtype: DType, slot: u16 },
    Unary { op: UnaryOp, x: Register },
    Binary { op: BinaryOp, lhs: Register, rhs: Register },
    Compare { op: CompareOp, lhs: Register, rhs: Register },
    Choose { mask: Register, on: Register, off: Register },
    Cast { x: Register, dtype: DType },
}

/// How an input is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Access {
    /// Element by element from the start of the buffer.
    Linear,
    /// One element for all.
    Repeated,
    Strided,
}

/// A program as it is compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct BlockKernel {
    steps: Vec<Step>,
    accesses: Vec<Access>,
    outputs: Vec<Register>,
    rank: usize,
    scalars: usize,
    is_wide: bool,
}

impl Kernel for BlockKernel {
    const NAME: &'static str = "block";

    fn expand(&self, body: &mut Body) {
        let (rank, inputs) = (self.rank, self.accesses.len());
        let count = body.word(0);
        let sizes = body.words(1, rank);
        let mut next = 1 + rank;
        let views: Vec<_> = self
            .accesses
            .iter()
            .map(|access| {
                let start = body.word(next);
                next += 1;
                let strides = (*access == Access::Strided).then(|| {
                    next += rank;
                    body.words(next - rank, rank)
                });
                (start, strides)
            })
            .collect();
        let scalars: Vec<_> =
            (0..self.scalars).map(|k| (body.word(next + 2 * k), body.word(next + 2 * k + 1))).collect();
        let arrays: Vec<_> =
            (0..inputs + self.outputs.len()).map(|at| (body.variable(at), body.dtype(at))).collect();
        let at = strides::position::expand(&mut body.scope);
        let inside = strides::is_below::expand(&mut body.scope, at.clone(), count);
        let mut steps = Steps { scope: &mut body.scope, is_wide: self.is_wide };
        steps.when(inside, |steps| {
            let mut values: Vec<Value> = Vec::new();
            for (((array, dtype), access), (start, strides)) in arrays.iter().zip(&self.accesses).zip(&views)
            {
                let index = match (access, strides) {
                    (Access::Linear, _) => at.clone(),
                    (Access::Strided, Some(strides)) => strides::place::expand(
                        steps.scope,
                        at.clone(),
                        sizes.clone(),
                        strides.clone(),
                        start.clone(),
                    ),
                    (Access::Repeated | Access::Strided, _) => start.clone(),
                };
                values.push(steps.load(array, *dtype, index));
            }
            for step in &self.steps {
                let value = |r: &Register| &values[usize::from(*r)];
                let result = match step {
                    Step::Scalar { dtype, slot } => {
                        let (low, high) = scalars[usize::from(*slot)].clone();
                        steps.scalar(*dtype, low, high)
                    }
                    Step::Unary { op, x } => steps.unary(*op, value(x)),
                    Step::Binary { op, lhs, rhs } => steps.binary(*op, value(lhs), value(rhs)),
                    Step::Compare { op, lhs, rhs } => steps.compare(*op, value(lhs), value(rhs)),
                    Step::Choose { mask, on, off } => steps.choose(value(mask), value(on), value(off)),
                    Step::Cast { x, dtype } => steps.cast(value(x), *dtype),
                };
                values.push(result);
            }
            for ((array, _), output) in arrays[inputs..].iter().zip(&self.outputs) {
                steps.store(array, at.clone(), &values[usize::from(*output)]);
            }
        });
    }
}

impl Program {
    /// A program over so many inputs.
    pub fn new(inputs: usize) -> Self {
        Program { inputs, ..Program::default() }
    }

    fn push(&mut self, step: Step) -> Register {
        self.steps.push(step);
        (self.inputs + self.steps.len() - 1) as Register
    }

    fn scalar(&mut self, value: Scalar, dtype: DType) -> Register {
        self.scalars.push(words_of(value, dtype));
        self.push(Step::Scalar { dtype, slot: (self.scalars.len() - 1) as u16 })
    }

    /// Appends an elementwise operation over registers whose first operand has the element type `dtype`.
    pub fn operation(&mut self, op: &Operation<Register>, dtype: DType) -> Register {
        use Operation::*;
        match *op {
            Unary { op, x } => self.push(Step::Unary { op, x }),
            Binary { op, lhs, rhs } => self.push(Step::Binary { op, lhs, rhs }),
            BinaryScalar { op, lhs, rhs } => {
                let rhs = self.scalar(rhs, dtype);
                self.push(Step::Binary { op, lhs, rhs })
            }
            Compare { op, lhs, rhs } => self.push(Step::Compare { op, lhs, rhs }),
            CompareScalar { op, lhs, rhs } => {
                let rhs = self.scalar(rhs, dtype);
                self.push(Step::Compare { op, lhs, rhs })
            }
            Clamp { x, min, max } => {
                let mut value = x;
                for (op, bound) in [(BinaryOp::Max, min), (BinaryOp::Min, max)] {
                    if let Some(bound) = bound {
                        let rhs = self.scalar(bound, dtype);
                        value = self.push(Step::Binary { op, lhs: value, rhs });
                    }
                }
                value
            }
            MaskWhere { mask, on, off } => self.push(Step::Choose { mask, on, off }),
            MaskFill { x, mask, value } => {
                let on = self.scalar(value, dtype);
                self.push(Step::Choose { mask, on, off: x })
            }
            Cast { x, dtype } => self.push(Step::Cast { x, dtype }),
            Expand { x, .. } => x,
            Reshape { .. }
            | Permute { .. }
            | Flip { .. }
            | Slice { .. }
            | SliceAssign { .. }
            | Cat { .. }
            | RepeatDim { .. }
            | Reduce { .. }
            | ArgReduce { .. }
            | ReduceWithIndices { .. }
            | Cumulative { .. }
            | Sort { .. }
            | SortWithIndices { .. }
            | TopK { .. }
            | Gather { .. }
            | Scatter { .. }
            | Select { .. }
            | SelectAssign { .. }
            | Matmul { .. }
            | Factorize { .. }
            | Lu { .. }
            | Solve { .. }
            | SolveTriangular { .. }
            | Conv(_)
            | ConvTranspose(_)
            | ConvWeightGrad(_)
            | Pool(_)
            | PoolGrad(_)
            | MaxPoolWithIndices { .. }
            | AdaptiveAvgPool { .. }
            | AdaptiveAvgPoolGrad { .. }
            | Fft { .. }
            | Softmax { .. }
            | LogSoftmax { .. }
            | LayerNorm(_)
            | LayerNormGrad(_)
            | Attention(_)
            | AttentionGrad(_) => unreachable!("{} is not elementwise", op.name()),
        }
    }

    /// A value that does not depend on inputs.
    pub fn constant(&mut self, value: Scalar, dtype: DType) -> Register {
        self.scalar(value, dtype)
    }

    /// Marks a register as a result.
    pub fn output(&mut self, register: Register) {
        self.outputs.push(register);
    }

    /// The results, of these specs, whose shapes are `shape`.
    pub fn run(
        self,
        shape: &Shape,
        inputs: &[&CubeTensor],
        specs: Vec<TensorSpec>,
        engine: &'static dyn Engine,
    ) -> Vec<CubeTensor> {
        specs.iter().for_each(|spec| require(engine, spec.dtype));
        let outputs: Vec<CubeTensor> =
            specs.into_iter().map(|spec| CubeTensor::empty(spec, engine)).collect();
        let places: Vec<&CubeTensor> = outputs.iter().collect();
        self.run_into(shape, inputs, &places);
        outputs
    }

    /// The results in `outputs`, which are contiguous.
    pub fn run_into(self, shape: &Shape, inputs: &[&CubeTensor], outputs: &[&CubeTensor]) {
        let count = shape.num_elements();
        let views: Vec<Dims> = inputs.iter().map(|x| broadcast(x, shape)).collect();
        let merged = Merged::new(shape, &views);
        let access = |(x, strides): (&&CubeTensor, &Vec<usize>)| {
            if strides.iter().all(|&stride| stride == 0) {
                Access::Repeated
            } else if strides[..] == [1] && x.offset() == 0 {
                Access::Linear
            } else {
                Access::Strided
            }
        };
        let accesses: Vec<Access> = inputs.iter().zip(&merged.strides).map(access).collect();
        let is_strided = accesses.contains(&Access::Strided);
        let rank = if is_strided { merged.rank() } else { 0 };
        let mut words: Vec<u32> = strides::words(&[count]).collect();
        words.extend(strides::words(&merged.sizes[..rank]));
        for ((x, strides), access) in inputs.iter().zip(&merged.strides).zip(&accesses) {
            words.extend(strides::words(&[x.offset()]));
            if *access == Access::Strided {
                words.extend(strides::words(strides));
            }
        }
        words.extend(self.scalars.iter().flatten());
        let is_wide = outputs[0].engine().has(DType::I64);
        let scalars = self.scalars.len();
        let kernel =
            BlockKernel { steps: self.steps, accesses, outputs: self.outputs, rank, scalars, is_wide };
        launch(kernel, inputs, outputs, &words, count);
    }
}

/// A fused block: one kernel, if nothing in it folds rows.
pub fn run_block(block: Block<CubeTensor>) -> Vec<CubeTensor> {
    reference::head_first::<Leaf>(block, fused)
}

fn fused(block: Block<CubeTensor>) -> Vec<CubeTensor> {
    if block.folded > 0 || block.inputs.is_empty() {
        return reference::run_block::<Leaf>(block);
    }
    let Block { shape, folded: _, head: _, inputs, steps, specs, outputs } = block;
    let mut program = Program::new(inputs.len());
    // Where each register of the block is in the program, and its element type.
    let mut places: Vec<(Register, DType)> =
        inputs.iter().enumerate().map(|(at, x)| (at as Register, x.dtype())).collect();
    for (step, spec) in steps.into_iter().zip(&specs) {
        let mut dtype = None;
        let step = step.map(|r| {
            let (place, found) = places[usize::from(r)];
            dtype.get_or_insert(found);
            place
        });
        let register = program.operation(&step, dtype.expect("operations have operands"));
        places.push((register, spec.dtype));
    }
    let first = inputs.len();
    let results = outputs.iter().map(|&r| specs[usize::from(r) - first].clone()).collect();
    outputs.iter().for_each(|&r| program.output(places[usize::from(r)].0));
    let engine = inputs[0].engine();
    program.run(&shape, &inputs.iter().collect::<Vec<_>>(), results, engine)
}
