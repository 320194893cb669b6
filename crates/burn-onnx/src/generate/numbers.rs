//! Numbers of the host as source: integers are `i64`, others `f64`.

use crate::value::{Expr, Function, TensorId};
use std::collections::{HashMap, HashSet};

/// Variables that hold sizes and elements that were read.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    pub sizes: HashMap<(TensorId, usize), String>,
    pub lists: HashMap<TensorId, String>,
    /// Lists of `f64`.
    pub float_lists: HashSet<TensorId>,
}

impl Variables {
    /// Writes an expression.
    pub fn text(&self, expr: &Expr) -> String {
        match expr {
            Expr::Int(value) => value.to_string(),
            Expr::Float(value) => float(*value),
            Expr::Bool(value) => value.to_string(),
            Expr::Dim(id, d) => self.sizes.get(&(*id, *d)).cloned().unwrap_or_else(|| "unknown".into()),
            Expr::Element(id, place) => match self.lists.get(id) {
                Some(name) => format!("{name}[{place}]"),
                None => "unknown".into(),
            },
            Expr::Apply(call) => self.call(call.0, &call.1),
        }
    }

    /// Writes an expression as a `usize`.
    pub fn count(&self, expr: &Expr) -> String {
        match expr {
            Expr::Int(value) => value.to_string(),
            other => format!("{} as usize", self.inner(other)),
        }
    }

    /// Writes the negation of a condition.
    pub fn negated(&self, condition: &Expr) -> String {
        format!("!{}", self.operand(condition))
    }

    /// An expression that a method can be called on.
    fn inner(&self, expr: &Expr) -> String {
        let text = self.text(expr);
        match expr {
            Expr::Int(value) if *value < 0 => format!("({text}_i64)"),
            Expr::Int(_) => format!("{text}_i64"),
            Expr::Float(value) if *value < 0.0 => format!("({text})"),
            Expr::Float(_) | Expr::Bool(_) | Expr::Dim(..) | Expr::Element(..) => text,
            Expr::Apply(_) => format!("({text})"),
        }
    }

    fn call(&self, function: Function, args: &[Expr]) -> String {
        let infix = |symbol: &str| format!("{} {symbol} {}", self.operand(&args[0]), self.operand(&args[1]));
        let method = |name: &str| {
            let rest: Vec<String> = args[1..].iter().map(|arg| self.text(arg)).collect();
            format!("{}.{name}({})", self.inner(&args[0]), rest.join(", "))
        };
        let is_float = args.iter().any(Expr::is_float);
        match function {
            Function::Add => infix("+"),
            Function::Sub => infix("-"),
            Function::Mul => infix("*"),
            Function::Div => infix("/"),
            Function::Fmod => infix("%"),
            Function::Remainder => method("rem_euclid"),
            Function::Min => method("min"),
            Function::Max => method("max"),
            Function::Pow if is_float => method("powf"),
            Function::Pow => format!("{}.pow(({}) as u32)", self.inner(&args[0]), self.text(&args[1])),
            Function::Neg => format!("-{}", self.operand(&args[0])),
            Function::Abs => method("abs"),
            Function::Floor if is_float => method("floor"),
            Function::Ceil if is_float => method("ceil"),
            Function::Round if is_float => method("round_ties_even"),
            Function::Floor | Function::Ceil | Function::Round => self.text(&args[0]),
            Function::Sqrt => method("sqrt"),
            Function::Sign => method("signum"),
            Function::Equal => infix("=="),
            Function::Less => infix("<"),
            Function::LessEqual => infix("<="),
            Function::Greater => infix(">"),
            Function::GreaterEqual => infix(">="),
            Function::And => infix("&&"),
            Function::Or => infix("||"),
            Function::Xor => infix("^"),
            Function::Not => format!("!{}", self.operand(&args[0])),
            Function::Where => {
                let [condition, yes, no] = [0, 1, 2].map(|arg| self.text(&args[arg]));
                format!("if {condition} {{ {yes} }} else {{ {no} }}")
            }
            Function::ToInt => format!("{} as i64", self.inner(&args[0])),
            Function::ToFloat => match &args[0] {
                element @ Expr::Element(id, _) if self.float_lists.contains(id) => self.text(element),
                other => format!("{} as f64", self.inner(other)),
            },
            Function::ToBool => format!("{} != 0", self.operand(&args[0])),
        }
    }

    fn operand(&self, expr: &Expr) -> String {
        match expr {
            Expr::Apply(_) => format!("({})", self.text(expr)),
            other => self.text(other),
        }
    }
}

/// A literal of an `f64`.
pub(super) fn float(value: f64) -> String {
    if value.is_nan() {
        "f64::NAN".into()
    } else if value == f64::INFINITY {
        "f64::INFINITY".into()
    } else if value == f64::NEG_INFINITY {
        "f64::NEG_INFINITY".into()
    } else {
        // A value of an f32 is written with the digits that tell it from others of its kind.
        let narrow = value as f32;
        if f64::from(narrow) == value {
            shortest(&format!("{narrow:?}"), value)
        } else {
            format!("{value:?}")
        }
    }
}

fn shortest(text: &str, value: f64) -> String {
    // The digits of the f32 stand for another f64, which rounds to the same f32.
    match text.parse::<f64>() {
        Ok(parsed) if parsed as f32 == value as f32 => text.into(),
        _ => format!("{value:?}"),
    }
}
