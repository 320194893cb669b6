//! Comparisons of tensors whose shapes broadcast.

use crate::builder::Builder;
use crate::error::Outcome;
use crate::translate::Node;
use crate::value::{Function, Host, OnnxValue};
use burn_ir::DType;

macro_rules! compare {
    ($($name:ident on_host $function:ident => $method:ident, $scalar:ident;)*) => {$(
        pub(super) fn $name(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
            if let Some(hosts) = node.all_host() {
                return Ok(vec![Host::map(Function::$function, &hosts, DType::Bool)?.into()]);
            }
            let x = node.tensor(b, 0)?;
            if let Some(number) = node.number(1, x.rank()) {
                return Ok(vec![b.$scalar(&x, number)?.into()]);
            }
            let y = node.tensor(b, 1)?;
            let (x, y) = b.aligned(&x, &y)?;
            Ok(vec![b.$method(&x, &y)?.into()])
        }
    )*};
}

compare! {
    equal on_host Equal => equal, equal_elem;
    greater on_host Greater => greater, greater_elem;
    greater_or_equal on_host GreaterEqual => greater_equal, greater_equal_elem;
    less on_host Less => lower, lower_elem;
    less_or_equal on_host LessEqual => lower_equal, lower_equal_elem;
}
