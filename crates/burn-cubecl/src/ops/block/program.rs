use super::corrected::Corrected;
use super::step::Steps;
use super::value::KernelValue;
use crate::device::arithmetic::Arithmetic;
use crate::device::engine::Engine;
use crate::launch::element::words as words_of;
use crate::launch::kernel::Body;
use burn_backend::*;
use cubecl::prelude::NativeExpand;

/// Program of operations over inputs: registers are the inputs, and then one per step.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub steps: Vec<ProgramStep>,
    pub inputs: usize,
    pub outputs: Vec<Register>,
    /// Scalars given with each launch, as words.
    pub scalars: Vec<[u32; 2]>,
}

/// Step of a [`Program`], which makes one register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProgramStep {
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
    /// Division by a scalar, whose reciprocal is given too.
    Quotient {
        x: Register,
        divisor: Register,
        inverse: Register,
    },
    /// Correctly rounded result of an operation whose instruction is only approximate; for other types than
    /// `f32`, the operation itself.
    Corrected {
        op: Corrected,
        x: Register,
        /// Divisor of a quotient; otherwise `x` again.
        y: Register,
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

impl ProgramStep {
    /// The registers that the step reads.
    pub fn operands(&self) -> impl Iterator<Item = usize> {
        let list = match *self {
            ProgramStep::Scalar { .. } => [None; 3],
            ProgramStep::Unary { x, .. } | ProgramStep::Cast { x, .. } | ProgramStep::Fold { x, .. } => {
                [Some(x), None, None]
            }
            ProgramStep::Binary { lhs, rhs, .. } | ProgramStep::Compare { lhs, rhs, .. } => {
                [Some(lhs), Some(rhs), None]
            }
            ProgramStep::Corrected { x, y, .. } => [Some(x), Some(y), None],
            ProgramStep::Choose { mask, on, off } => [Some(mask), Some(on), Some(off)],
            ProgramStep::Quotient { x, divisor, inverse } => [Some(x), Some(divisor), Some(inverse)],
        };
        list.into_iter().flatten().map(usize::from)
    }

    /// The name of the operation; numbers that are given have none.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            ProgramStep::Scalar { .. } => None,
            ProgramStep::Unary { op, .. } => Some(op.name()),
            ProgramStep::Binary { op, .. } => Some(op.name()),
            ProgramStep::Quotient { .. } | ProgramStep::Corrected { op: Corrected::Quotient, .. } => {
                Some(BinaryOp::Div.name())
            }
            ProgramStep::Corrected { op: Corrected::Inverse, .. } => Some(UnaryOp::Recip.name()),
            ProgramStep::Corrected { op: Corrected::Root, .. } => Some(UnaryOp::Sqrt.name()),
            ProgramStep::Compare { op, .. } => Some(op.name()),
            ProgramStep::Choose { .. } => Some("mask_where"),
            ProgramStep::Cast { .. } => Some("cast"),
            ProgramStep::Fold { op, .. } => Some(op.name()),
        }
    }

    /// Writes the step for one element.
    pub fn write<'a>(
        &self,
        steps: &mut Steps,
        scalars: &[ScalarWords],
        value: impl Fn(Register) -> &'a KernelValue,
    ) -> KernelValue {
        match *self {
            ProgramStep::Scalar { dtype, slot } => {
                let (low, high) = scalars[usize::from(slot)].clone();
                steps.scalar(dtype, low, high)
            }
            ProgramStep::Unary { op, x } => steps.unary(op, value(x)),
            ProgramStep::Binary { op, lhs, rhs } => steps.binary(op, value(lhs), value(rhs)),
            ProgramStep::Quotient { x, divisor, inverse } => {
                steps.quotient(value(x), value(divisor), value(inverse))
            }
            ProgramStep::Corrected { op, x, y } => steps.corrected(op, value(x), value(y)),
            ProgramStep::Compare { op, lhs, rhs } => steps.compare(op, value(lhs), value(rhs)),
            ProgramStep::Choose { mask, on, off } => steps.choose(value(mask), value(on), value(off)),
            ProgramStep::Cast { x, dtype } => steps.cast(value(x), dtype),
            ProgramStep::Fold { op, .. } => unreachable!("{} is of rows", op.name()),
        }
    }
}

/// A number of a launch, low word first.
pub type ScalarWords = (NativeExpand<u32>, NativeExpand<u32>);

/// Reads so many numbers from the next words of a launch.
pub fn read_scalars(body: &mut Body, count: usize) -> Vec<ScalarWords> {
    (0..count).map(|_| (body.next_word(), body.next_word())).collect()
}

