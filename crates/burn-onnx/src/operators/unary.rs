//! Functions of single elements.

use crate::builder::Builder;
use crate::error::Outcome;
use crate::translate::Node;
use crate::value::{Function, Host, OnnxValue, Tensor};

macro_rules! unary {
    ($($name:ident $(on_host $function:ident)? => $method:ident;)*) => {$(
        pub(super) fn $name(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
            $(if let Some(hosts) = node.all_host() {
                let dtype = hosts[0].dtype;
                return Ok(vec![Host::map(Function::$function, &hosts, dtype)?.into()]);
            })?
            let x = node.tensor(b, 0)?;
            Ok(vec![b.$method(&x)?.into()])
        }
    )*};
}

unary! {
    abs on_host Abs => abs;
    acos => acos;
    acosh => acosh;
    asin => asin;
    asinh => asinh;
    atan => atan;
    atanh => atanh;
    ceil on_host Ceil => ceil;
    cos => cos;
    cosh => cosh;
    erf => erf;
    exp => exp;
    floor on_host Floor => floor;
    is_nan => is_nan;
    log => log;
    neg on_host Neg => neg;
    reciprocal => recip;
    round on_host Round => round;
    sign on_host Sign => sign;
    sin => sin;
    sinh => sinh;
    sqrt on_host Sqrt => sqrt;
    tan => tan;
    tanh => tanh;
}

pub(super) fn is_inf(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (negative, positive) = (node.flag("detect_negative", true)?, node.flag("detect_positive", true)?);
    let x = node.tensor(b, 0)?;
    let infinite = b.is_inf(&x)?;
    let found: Tensor = match (negative, positive) {
        (true, true) => infinite,
        (false, false) => b.lower_elem(&x, f64::NAN.into())?,
        (is_negative, _) => {
            let side = if is_negative { b.lower_elem(&x, 0.into())? } else { b.greater_elem(&x, 0.into())? };
            b.bool_and(&infinite, &side)?
        }
    };
    Ok(vec![found.into()])
}
