//! Functions of expressions, simplified where they can be.

use super::{Expr, Function};
use std::ops::{Add, Div, Mul, Sub};
use std::sync::Arc;

impl Expr {
    /// Applies a function of numbers, simplified where it can be.
    pub fn apply(function: Function, args: Vec<Expr>) -> Expr {
        if let Some(value) = function.evaluate(&args) {
            return value;
        }
        if let Some(simple) = simplified(function, &args) {
            return simple;
        }
        Expr::Apply(Arc::new((function, args)))
    }

    /// Returns the larger of two.
    #[must_use]
    pub fn max(self, other: impl Into<Expr>) -> Expr {
        Expr::apply(Function::Max, vec![self, other.into()])
    }

    /// Returns the smaller of two.
    #[must_use]
    pub fn min(self, other: impl Into<Expr>) -> Expr {
        Expr::apply(Function::Min, vec![self, other.into()])
    }

    /// Computes `ceil(self / divisor)` of integers that are not negative.
    #[must_use]
    pub fn div_ceil(self, divisor: impl Into<Expr>) -> Expr {
        let divisor = divisor.into();
        (self + (divisor.clone() - 1)) / divisor
    }

    /// Computes the product of sizes.
    pub fn product<'a>(sizes: impl IntoIterator<Item = &'a Expr>) -> Expr {
        sizes.into_iter().fold(Expr::Int(1), |product, size| product * size.clone())
    }
}

fn simplified(function: Function, args: &[Expr]) -> Option<Expr> {
    use Function::{Add, Div, Max, Min, Mul, Sub};
    Some(match (function, args) {
        (Add, [a, Expr::Int(0)]) | (Add, [Expr::Int(0), a]) | (Sub, [a, Expr::Int(0)]) => a.clone(),
        (Mul, [a, Expr::Int(1)]) | (Mul, [Expr::Int(1), a]) | (Div, [a, Expr::Int(1)]) => a.clone(),
        (Mul, [_, Expr::Int(0)]) | (Mul, [Expr::Int(0), _]) => Expr::Int(0),
        (Max | Min, [a, b]) if a == b => a.clone(),
        // Sizes are not negative.
        (Max, [a, Expr::Int(0)]) | (Max, [Expr::Int(0), a]) if a.is_non_negative() => a.clone(),
        (Function::Less, [a, Expr::Int(0)]) if a.is_non_negative() => Expr::Bool(false),
        (Function::GreaterEqual, [a, Expr::Int(0)]) if a.is_non_negative() => Expr::Bool(true),
        (Function::Where, [Expr::Bool(condition), a, b]) => if *condition { a } else { b }.clone(),
        (Min, [part, whole]) | (Min, [whole, part]) if part.is_part_of(whole) => part.clone(),
        (Sub, [a, b]) if a == b => Expr::Int(0),
        (Sub, [Expr::Apply(sum), b]) if sum.0 == Add && sum.1[0] == *b => sum.1[1].clone(),
        (Div, [a, b]) if a == b => Expr::Int(1),
        // (x c) / c, and (x + a) + b with known numbers.
        (Div, [Expr::Apply(inner), Expr::Int(c)]) => match &**inner {
            (Mul, inner) if inner[1] == Expr::Int(*c) => inner[0].clone(),
            (Mul, inner) if inner[0] == Expr::Int(*c) => inner[1].clone(),
            _ => return None,
        },
        (Add | Sub, [Expr::Apply(inner), Expr::Int(b)]) => {
            let b = if function == Add { *b } else { b.wrapping_neg() };
            match &**inner {
                (Add, inner) if inner[1].is_known() => inner[0].clone() + (inner[1].clone() + b),
                (Sub, inner) if inner[1].is_known() => inner[0].clone() + (Expr::Int(b) - inner[1].clone()),
                _ if function == Sub && b > 0 => return None,
                _ if b < 0 && function == Add => {
                    Expr::Apply(Arc::new((Sub, vec![args[0].clone(), Expr::Int(b.wrapping_neg())])))
                }
                _ => return None,
            }
        }
        (Function::ToInt, [a]) if !a.is_float() => a.clone(),
        _ => return None,
    })
}

impl Expr {
    /// Whether it is a size, or made of sizes in a way that keeps it from being negative.
    fn is_non_negative(&self) -> bool {
        match self {
            Expr::Int(value) => *value >= 0,
            Expr::Dim(..) => true,
            Expr::Float(_) | Expr::Bool(_) | Expr::Element(..) => false,
            Expr::Apply(call) => match call.0 {
                Function::Add | Function::Mul | Function::Div | Function::Min => {
                    call.1.iter().all(Expr::is_non_negative)
                }
                Function::Max => call.1.iter().any(Expr::is_non_negative),
                _ => false,
            },
        }
    }

    /// Whether it is `whole` divided by a positive number, or less by one.
    fn is_part_of(&self, whole: &Expr) -> bool {
        let Expr::Apply(call) = self else { return false };
        let [a, Expr::Int(b)] = &call.1[..] else { return false };
        a == whole && whole.is_non_negative() && *b > 0 && matches!(call.0, Function::Div | Function::Sub)
    }

    /// The size that is left of `whole` when it is cut into `parts`: sizes that stand in both cancel out.
    pub(crate) fn quotient(whole: &[Expr], parts: &[Expr]) -> Expr {
        let (mut left, mut divisor) = (whole.to_vec(), Expr::Int(1));
        for part in parts {
            match left.iter().position(|size| size == part && !size.is_known()) {
                Some(place) => drop(left.remove(place)),
                None => divisor = divisor * part.clone(),
            }
        }
        Expr::product(&left) / divisor
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident;)*) => {$(
        impl<E: Into<Expr>> $trait<E> for Expr {
            type Output = Expr;
            fn $method(self, other: E) -> Expr {
                Expr::apply(Function::$trait, vec![self, other.into()])
            }
        }
    )*};
}
operators! { Add add; Sub sub; Mul mul; Div div; }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::TensorId;

    #[test]
    fn expressions_fold_known_parts() {
        let batch = Expr::Dim(TensorId(0), 0);
        assert_eq!((batch.clone() * 4) / 4, batch);
        assert_eq!(batch.clone() + 1 - 1, batch);
        assert_eq!((batch.clone() + 3) - batch.clone(), Expr::Int(3));
        assert_eq!(batch.clone() * 1 + 0, batch);
        assert_eq!(Expr::Int(7).div_ceil(2), Expr::Int(4));
        assert_eq!(Expr::Int(-7) / 2, Expr::Int(-3));
        assert_eq!(Expr::apply(Function::Remainder, vec![Expr::Int(-7), Expr::Int(2)]), Expr::Int(1));
        assert_eq!(batch.clone().max(0), batch);
        assert_eq!((batch.clone() / 2).min(batch.clone()), batch.clone() / 2);
        assert!(matches!((batch.clone() - 3).max(0), Expr::Apply(_)), "a difference may be negative");
        let length = Expr::Dim(TensorId(0), 1);
        let whole = [batch.clone(), length.clone(), Expr::Int(16)];
        assert_eq!(Expr::quotient(&whole, &[batch.clone(), length, Expr::Int(2)]), Expr::Int(8));
        assert!(matches!(Expr::Int(1) / 0, Expr::Apply(_)), "a division by zero is no number");
    }
}
