//! Arithmetic of gates, as a kernel writes it for one unit of one sequence.

use crate::ops::block::{KernelValue, Steps};
use burn_backend::{BinaryOp, CompareOp, UnaryOp};

impl Steps<'_> {
    pub(super) fn add(&mut self, x: &KernelValue, y: &KernelValue) -> KernelValue {
        self.binary(BinaryOp::Add, x, y)
    }

    pub(super) fn sub(&mut self, x: &KernelValue, y: &KernelValue) -> KernelValue {
        self.binary(BinaryOp::Sub, x, y)
    }

    pub(super) fn mul(&mut self, x: &KernelValue, y: &KernelValue) -> KernelValue {
        self.binary(BinaryOp::Mul, x, y)
    }

    /// The product of all factors, of which there is at least one.
    pub(super) fn product(&mut self, factors: &[&KernelValue]) -> KernelValue {
        let (first, rest) = factors.split_first().expect("a factor");
        rest.iter().fold((*first).clone(), |product, factor| self.mul(&product, factor))
    }

    pub(super) fn sigmoid(&mut self, x: &KernelValue) -> KernelValue {
        self.unary(UnaryOp::Sigmoid, x)
    }

    pub(super) fn tanh(&mut self, x: &KernelValue) -> KernelValue {
        self.unary(UnaryOp::Tanh, x)
    }

    pub(super) fn one_minus(&mut self, x: &KernelValue) -> KernelValue {
        let one = self.float(1.0, x.dtype);
        self.sub(&one, x)
    }

    /// `x (1 - x)`: the slope of the logistic function where its value is `x`.
    pub(super) fn sigmoid_slope(&mut self, x: &KernelValue) -> KernelValue {
        let rest = self.one_minus(x);
        self.mul(x, &rest)
    }

    /// `1 - x^2`: the slope of the hyperbolic tangent where its value is `x`.
    pub(super) fn tanh_slope(&mut self, x: &KernelValue) -> KernelValue {
        let square = self.mul(x, x);
        self.one_minus(&square)
    }

    /// `new + update (hidden - new)`: the state after a step of a gated recurrent unit.
    pub(super) fn mixed(
        &mut self,
        new: &KernelValue,
        update: &KernelValue,
        hidden: &KernelValue,
    ) -> KernelValue {
        let way = self.sub(hidden, new);
        let way = self.mul(update, &way);
        self.add(new, &way)
    }

    pub(super) fn is_less(&mut self, x: &KernelValue, y: &KernelValue) -> KernelValue {
        self.compare(CompareOp::Less, x, y)
    }

    /// `value` where a condition holds or there is none, and 0 elsewhere.
    pub(super) fn or_zero(&mut self, condition: Option<&KernelValue>, value: KernelValue) -> KernelValue {
        let zero = self.float(0.0, value.dtype);
        self.or_else(condition, value, &zero)
    }

    /// `value` where a condition holds or there is none, and `other` elsewhere.
    pub(super) fn or_else(
        &mut self,
        condition: Option<&KernelValue>,
        value: KernelValue,
        other: &KernelValue,
    ) -> KernelValue {
        match condition {
            Some(condition) => self.choose(condition, &value, other),
            None => value,
        }
    }
}
