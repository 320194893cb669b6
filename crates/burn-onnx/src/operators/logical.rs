//! Functions of booleans.

use crate::builder::Builder;
use crate::error::Outcome;
use crate::translate::Node;
use crate::value::{Function, Host, OnnxValue};
use burn_ir::DType;

macro_rules! logical {
    ($($name:ident on_host $function:ident => $method:ident;)*) => {$(
        pub(super) fn $name(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
            if let Some(hosts) = node.all_host() {
                return Ok(vec![Host::map(Function::$function, &hosts, DType::Bool)?.into()]);
            }
            let (x, y) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
            let (x, y) = b.aligned(&x, &y)?;
            Ok(vec![b.$method(&x, &y)?.into()])
        }
    )*};
}

logical! {
    and on_host And => bool_and;
    or on_host Or => bool_or;
    xor on_host Xor => bool_xor;
}

pub(super) fn not(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    if let Some(hosts) = node.all_host() {
        return Ok(vec![Host::map(Function::Not, &hosts, DType::Bool)?.into()]);
    }
    let x = node.tensor(b, 0)?;
    Ok(vec![b.bool_not(&x)?.into()])
}
