//! The formula of an optimizer: written down first, then run over the elements in one pass.

use alloc::vec::Vec;
use burn_backend::dynamic::DynamicTensor;
use burn_backend::{BinaryOp, Block, HasSpec, Operation, Register, Scalar, TensorSpec, UnaryOp};
use core::cell::RefCell;
use core::ops::{Add, Div, Mul, Sub};

/// Elementwise operations over tensors of one shape.
#[derive(Debug)]
pub struct Formula {
    spec: TensorSpec,
    parts: RefCell<Parts>,
}

#[derive(Debug, Default)]
struct Parts {
    inputs: Vec<DynamicTensor>,
    steps: Vec<Operation<Place>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Input(usize),
    Step(usize),
}

/// Value of a [`Formula`].
#[derive(Clone, Copy, Debug)]
pub struct Value<'f> {
    formula: &'f Formula,
    place: Place,
}

impl Formula {
    /// Returns a formula over tensors of the shape and dtype of `x`.
    pub fn like(x: &DynamicTensor) -> Self {
        Formula { spec: x.spec().clone(), parts: RefCell::default() }
    }

    /// Adds a tensor that the formula reads.
    ///
    /// # Panics
    /// Its shape or dtype differs from the others.
    #[track_caller]
    pub fn input(&self, x: DynamicTensor) -> Value<'_> {
        assert!(
            *x.spec() == self.spec,
            "optimizer step: {:?} beside a parameter of {:?}",
            x.spec(),
            self.spec
        );
        let inputs = &mut self.parts.borrow_mut().inputs;
        inputs.push(x);
        Value { formula: self, place: Place::Input(inputs.len() - 1) }
    }

    fn step(&self, step: Operation<Place>) -> Value<'_> {
        let steps = &mut self.parts.borrow_mut().steps;
        steps.push(step);
        Value { formula: self, place: Place::Step(steps.len() - 1) }
    }

    fn with_scalar(&self, op: BinaryOp, lhs: Place, rhs: f64) -> Value<'_> {
        self.step(Operation::BinaryScalar { op, lhs, rhs: Scalar::Float(rhs) })
    }

    /// Computes some of its values.
    pub fn run<const N: usize>(&self, values: [Value<'_>; N]) -> [DynamicTensor; N] {
        let Parts { inputs, steps } = self.parts.take();
        let first = inputs.len();
        let register = |place: Place| {
            let index = match place {
                Place::Input(k) => k,
                Place::Step(k) => first + k,
            };
            Register::try_from(index).expect("a formula is short")
        };
        let ready = values.map(|value| match value.place {
            Place::Input(k) => Some(inputs[k].clone()),
            Place::Step(_) => None,
        });
        let mut outputs: Vec<Register> = Vec::new();
        for value in values.iter().filter(|value| matches!(value.place, Place::Step(_))) {
            if !outputs.contains(&register(value.place)) {
                outputs.push(register(value.place));
            }
        }
        if outputs.is_empty() {
            return ready.map(|x| x.expect("all values are inputs"));
        }
        let backend = inputs[0].backend();
        let specs = steps.iter().map(|_| self.spec.clone()).collect();
        let steps = steps.into_iter().map(|step| step.map(register)).collect();
        let (shape, wanted) = (self.spec.shape.clone(), outputs.clone());
        let results =
            backend.run_block(Block { shape, folded: 0, head: None, inputs, steps, specs, outputs });
        let find = |place| wanted.iter().position(|&r| r == register(place)).expect("it is wanted");
        let mut ready = ready.into_iter();
        values.map(|value| ready.next().flatten().unwrap_or_else(|| results[find(value.place)].clone()))
    }
}

impl<'f> Value<'f> {
    /// Computes this value.
    pub fn run(self) -> DynamicTensor {
        let [x] = self.formula.run([self]);
        x
    }

    pub fn square(self) -> Self {
        self.formula.step(Operation::Unary { op: UnaryOp::Square, x: self.place })
    }

    pub fn sqrt(self) -> Self {
        self.formula.step(Operation::Unary { op: UnaryOp::Sqrt, x: self.place })
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
        impl $trait for Value<'_> {
            type Output = Self;
            fn $method(self, rhs: Self) -> Self {
                let (lhs, rhs) = (self.place, rhs.place);
                self.formula.step(Operation::Binary { op: BinaryOp::$op, lhs, rhs })
            }
        }
        impl $trait<f64> for Value<'_> {
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
