//! Recurrent networks over whole sequences, and their gradients.

use crate::infer::recurrent;
use crate::infer::require::Result;
use crate::{
    Composite, Differentiability, HasSpec, OperationTraits, Outputs, PrecisionClass, Reason, RecurrentArgs,
    RecurrentGradArgs, RecurrentKind, TensorSpec,
};
use alloc::boxed::Box;
use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Recurrent network over whole sequences, or its gradients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
#[operands(family)]
pub enum Recurrent<T> {
    /// See [`RecurrentArgs`]. Composite.
    #[operands(outputs = 2)]
    Recurrent(Box<RecurrentArgs<T>>),
    /// See [`RecurrentGradArgs`]. Composite.
    #[operands(outputs = 2)]
    RecurrentGrad(Box<RecurrentGradArgs<T>>),
}

impl<T> Recurrent<T> {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Recurrent::Recurrent(_) => "recurrent",
            Recurrent::RecurrentGrad(_) => "recurrent_grad",
        }
    }

    /// Returns the properties of the operation.
    pub fn traits(&self) -> OperationTraits {
        let traits = OperationTraits::new(PrecisionClass::Product);
        match self {
            Recurrent::Recurrent(_) => traits.composite(Composite::Recurrent),
            Recurrent::RecurrentGrad(args) => {
                traits.composite(Composite::RecurrentGrad).gradient(of_gradient(args.kind))
            }
        }
    }
}

impl<T: HasSpec> Recurrent<T> {
    /// Infers the specs of the results.
    pub(crate) fn infer(&self) -> Result<Outputs<TensorSpec>> {
        match self {
            Recurrent::Recurrent(args) => recurrent::recurrent(args),
            Recurrent::RecurrentGrad(args) => recurrent::recurrent_grad(args),
        }
    }
}

/// Operands that the second derivatives flow to.
fn of_gradient(kind: RecurrentKind) -> Differentiability {
    const RESULT: Option<Reason> = Some(Reason::Result);
    match kind {
        RecurrentKind::Tanh => Differentiability::Partial(&[None, None, RESULT, None]),
        RecurrentKind::Relu => Differentiability::Partial(&[None, Some(Reason::Choice), RESULT, None]),
        RecurrentKind::Gru | RecurrentKind::GruResetBefore => Differentiability::Full,
        RecurrentKind::Lstm => Differentiability::Partial(&[None, RESULT, None, None, None]),
    }
}
