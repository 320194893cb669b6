//! Operators of two tensors before version 7, whose second operand is laid along dimensions that attributes
//! name. Also products with a sum of that time.

use crate::builder::Builder;
use crate::error::{Outcome, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};

/// Both operands in one rank: with `broadcast` the second one stands for the dimensions from `axis` on, by
/// default the last ones.
fn operands(node: &Node<'_>, b: &mut Builder) -> Outcome<(Tensor, Tensor)> {
    let (x, y) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
    let Some(axis) = node.optional_int("axis")?.filter(|_| y.rank() < x.rank()) else { return b.aligned(&x, &y) };
    let axis = node.axis(axis, x.rank())?;
    require!(axis + y.rank() <= x.rank(), "{y:?} does not lie along {x:?} from axis {axis}");
    let mut dims = vec![Expr::Int(1); x.rank()];
    dims[axis..axis + y.rank()].clone_from_slice(y.dims());
    let y = b.reshape(&y, &dims)?;
    Ok((x, y))
}

macro_rules! binary {
    ($($name:ident => $method:ident;)*) => {$(
        pub(super) fn $name(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
            let (x, y) = operands(node, b)?;
            Ok(vec![b.$method(&x, &y)?.into()])
        }
    )*};
}

binary! {
    add => add;
    sub => sub;
    mul => mul;
    div => div;
    equal => equal;
    greater => greater;
    less => lower;
    and => bool_and;
    or => bool_or;
    xor => bool_xor;
    pow => powf;
}
