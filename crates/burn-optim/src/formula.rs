//! The formula of an optimizer: written down first, then run over the elements in one pass.
//!
//! A formula with rows may also reduce them: the last dimensions are the elements of a row.

use alloc::vec::Vec;
use burn_backend::dynamic::DynamicTensor;
use burn_backend::{
    BinaryOp, Block, BlockStep, CompareOp, DType, Elementwise, HasSpec, ReduceOp, Register, Scalar, Shape,
    TensorSpec, UnaryOp,
};
use core::cell::RefCell;
use core::ops::{Add, Div, Mul, Sub};

/// Elementwise operations over tensors of one shape, and over tensors that broadcast to it.
#[derive(Debug)]
pub struct Formula {
    spec: TensorSpec,
    /// Number of trailing dimensions of a row; 0 of a formula that reduces nothing.
    folded: usize,
    parts: RefCell<Parts>,
}

#[derive(Debug, Default)]
struct Parts {
    inputs: Vec<DynamicTensor>,
    steps: Vec<BlockStep<Origin>>,
    specs: Vec<TensorSpec>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Input(usize),
    Step(usize),
}

/// Comparison of the elements of a [`FormulaValue`] with a number.
#[derive(Clone, Copy, Debug)]
pub struct Mask(Origin);

/// Value of a [`Formula`].
#[derive(Clone, Copy, Debug)]
pub struct FormulaValue<'f> {
    formula: &'f Formula,
    place: Origin,
}

impl Formula {
    /// Returns a formula over tensors of the shape and dtype of `x`.
    pub fn like(x: &DynamicTensor) -> Self {
        Formula { spec: x.spec().clone(), folded: 0, parts: RefCell::default() }
    }

    /// Returns a formula over tensors of this shape, computed in `dtype`, whose reductions are over the last
    /// `folded` dimensions.
    pub fn with_rows(shape: Shape, dtype: DType, folded: usize) -> Self {
        Formula { spec: TensorSpec::new(shape, dtype), folded, parts: RefCell::default() }
    }

