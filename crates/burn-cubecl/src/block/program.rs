use super::step::{Steps, Value};
use crate::element::words as words_of;
use burn_backend::*;
use cubecl::prelude::NativeExpand;

/// Operations over inputs: registers are the inputs, and then one per step.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub steps: Vec<Step>,
    pub inputs: usize,
    pub outputs: Vec<Register>,
    /// Of the numbers that are given with a launch.
    pub scalars: Vec<[u32; 2]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    Scalar {
        dtype: DType,
        slot: u16,
    },
    Unary {
        op: UnaryOp,
        x: Register,
    },
    Binary {
        op: BinaryOp,
        lhs: Register,
        rhs: Register,
    },
    Compare {
        op: CompareOp,
        lhs: Register,
        rhs: Register,
    },
    Choose {
        mask: Register,
        on: Register,
        off: Register,
    },
    Cast {
        x: Register,
        dtype: DType,
    },
    /// A row to one element.
    Fold {
        op: ReduceOp,
        x: Register,
    },
}

impl Step {
    /// The registers that the step reads.
    pub fn operands(&self) -> impl Iterator<Item = usize> {
        let list = match *self {
            Step::Scalar { .. } => [None; 3],
            Step::Unary { x, .. } | Step::Cast { x, .. } | Step::Fold { x, .. } => [Some(x), None, None],
            Step::Binary { lhs, rhs, .. } | Step::Compare { lhs, rhs, .. } => [Some(lhs), Some(rhs), None],
            Step::Choose { mask, on, off } => [Some(mask), Some(on), Some(off)],
        };
        list.into_iter().flatten().map(usize::from)
    }

    /// Writes the step for one element.
    pub fn write<'a>(
        &self,
        steps: &mut Steps,
        scalars: &[ScalarWords],
        value: impl Fn(Register) -> &'a Value,
    ) -> Value {
        match *self {
            Step::Scalar { dtype, slot } => {
                let (low, high) = scalars[usize::from(slot)].clone();
                steps.scalar(dtype, low, high)
            }
            Step::Unary { op, x } => steps.unary(op, value(x)),
            Step::Binary { op, lhs, rhs } => steps.binary(op, value(lhs), value(rhs)),
            Step::Compare { op, lhs, rhs } => steps.compare(op, value(lhs), value(rhs)),
            Step::Choose { mask, on, off } => steps.choose(value(mask), value(on), value(off)),
            Step::Cast { x, dtype } => steps.cast(value(x), dtype),
            Step::Fold { op, .. } => unreachable!("{} is of rows", op.name()),
        }
    }
}

/// A number of a launch, low word first.
pub type ScalarWords = (NativeExpand<u32>, NativeExpand<u32>);

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

    /// Appends an elementwise operation, or a fold of rows, over registers whose first operand has the element type `dtype`.
    pub fn operation(&mut self, op: &Operation<Register>, dtype: DType) -> Register {
        use Operation::*;
        match *op {
            Unary { op, x } => self.push(Step::Unary { op, x }),
            Binary { op, lhs, rhs } => self.push(Step::Binary { op, lhs, rhs }),
            BinaryScalar { op, lhs, rhs } => {
                let (op, rhs) = match reciprocal(op, rhs, dtype) {
                    Some(factor) => (BinaryOp::Mul, factor),
                    None => (op, rhs),
                };
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
            Reduce { op, x, .. } => self.push(Step::Fold { op, x }),
            Reshape { .. }
            | Permute { .. }
            | Flip { .. }
            | Slice { .. }
            | SliceAssign { .. }
            | Cat { .. }
            | RepeatDim { .. }
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
            | Interpolate { .. }
            | InterpolateGrad { .. }
            | Fft { .. }
            | Softmax { .. }
            | LogSoftmax { .. }
            | LayerNorm(_)
            | LayerNormGrad(_)
            | Attention(_)
            | AttentionGrad(_) => unreachable!("{} is not elementwise", op.name()),
        }
    }

    pub fn unary(&mut self, op: UnaryOp, x: Register) -> Register {
        self.push(Step::Unary { op, x })
    }

    pub fn binary(&mut self, op: BinaryOp, lhs: Register, rhs: Register) -> Register {
        self.push(Step::Binary { op, lhs, rhs })
    }

    pub fn cast(&mut self, x: Register, dtype: DType) -> Register {
        self.push(Step::Cast { x, dtype })
    }

    /// A row to one element.
    pub fn fold(&mut self, op: ReduceOp, x: Register) -> Register {
        self.push(Step::Fold { op, x })
    }

    /// A value that does not depend on inputs.
    pub fn constant(&mut self, value: Scalar, dtype: DType) -> Register {
        self.scalar(value, dtype)
    }

    /// Marks a register as a result.
    pub fn output(&mut self, register: Register) {
        self.outputs.push(register);
    }
}

/// What to multiply by instead of dividing by `x`, where that is the same: division by a power of two is exact, and takes an
/// instruction so.
fn reciprocal(op: BinaryOp, x: Scalar, dtype: DType) -> Option<Scalar> {
    // Halves have these powers and their reciprocals too.
    const POWERS: std::ops::RangeInclusive<u32> = 127 - 14..=127 + 14;
    if op != BinaryOp::Div || !matches!(dtype, DType::F32 | DType::F16 | DType::BF16) {
        return None;
    }
    let [bits, _] = words_of(x, dtype);
    let is_power = bits & 0x007f_ffff == 0 && POWERS.contains(&(bits >> 23 & 0xff));
    is_power.then(|| Scalar::Float((1.0 / f32::from_bits(bits)).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_have_reciprocals() {
        let of = |op, x: f32| reciprocal(op, x.into(), DType::F16).map(|x| x.elem::<f32>());
        assert_eq!(of(BinaryOp::Div, 8.0), Some(0.125));
        assert_eq!(of(BinaryOp::Div, -0.25), Some(-4.0));
        assert_eq!(of(BinaryOp::Div, 16_384.0), Some(1.0 / 16_384.0));
        for other in [3.0, 0.0, 32_768.0, f32::INFINITY, f32::NAN] {
            assert_eq!(of(BinaryOp::Div, other), None, "{other}");
        }
        assert_eq!(of(BinaryOp::Sub, 8.0), None);
        assert_eq!(reciprocal(BinaryOp::Div, 8_i32.into(), DType::I32).map(|x| x.elem::<i32>()), None);
    }
}
