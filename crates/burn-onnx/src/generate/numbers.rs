//! Numbers of the host as source: integers are `i64`, others `f64`.

use super::literal::{float, integer, integer_i64, size};
use crate::value::{Expr, Function, TensorId};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::collections::{HashMap, HashSet};

/// Variables that hold sizes and elements that were read.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    pub sizes: HashMap<(TensorId, usize), Ident>,
    pub lists: HashMap<TensorId, Ident>,
    /// Lists of `f64`.
    pub float_lists: HashSet<TensorId>,
}

impl Variables {
    /// Writes an expression.
    pub fn text(&self, expr: &Expr) -> TokenStream {
        match expr {
            Expr::Int(value) => integer(*value),
            Expr::Float(value) => float(*value),
            Expr::Bool(value) => quote!(#value),
            Expr::Dim(id, d) => match self.sizes.get(&(*id, *d)) {
                Some(name) => quote!(#name),
                None => quote!(unknown),
            },
            Expr::Element(id, place) => match self.lists.get(id) {
                Some(name) => {
                    let place = size(*place);
                    quote!(#name[#place])
                }
                None => quote!(unknown),
            },
            Expr::Apply(call) => self.call(call.0, &call.1),
        }
    }

    /// Writes an expression as a `usize`.
    pub fn count(&self, expr: &Expr) -> TokenStream {
        match expr {
            Expr::Int(value) => integer(*value),
            other => {
                let inner = self.inner(other);
                quote!(#inner as usize)
            }
        }
    }

    /// Writes the negation of a condition.
    pub fn negated(&self, condition: &Expr) -> TokenStream {
        let condition = self.operand(condition);
        quote!(!#condition)
    }

    /// An expression that a method can be called on.
    fn inner(&self, expr: &Expr) -> TokenStream {
        match expr {
            Expr::Int(value) => {
                let text = integer_i64(*value);
                if *value < 0 { quote!((#text)) } else { text }
            }
            Expr::Float(value) if value.is_sign_positive() => float(*value),
            Expr::Bool(_) | Expr::Dim(..) | Expr::Element(..) => self.text(expr),
            Expr::Float(_) | Expr::Apply(_) => {
                let text = self.text(expr);
                quote!((#text))
            }
        }
    }

    fn call(&self, function: Function, args: &[Expr]) -> TokenStream {
        let is_float = args.iter().any(Expr::is_float);
        match function {
            Function::Add => self.infix(quote!(+), args),
            Function::Sub => self.infix(quote!(-), args),
            Function::Mul => self.infix(quote!(*), args),
            Function::Div => self.infix(quote!(/), args),
            Function::Fmod => self.infix(quote!(%), args),
            Function::Remainder => self.method("rem_euclid", args),
            Function::Min => self.method("min", args),
            Function::Max => self.method("max", args),
            Function::Pow if is_float => self.method("powf", args),
            Function::Pow => {
                let (base, exponent) = (self.inner(&args[0]), self.text(&args[1]));
                quote!(#base.pow((#exponent) as u32))
            }
            Function::Neg => {
                let operand = self.operand(&args[0]);
                quote!(-#operand)
            }
            Function::Abs => self.method("abs", args),
            Function::Floor if is_float => self.method("floor", args),
            Function::Ceil if is_float => self.method("ceil", args),
            Function::Round if is_float => self.method("round_ties_even", args),
            Function::Floor | Function::Ceil | Function::Round => self.text(&args[0]),
            Function::Sqrt => self.method("sqrt", args),
            Function::Sign => self.method("signum", args),
            Function::Equal => self.infix(quote!(==), args),
            Function::Less => self.infix(quote!(<), args),
            Function::LessEqual => self.infix(quote!(<=), args),
            Function::Greater => self.infix(quote!(>), args),
            Function::GreaterEqual => self.infix(quote!(>=), args),
            Function::And => self.infix(quote!(&&), args),
            Function::Or => self.infix(quote!(||), args),
            Function::Xor => self.infix(quote!(^), args),
            Function::Not => self.negated(&args[0]),
            Function::Where => {
                let [condition, yes, no] = [0, 1, 2].map(|arg| self.text(&args[arg]));
                quote!(if #condition { #yes } else { #no })
            }
            Function::ToInt => {
                let inner = self.inner(&args[0]);
                quote!(#inner as i64)
            }
            Function::ToFloat => match &args[0] {
                element @ Expr::Element(id, _) if self.float_lists.contains(id) => self.text(element),
                other => {
                    let inner = self.inner(other);
                    quote!(#inner as f64)
                }
            },
            Function::ToBool => {
                let operand = self.operand(&args[0]);
                quote!(#operand != 0)
            }
        }
    }

    /// An operator between the first two arguments.
    fn infix(&self, symbol: TokenStream, args: &[Expr]) -> TokenStream {
        let (left, right) = (self.operand(&args[0]), self.operand(&args[1]));
        quote!(#left #symbol #right)
    }

    /// A method of the first argument, called with the others.
    fn method(&self, name: &str, args: &[Expr]) -> TokenStream {
        let (receiver, name) = (self.inner(&args[0]), format_ident!("{name}"));
        let rest = args[1..].iter().map(|arg| self.text(arg));
        quote!(#receiver.#name(#(#rest),*))
    }

    fn operand(&self, expr: &Expr) -> TokenStream {
        let text = self.text(expr);
        match expr {
            Expr::Apply(_) => quote!((#text)),
            _ => text,
        }
    }
}