    /// Adds a tensor that the formula reads.
    ///
    /// # Panics
    /// Its shape or dtype differs from the others.
    #[track_caller]
    pub fn input(&self, x: DynamicTensor) -> FormulaValue<'_> {
        assert!(
            *x.spec() == self.spec,
            "optimizer step: {:?} beside a parameter of {:?}",
            x.spec(),
            self.spec
        );
        self.operand(x)
    }

    /// Adds a tensor of the formula's shape, in any float dtype, whose elements are cast as they are read.
    ///
    /// # Panics
    /// Its shape differs from the others.
    #[track_caller]
    pub fn cast_input(&self, x: DynamicTensor) -> FormulaValue<'_> {
        if x.dtype() == self.spec.dtype {
            return self.input(x);
        }
        let (found, expected) = (x.spec(), &self.spec.shape);
        assert!(found.shape == *expected, "optimizer step: {found:?} beside a parameter of {expected:?}");
        self.operand(x).cast(self.spec.dtype)
    }

    /// Adds a tensor of the same rank and dtype whose dimensions of size 1 broadcast.
    ///
    /// # Panics
    /// Its shape does not broadcast to that of the formula, or its dtype differs.
    #[track_caller]
    pub fn broadcast_input(&self, x: DynamicTensor) -> FormulaValue<'_> {
        let (found, expected) = (x.spec(), &self.spec);
        let sizes = found.shape.iter().zip(expected.shape.iter());
        let fits = found.dtype == expected.dtype && found.shape.rank() == expected.shape.rank();
        assert!(
            fits && sizes.into_iter().all(|(&size, &whole)| size == 1 || size == whole),
            "optimizer step: {found:?} does not broadcast to a parameter of {expected:?}"
        );
        self.operand(x)
    }

    fn operand(&self, x: DynamicTensor) -> FormulaValue<'_> {
        let inputs = &mut self.parts.borrow_mut().inputs;
        inputs.push(x);
        FormulaValue { formula: self, place: Origin::Input(inputs.len() - 1) }
    }

    /// Adds a step whose result has the elements of its operand.
    fn step(&self, step: Elementwise<Origin>) -> FormulaValue<'_> {
        FormulaValue { formula: self, place: self.step_of(step, self.spec.dtype) }
    }

    fn step_of(&self, step: Elementwise<Origin>, dtype: DType) -> Origin {
        let mut varies = false;
        step.visit(|place| varies |= self.varies(*place));
        let shape = if varies { self.spec.shape.clone() } else { self.row_shape() };
        self.push(BlockStep::Elementwise(step), TensorSpec::new(shape, dtype))
    }

    fn push(&self, step: BlockStep<Origin>, spec: TensorSpec) -> Origin {
        let parts = &mut *self.parts.borrow_mut();
        parts.steps.push(step);
        parts.specs.push(spec);
        Origin::Step(parts.steps.len() - 1)
    }

    /// Returns the shape of a value that has one element for each row.
    fn row_shape(&self) -> Shape {
        let rows = self.spec.shape.rank() - self.folded;
        self.spec.shape.iter().enumerate().map(|(dim, &size)| if dim < rows { size } else { 1 }).collect()
    }

    /// Returns whether a value has all elements, not one for each row.
    fn varies(&self, place: Origin) -> bool {
        let parts = self.parts.borrow();
        let shape = match place {
            Origin::Input(k) => &parts.inputs[k].spec().shape,
            Origin::Step(k) => &parts.specs[k].shape,
        };
        self.folded == 0 || *shape == self.spec.shape
    }

    fn binary(&self, op: BinaryOp, lhs: Origin, rhs: Origin) -> FormulaValue<'_> {
        let (lhs, rhs) = match (self.varies(lhs), self.varies(rhs)) {
            (true, false) => (lhs, self.expanded(rhs)),
            (false, true) => (self.expanded(lhs), rhs),
            (true, true) | (false, false) => (lhs, rhs),
        };
        self.step(Elementwise::Binary { op, lhs, rhs })
    }

    /// Repeats the value of a row for all of its elements.
    fn expanded(&self, x: Origin) -> Origin {
        let shape = self.spec.shape.clone();
        self.push(BlockStep::Expand { x, shape: shape.clone() }, TensorSpec::new(shape, self.spec.dtype))
    }

    fn with_scalar(&self, op: BinaryOp, lhs: Origin, rhs: f64) -> FormulaValue<'_> {
        self.step(Elementwise::BinaryScalar { op, lhs, rhs: Scalar::Float(rhs) })
    }

    /// Computes some of its values.
    pub fn run<const N: usize>(&self, values: [FormulaValue<'_>; N]) -> [DynamicTensor; N] {
        let Parts { inputs, steps, specs } = self.parts.take();
        let first = inputs.len();
        let register = |place: Origin| {
            let index = match place {
                Origin::Input(k) => k,
                Origin::Step(k) => first + k,
            };
            Register::try_from(index).expect("a formula is short")
        };
        let ready = values.map(|value| match value.place {
            Origin::Input(k) => Some(inputs[k].clone()),
            Origin::Step(_) => None,
        });
        let mut outputs: Vec<Register> = Vec::new();
        for value in values.iter().filter(|value| matches!(value.place, Origin::Step(_))) {
            if !outputs.contains(&register(value.place)) {
                outputs.push(register(value.place));
            }
        }
        if outputs.is_empty() {
            return ready.map(|x| x.expect("all values are inputs"));
        }
        let backend = inputs[0].backend();
        let steps = steps.into_iter().map(|step| step.map(register)).collect();
        let (shape, wanted) = (self.spec.shape.clone(), outputs.clone());
        let results = backend.run_block(Block {
            shape,
            folded: self.folded,
            head: None,
            inputs,
            steps,
            specs,
            outputs,
        });
        let find = |place| wanted.iter().position(|&r| r == register(place)).expect("it is wanted");
        let mut ready = ready.into_iter();
        values.map(|value| ready.next().flatten().unwrap_or_else(|| results[find(value.place)].clone()))
    }
}

