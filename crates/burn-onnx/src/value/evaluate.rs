//! Functions of known numbers.

use super::{Expr, Function};

impl Function {
    /// Evaluates the function of known numbers; `None` when one is unknown, or an integer is divided by zero.
    pub fn evaluate(self, args: &[Expr]) -> Option<Expr> {
        use Function::{
            Abs, Add, And, Equal, Floor, Greater, GreaterEqual, Less, LessEqual, Not, Or, Where, Xor,
        };
        if !args.iter().all(Expr::is_known) {
            return None;
        }
        match (self, args) {
            (Function::ToInt, [a]) => a.to_f64().map(|float| match a {
                Expr::Int(value) => Expr::Int(*value),
                _ => Expr::Int(float as i64),
            }),
            (Function::ToFloat, [a]) => a.to_f64().map(Expr::Float),
            (Function::ToBool, [a]) => a.to_f64().map(|value| Expr::Bool(value != 0.0)),
            (Not, [Expr::Bool(a)]) => Some(Expr::Bool(!a)),
            (And, [Expr::Bool(a), Expr::Bool(b)]) => Some(Expr::Bool(*a && *b)),
            (Or, [Expr::Bool(a), Expr::Bool(b)]) => Some(Expr::Bool(*a || *b)),
            (Xor | Function::Sub, [Expr::Bool(a), Expr::Bool(b)]) => Some(Expr::Bool(a != b)),
            (Where, [Expr::Bool(condition), b, c]) => Some(if *condition { b } else { c }.clone()),
            (Equal, [Expr::Bool(a), Expr::Bool(b)]) => Some(Expr::Bool(a == b)),
            (Floor | Function::Ceil | Function::Round, [Expr::Int(a)]) => Some(Expr::Int(*a)),
            (Abs, [Expr::Int(a)]) => Some(Expr::Int(a.wrapping_abs())),
            (Function::Neg, [Expr::Int(a)]) => Some(Expr::Int(a.wrapping_neg())),
            (Function::Sign, [Expr::Int(a)]) => Some(Expr::Int(a.signum())),
            (_, [Expr::Int(a), Expr::Int(b)]) => self.of_ints(*a, *b),
            (_, [a]) => self.of_float(a.to_f64()?).map(Expr::Float),
            (
                Add | Function::Sub | Function::Mul | Function::Div,
                [Expr::Bool(_), _] | [_, Expr::Bool(_)],
            ) => None,
            (_, [a, b]) => {
                let (a, b) = (a.to_f64()?, b.to_f64()?);
                Some(match self {
                    Equal => Expr::Bool(a == b),
                    Less => Expr::Bool(a < b),
                    LessEqual => Expr::Bool(a <= b),
                    Greater => Expr::Bool(a > b),
                    GreaterEqual => Expr::Bool(a >= b),
                    _ => Expr::Float(self.of_floats(a, b)?),
                })
            }
            _ => None,
        }
    }

    fn of_ints(self, a: i64, b: i64) -> Option<Expr> {
        Some(Expr::Int(match self {
            // A number beyond 64 bits is left to the device, which wraps around, or is an error where it is a
            // size.
            Function::Add => a.checked_add(b)?,
            Function::Sub => a.checked_sub(b)?,
            Function::Mul => a.checked_mul(b)?,
            Function::Div => a.checked_div(b)?,
            Function::Fmod => a.checked_rem(b)?,
            Function::Remainder => {
                let rest = a.checked_rem(b)?;
                if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
            }
            Function::Min => a.min(b),
            Function::Max => a.max(b),
            Function::Pow => match u32::try_from(b) {
                Ok(exponent) => a.wrapping_pow(exponent),
                Err(_) => (a as f64).powf(b as f64) as i64,
            },
            Function::Equal => return Some(Expr::Bool(a == b)),
            Function::Less => return Some(Expr::Bool(a < b)),
            Function::LessEqual => return Some(Expr::Bool(a <= b)),
            Function::Greater => return Some(Expr::Bool(a > b)),
            Function::GreaterEqual => return Some(Expr::Bool(a >= b)),
            _ => return None,
        }))
    }

    fn of_float(self, a: f64) -> Option<f64> {
        Some(match self {
            Function::Neg => -a,
            Function::Abs => a.abs(),
            Function::Floor => a.floor(),
            Function::Ceil => a.ceil(),
            Function::Round => a.round_ties_even(),
            Function::Sqrt => a.sqrt(),
            Function::Sign if a == 0.0 || a.is_nan() => a,
            Function::Sign => a.signum(),
            _ => return None,
        })
    }

    fn of_floats(self, a: f64, b: f64) -> Option<f64> {
        Some(match self {
            Function::Add => a + b,
            Function::Sub => a - b,
            Function::Mul => a * b,
            Function::Div => a / b,
            Function::Fmod => a % b,
            Function::Remainder => a - b * (a / b).floor(),
            Function::Min => a.min(b),
            Function::Max => a.max(b),
            Function::Pow => a.powf(b),
            _ => return None,
        })
    }
}