impl Program {
    /// A program over so many inputs.
    pub fn new(inputs: usize) -> Self {
        Program { inputs, ..Program::default() }
    }

    fn push(&mut self, step: ProgramStep) -> Register {
        self.steps.push(step);
        (self.inputs + self.steps.len() - 1) as Register
    }

    fn scalar(&mut self, value: Scalar, dtype: DType) -> Register {
        self.word(words_of(value, dtype), dtype)
    }

    /// A number as steps compute with it.
    fn word(&mut self, words: [u32; 2], dtype: DType) -> Register {
        self.scalars.push(words);
        self.push(ProgramStep::Scalar { dtype, slot: (self.scalars.len() - 1) as u16 })
    }

    /// Appends a step of a block, whose first operand has the element type `dtype`.
    pub fn operation(&mut self, step: &BlockStep<Register>, dtype: DType) -> Register {
        let op = match step {
            BlockStep::Elementwise(op) => op,
            // Every input is repeated to what a step needs of it.
            BlockStep::Expand { x, .. } => return *x,
            BlockStep::Reduce { op, x, .. } => return self.push(ProgramStep::Fold { op: *op, x: *x }),
        };
        match *op {
            Elementwise::Unary { op, x } => self.push(ProgramStep::Unary { op, x }),
            Elementwise::Binary { op, lhs, rhs } => self.push(ProgramStep::Binary { op, lhs, rhs }),
            Elementwise::BinaryScalar { op, lhs, rhs } => {
                let inverse = (op == BinaryOp::Div).then(|| Inverse::of(rhs, dtype)).flatten();
                let Some(inverse) = inverse else {
                    let rhs = self.scalar(rhs, dtype);
                    return self.push(ProgramStep::Binary { op, lhs, rhs });
                };
                let factor = self.word([inverse.value.to_bits(), 0], dtype);
                if inverse.is_enough {
                    return self.push(ProgramStep::Binary { op: BinaryOp::Mul, lhs, rhs: factor });
                }
                let divisor = self.scalar(rhs, dtype);
                self.push(ProgramStep::Quotient { x: lhs, divisor, inverse: factor })
            }
            Elementwise::Compare { op, lhs, rhs } => self.push(ProgramStep::Compare { op, lhs, rhs }),
            Elementwise::CompareScalar { op, lhs, rhs } => {
                let rhs = self.scalar(rhs, dtype);
                self.push(ProgramStep::Compare { op, lhs, rhs })
            }
            Elementwise::Clamp { x, min, max } => {
                let mut value = x;
                for (op, bound) in [(BinaryOp::Max, min), (BinaryOp::Min, max)] {
                    if let Some(bound) = bound {
                        let rhs = self.scalar(bound, dtype);
                        value = self.push(ProgramStep::Binary { op, lhs: value, rhs });
                    }
                }
                value
            }
            Elementwise::MaskWhere { mask, on, off } => self.push(ProgramStep::Choose { mask, on, off }),
            Elementwise::MaskFill { x, mask, value } => {
                let on = self.scalar(value, dtype);
                self.push(ProgramStep::Choose { mask, on, off: x })
            }
            Elementwise::Cast { x, dtype } => self.push(ProgramStep::Cast { x, dtype }),
        }
    }

    pub fn unary(&mut self, op: UnaryOp, x: Register) -> Register {
        self.push(ProgramStep::Unary { op, x })
    }

    pub fn binary(&mut self, op: BinaryOp, lhs: Register, rhs: Register) -> Register {
        self.push(ProgramStep::Binary { op, lhs, rhs })
    }

    pub fn compare(&mut self, op: CompareOp, lhs: Register, rhs: Register) -> Register {
        self.push(ProgramStep::Compare { op, lhs, rhs })
    }

    /// `on` where `mask` is true.
    pub fn choose(&mut self, mask: Register, on: Register, off: Register) -> Register {
        self.push(ProgramStep::Choose { mask, on, off })
    }

    pub fn cast(&mut self, x: Register, dtype: DType) -> Register {
        self.push(ProgramStep::Cast { x, dtype })
    }

    /// A row to one element.
    pub fn fold(&mut self, op: ReduceOp, x: Register) -> Register {
        self.push(ProgramStep::Fold { op, x })
    }

    /// A value that does not depend on inputs.
    pub fn constant(&mut self, value: Scalar, dtype: DType) -> Register {
        self.scalar(value, dtype)
    }