impl<'f> FormulaValue<'f> {
    /// Computes this value.
    pub fn run(self) -> DynamicTensor {
        let [x] = self.formula.run([self]);
        x
    }

    fn unary(self, op: UnaryOp) -> Self {
        self.formula.step(Elementwise::Unary { op, x: self.place })
    }

    pub fn square(self) -> Self {
        self.unary(UnaryOp::Square)
    }

    pub fn sqrt(self) -> Self {
        self.unary(UnaryOp::Sqrt)
    }

    pub fn abs(self) -> Self {
        self.unary(UnaryOp::Abs)
    }

    pub fn sign(self) -> Self {
        self.unary(UnaryOp::Sign)
    }

    /// Computes the elementwise maximum.
    pub fn max(self, rhs: Self) -> Self {
        self.formula.binary(BinaryOp::Max, self.place, rhs.place)
    }

    /// Rounds this value to `dtype`, to be an output.
    pub fn cast(self, dtype: DType) -> Self {
        let place = self.formula.step_of(Elementwise::Cast { x: self.place, dtype }, dtype);
        FormulaValue { formula: self.formula, place }
    }

    /// Reduces each row.
    pub fn reduce(self, op: ReduceOp) -> Self {
        let Formula { spec, folded, .. } = self.formula;
        let dims = (spec.shape.rank() - folded..spec.shape.rank()).collect();
        let step = BlockStep::Reduce { op, x: self.place, dims };
        let spec = TensorSpec::new(self.formula.row_shape(), spec.dtype);
        FormulaValue { formula: self.formula, place: self.formula.push(step, spec) }
    }

    /// Computes `max(x, min)`, and `min(.., max)` where there is a `max`.
    pub fn clamp(self, min: f64, max: Option<f64>) -> Self {
        let (min, max) = (Some(Scalar::Float(min)), max.map(Scalar::Float));
        self.formula.step(Elementwise::Clamp { x: self.place, min, max })
    }

    /// Compares every element with `value`.
    pub fn compare(self, op: CompareOp, value: f64) -> Mask {
        let step = Elementwise::CompareScalar { op, lhs: self.place, rhs: Scalar::Float(value) };
        Mask(self.formula.step_of(step, DType::Bool))
    }

    /// Replaces the elements where `mask` is true.
    pub fn fill_where(self, mask: Mask, value: f64) -> Self {
        let value = Scalar::Float(value);
        self.formula.step(Elementwise::MaskFill { x: self.place, mask: mask.0, value })
    }

    /// Returns `-self` if `negated`, else `self`.
    pub fn negated_if(self, negated: bool) -> Self {
        if negated { self.unary(UnaryOp::Neg) } else { self }
    }

    /// Computes the running mean `decay self + (1 - decay) x`, from zero if there is no `self` yet.
    pub fn moving_mean(mean: Option<Self>, x: Self, decay: f64) -> Self {
        let share = x * (1.0 - decay);
        match mean {
            Some(mean) => mean * decay + share,
            None => share,
        }
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident;)*) => {$(
        impl $trait for FormulaValue<'_> {
            type Output = Self;
            fn $method(self, rhs: Self) -> Self {
                self.formula.binary(BinaryOp::$op, self.place, rhs.place)
            }
        }
        impl $trait<f64> for FormulaValue<'_> {
            type Output = Self;
            fn $method(self, rhs: f64) -> Self {
                self.formula.with_scalar(BinaryOp::$op, self.place, rhs)
            }
        }
    )*};
}
operators! {
    Add add Add;
    Sub sub Sub;
    Mul mul Mul;
    Div div Div;
}
