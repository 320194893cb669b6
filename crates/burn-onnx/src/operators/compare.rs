//! Comparisons of tensors whose shapes broadcast.

use crate::builder::Builder;
use crate::error::Outcome;
use crate::translate::Node;
use crate::value::{Function, Host, Value};
use burn_ir::DType;

macro_rules! compare {
    ($($name:ident on_host $function:ident => $method:ident;)*) => {$(
        pub(super) fn $name(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<Value>> {
            if let Some(hosts) = node.all_host() {
                return Ok(vec![Host::map(Function::$function, &hosts, DType::Bool)?.into()]);
            }
            let (x, y) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
            let (x, y) = b.aligned(&x, &y)?;
            Ok(vec![b.$method(&x, &y)?.into()])
        }
    )*};
}

compare! {
    equal on_host Equal => equal;
    greater on_host Greater => greater;
    greater_or_equal on_host GreaterEqual => greater_equal;
    less on_host Less => lower;
    less_or_equal on_host LessEqual => lower_equal;
}
