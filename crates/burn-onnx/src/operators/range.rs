//! Numbers at equal distances.

use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, Function, Host, OnnxValue};
use burn_ir::DType;

/// The most numbers that are kept on the host.
const MOST_ON_HOST: i64 = 64;

pub(super) fn range(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let mut limits = Vec::new();
    for place in 0..3 {
        let host = node.host(b, place)?;
        let [limit] = &host.elements[..] else { fail!("input {place} must be one number") };
        limits.push(limit.clone());
    }
    let dtype = node.input(0)?.dtype()?;
    let (start, end, step) = (limits[0].clone(), limits[1].clone(), limits[2].clone());
    require!(step.to_f64() != Some(0.0), "the step of the numbers is wrong; expected another number than 0");
    let length = if dtype.is_float() {
        let count = (end.clone() - start.clone()) / step.clone();
        Expr::apply(Function::ToInt, vec![Expr::apply(Function::Ceil, vec![count])]).max(0)
    } else {
        match step.known() {
            Some(step) if step < 0 => (start.clone() - end.clone()).max(0).div_ceil(Expr::Int(0) - step),
            Some(_) => (end.clone() - start.clone()).max(0).div_ceil(step.clone()),
            None => {
                // Rounded away from zero, in the direction of the step.
                let sign = Expr::apply(Function::Sign, vec![step.clone()]);
                ((end.clone() - start.clone() + step.clone() - sign) / step.clone()).max(0)
            }
        }
    };
    if let (Some(count), false) = (length.known(), dtype.is_float())
        && count <= MOST_ON_HOST
    {
        let elements = (0..count).map(|place| start.clone() + step.clone() * place).collect();
        return Ok(vec![Host { dtype, dims: vec![count as usize], elements }.into()]);
    }
    let places = b.arange(Expr::Int(0), length, 1, DType::I64)?;
    let places = b.convert(&places, dtype)?;
    let scaled = if step.is(1) { places } else { b.mul_scalar(&places, step)? };
    Ok(vec![if start.is(0) { scaled } else { b.add_scalar(&scaled, start)? }.into()])
}
