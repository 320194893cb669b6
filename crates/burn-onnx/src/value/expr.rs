use super::{Function, TensorId};
use std::fmt;
use std::ops::{Add, Div, Mul, Sub};
use std::sync::Arc;

/// Number of the host: a known one, or an expression of what is known when the model runs.
#[derive(Clone, PartialEq)]
pub enum Expr {
    /// An integer.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// A boolean.
    Bool(bool),
    /// Size of a dimension of a tensor.
    Dim(TensorId, usize),
    /// Element of a list of numbers that is read from a tensor, by its index in row-major order.
    Element(TensorId, usize),
    /// Function of other numbers.
    Apply(Arc<(Function, Vec<Expr>)>),
}

/// Most functions and numbers of a small expression.
const MOST_PARTS: usize = 1024;

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

    /// Whether it is made of few other expressions. Those of a hostile file could double with each node, or
    /// nest as deep as it has nodes.
    pub(crate) fn is_small(&self) -> bool {
        let mut left = MOST_PARTS;
        self.fits(&mut left)
    }

    fn fits(&self, left: &mut usize) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        match self {
            Expr::Apply(call) => call.1.iter().all(|arg| arg.fits(left)),
            _ => true,
        }
    }

    /// Returns whether it is a known number.
    pub fn is_known(&self) -> bool {
        matches!(self, Expr::Int(_) | Expr::Float(_) | Expr::Bool(_))
    }

    /// Returns the integer, if it is known.
    pub fn known(&self) -> Option<i64> {
        match self {
            Expr::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the known integer as a size.
    pub fn size(&self) -> Option<usize> {
        self.known().and_then(|value| usize::try_from(value).ok())
    }

    /// Returns the number, if it is known.
    pub fn to_f64(&self) -> Option<f64> {
        match self {
            Expr::Int(value) => Some(*value as f64),
            Expr::Float(value) => Some(*value),
            Expr::Bool(value) => Some(f64::from(u8::from(*value))),
            Expr::Dim(..) | Expr::Element(..) | Expr::Apply(_) => None,
        }
    }

    /// Returns whether it is this known integer.
    pub fn is(&self, value: i64) -> bool {
        self.known() == Some(value)
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

    /// Returns whether it may be a float.
    pub fn is_float(&self) -> bool {
        match self {
            Expr::Float(_) => true,
            Expr::Int(_) | Expr::Bool(_) | Expr::Dim(..) | Expr::Element(..) => false,
            Expr::Apply(call) => match call.0 {
                Function::ToFloat | Function::Sqrt => true,
                Function::ToInt | Function::ToBool => false,
                _ => call.1.iter().any(Expr::is_float),
            },
        }
    }
}

impl From<i64> for Expr {
    fn from(value: i64) -> Self {
        Expr::Int(value)
    }
}

impl From<i32> for Expr {
    fn from(value: i32) -> Self {
        Expr::Int(value.into())
    }
}

impl From<usize> for Expr {
    fn from(value: usize) -> Self {
        Expr::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Expr {
    fn from(value: bool) -> Self {
        Expr::Bool(value)
    }
}

impl From<f64> for Expr {
    fn from(value: f64) -> Self {
        Expr::Float(value)
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

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Int(value) => write!(f, "{value}"),
            Expr::Float(value) => write!(f, "{value:?}"),
            Expr::Bool(value) => write!(f, "{value}"),
            Expr::Dim(tensor, dim) => write!(f, "dim {dim} of %{}", tensor.0),
            Expr::Element(tensor, place) => write!(f, "element {place} of %{}", tensor.0),
            Expr::Apply(call) => f.debug_tuple(&format!("{:?}", call.0)).field(&call.1).finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
