//! Convolutions with what a kernel applies to their results before it stores them: the addition of a tensor,
//! and bounds.

use super::calls::{Calls, either_order};
use crate::calls::{ConvWindow, Operand};
use crate::program::Program;
use crate::value::{Expr, Tensor};

/// Operations after a convolution.
enum Epilogue {
    Relu,
    Clamp(Expr, Expr),
    Add(Tensor),
    AddRelu(Tensor),
}

impl Program {
    /// Replaces a convolution, an addition to its result and bounds of the sum by one call, where nothing
    /// else takes what lies between them.
    pub(super) fn find_conv_epilogues(&mut self) {
        self.replace(|calls, name, operands| {
            let (conv, epilogue) = found(calls, name, operands)?;
            let [x, weight, bias, strides, pads, dilations, group] = conv else { return None };
            let (x, weight, bias) =
                (x.tensor().ok()?.clone(), weight.tensor().ok()?.clone(), bias.tensor().ok().cloned());
            let (strides, pads) = (strides.axes().ok()?, pads.axes().ok()?);
            let (dilations, group) = (dilations.axes().ok()?, group.count().ok()?);
            Some(Box::new(move |b| {
                let window = ConvWindow { strides: &strides, pads: &pads, dilations: &dilations, group };
                let bias = bias.as_ref();
                match epilogue {
                    Epilogue::Relu => b.conv_relu(&x, &weight, bias, window),
                    Epilogue::Clamp(min, max) => b.conv_clamp(&x, &weight, bias, min, max, window),
                    Epilogue::Add(residual) => b.conv_add(&x, &weight, bias, &residual, window),
                    Epilogue::AddRelu(residual) => b.conv_add_relu(&x, &weight, bias, &residual, window),
                }
            }))
        });
    }
}

/// The arguments of a convolution, and what a call and the one before it do with its result.
fn found<'a>(calls: &Calls<'a>, name: &str, operands: &'a [Operand]) -> Option<(&'a [Operand], Epilogue)> {
    let x = operands.first()?.tensor().ok()?;
    match name {
        "relu" => match convolution(calls, x) {
            Some(conv) => Some((conv, Epilogue::Relu)),
            None => {
                let sum = calls.of(x, "add").filter(|_| calls.is_used_once(x))?;
                let (conv, residual) = sum_of_convolution(calls, sum)?;
                Some((conv, Epilogue::AddRelu(residual)))
            }
        },
        "clamp" => {
            let (min, max) = (operands.get(1)?.number().ok()?, operands.get(2)?.number().ok()?);
            Some((convolution(calls, x)?, Epilogue::Clamp(min.clone(), max.clone())))
        }
        "add" => {
            let (conv, residual) = sum_of_convolution(calls, operands)?;
            Some((conv, Epilogue::Add(residual)))
        }
        _ => None,
    }
}

/// The arguments of the convolution that made a tensor which nothing else takes.
fn convolution<'a>(calls: &Calls<'a>, result: &Tensor) -> Option<&'a [Operand]> {
    calls.of(result, "conv").filter(|_| calls.is_used_once(result))
}

/// The arguments of a convolution, and the tensor of its shape that is added to its result.
fn sum_of_convolution<'a>(calls: &Calls<'a>, sum: &'a [Operand]) -> Option<(&'a [Operand], Tensor)> {
    either_order(sum)?.into_iter().find_map(|(result, residual)| {
        let is_equal = result.dtype() == residual.dtype() && result.held_dims() == residual.held_dims();
        is_equal.then_some((convolution(calls, result)?, residual.clone()))
    })
}
