//! Parts of a tensor along an axis.

use crate::builder::Builder;
use crate::calls::Range;
use crate::error::{Outcome, require};
use crate::translate::Node;
use crate::value::{Expr, Host, OnnxValue};

/// The most parts whose sizes are only known when the model runs: the start of each is a sum of those before.
const MOST_UNKNOWN: usize = 256;

pub(super) fn split(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let dims = node.input(0)?.dims()?;
    let axis = node.axis(node.int("axis", 0)?, dims.len())?;
    let size = dims[axis].clone();
    let given = match node.ints_attribute("split")? {
        Some(sizes) => Some(sizes.into_iter().map(Expr::from).collect()),
        None if node.has_input(1) => Some(node.ints(b, 1)?),
        None => None,
    };
    let sizes: Vec<Expr> = match given {
        Some(sizes) => sizes,
        None => {
            // Equal parts, of which the last may be smaller.
            let count = usize::try_from(node.int("num_outputs", node.output_count() as i64)?).unwrap_or(0);
            let outputs = node.output_count();
            require!(
                (1..=outputs).contains(&count),
                "attribute `num_outputs` does not fit the outputs of the node; expected 1 to {outputs}, got {count}"
            );
            let part = size.clone().div_ceil(count);
            let mut sizes = vec![part.clone(); count - 1];
            sizes.push(size.clone() - part * (count - 1));
            sizes
        }
    };
    let host = node.as_host(0).filter(|host| host.dims.len() == 1);
    let unknown = sizes.iter().filter(|size| !size.is_known()).count();
    require!(unknown <= MOST_UNKNOWN, "the sizes of {unknown} parts are not known; expected at most {MOST_UNKNOWN}");
    let mut parts = Vec::with_capacity(sizes.len());
    let mut start = Expr::Int(0);
    for part in sizes {
        let end = start.clone() + part;
        if let (Some(host), Some(from), Some(to)) = (&host, start.size(), end.size()) {
            require!(from <= to && to <= host.elements.len(), "the parts are larger than the {} elements", host.elements.len());
            let elements = host.elements[from..to].to_vec();
            parts.push(Host { dtype: host.dtype, dims: vec![elements.len()], elements }.into());
        } else {
            let x = node.tensor(b, 0)?;
            let mut ranges = vec![Range::full(); axis];
            ranges.push(Range::new(start, end.clone()));
            parts.push(b.slice(&x, &ranges)?.into());
        }
        start = end;
    }
    Ok(parts)
}