    /// Adapts the program to this device: quotients are not corrected where products are rounded before a
    /// sum, and approximate instructions are corrected elsewhere.
    #[must_use]
    pub fn suited_to(mut self, engine: &dyn Engine) -> Self {
        let Arithmetic { fuses, rounds, .. } = engine.arithmetic();
        let is_near = fuses && !rounds;
        for step in &mut self.steps {
            match *step {
                ProgramStep::Quotient { x, divisor, .. } if !fuses => {
                    *step = ProgramStep::Binary { op: BinaryOp::Div, lhs: x, rhs: divisor };
                }
                ProgramStep::Binary { op: BinaryOp::Div, lhs: x, rhs: y } if is_near => {
                    *step = ProgramStep::Corrected { op: Corrected::Quotient, x, y };
                }
                ProgramStep::Unary { op: UnaryOp::Recip, x } if is_near => {
                    *step = ProgramStep::Corrected { op: Corrected::Inverse, x, y: x };
                }
                ProgramStep::Unary { op: UnaryOp::Sqrt, x } if is_near => {
                    *step = ProgramStep::Corrected { op: Corrected::Root, x, y: x };
                }
                ProgramStep::Unary { .. }
                | ProgramStep::Binary { .. }
                | ProgramStep::Quotient { .. }
                | ProgramStep::Corrected { .. } => {}
                ProgramStep::Scalar { .. } | ProgramStep::Compare { .. } | ProgramStep::Choose { .. } => {}
                ProgramStep::Cast { .. } | ProgramStep::Fold { .. } => {}
            }
        }
        self
    }

    /// Marks a register as a result.
    pub fn output(&mut self, register: Register) {
        self.outputs.push(register);
    }
}

/// Reciprocal of a scalar divisor.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Inverse {
    value: f32,
    /// Whether the rounded product is already the correctly rounded quotient.
    is_enough: bool,
}

impl Inverse {
    /// Returns the reciprocal of a number that is neither special nor near the ends of the range.
    fn of(x: Scalar, dtype: DType) -> Option<Self> {
        const EXPONENTS: std::ops::RangeInclusive<u32> = 127 - 14..=127 + 14;
        if !matches!(dtype, DType::F32 | DType::F16 | DType::BF16) {
            return None;
        }
        let [bits, _] = words_of(x, dtype);
        let is_power = bits & 0x007f_ffff == 0;
        // A quotient of halves is never so near the middle between two of them that an `f32` would be rounded
        // to the wrong one.
        let is_enough = is_power || dtype != DType::F32;
        let inverse = Inverse { value: 1.0 / f32::from_bits(bits), is_enough };
        EXPONENTS.contains(&(bits >> 23 & 0xff)).then_some(inverse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inverse(x: f32, dtype: DType) -> Option<(f32, bool)> {
        Inverse::of(x.into(), dtype).map(|inverse| (inverse.value, inverse.is_enough))
    }

    #[test]
    fn numbers_far_from_the_ends_have_an_inverse() {
        assert_eq!(inverse(8.0, DType::F32), Some((0.125, true)));
        assert_eq!(inverse(-0.25, DType::F16), Some((-4.0, true)));
        assert_eq!(inverse(16_384.0, DType::F16), Some((1.0 / 16_384.0, true)));
        assert_eq!(inverse(3.0, DType::F32), Some((1.0 / 3.0, false)));
        assert_eq!(inverse(3.0, DType::BF16), Some((1.0 / 3.0, true)));
        for other in [0.0, 32_768.0, 1e-5, f32::INFINITY, f32::NAN] {
            assert_eq!(inverse(other, DType::F32), None, "{other}");
        }
        assert_eq!(Inverse::of(8_i32.into(), DType::I32), None);
    }

    /// Every quotient of two normal halves, by their digits: exponents change none of it.
    #[test]
    fn products_with_the_inverse_round_to_quotients_of_halves() {
        fn check(digits: u32, rounded: impl Fn(f64) -> f64) {
            let numbers = || (0..1 << digits).map(|digit| 1.0 + digit as f32 / (1 << digits) as f32);
            for divisor in numbers() {
                let inverse = 1.0 / divisor;
                for x in numbers() {
                    let quotient = rounded(f64::from(x) / f64::from(divisor));
                    assert_eq!(rounded(f64::from(x * inverse)), quotient, "{x} / {divisor}");
                }
            }
        }
        check(7, |x| bf16::from_f64(x).to_f64());
        check(10, |x| f16::from_f64(x).to_f64());
    }
}
