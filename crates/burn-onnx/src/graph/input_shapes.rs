//! Sizes of inputs that are fixed after a model was read.

use super::{Dimension, GraphDefinition, Model, ValueType};
use crate::OnnxError;
use std::sync::Arc;

impl Model {
    /// Returns the model with fixed shapes of some inputs, by their names: sizes that the file leaves open
    /// are known when the model is translated, so that `If`s on shapes are decided.
    ///
    /// ```
    /// use burn_onnx::Model;
    ///
    /// # fn fix(model: Model) -> Result<(), burn_onnx::OnnxError> {
    /// let model = model.with_input_shapes(&[("input", &[1, 576]), ("state", &[2, 1, 128])])?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OnnxError::Input`] when there is no such input, it is no tensor, it has another rank, or a size
    /// contradicts the file or another input whose size has the same name.
    pub fn with_input_shapes(mut self, shapes: &[(&str, &[usize])]) -> Result<Self, OnnxError> {
        for (name, shape) in shapes {
            self.fix_input_shape(name, shape)?;
        }
        Ok(self)
    }

    /// Fixes the shape of an input.
    pub(crate) fn fix_input_shape(&mut self, name: &str, shape: &[usize]) -> Result<(), OnnxError> {
        let wrong = |reason: String| OnnxError::Input { name: name.into(), reason };
        let names: Vec<&str> = self.inputs().map(|input| &input.name[..]).collect();
        if !names.contains(&name) {
            return Err(wrong(format!(
                "the model has no such input; its inputs are `{}`",
                names.join("`, `")
            )));
        }
        let graph = Arc::make_mut(&mut self.graph);
        let Some(input) = graph.inputs.iter_mut().find(|input| input.name == name) else { return Ok(()) };
        let ValueType::Tensor { dims, .. } = &mut input.value_type else {
            return Err(wrong(format!(
                "expected a tensor to fix the shape {shape:?} of, found {:?}",
                input.value_type
            )));
        };
        let (known, named) = match dims {
            Some(declared) => fixed(declared, shape),
            None => fixed(&vec![Dimension::Unknown; shape.len()], shape),
        }
        .map_err(wrong)?;
        *dims = Some(known);
        named.into_iter().for_each(|(name, size)| graph.fix_named_size(&name, size));
        Ok(())
    }

    /// Whether an input has a size that the file leaves open.
    #[cfg(feature = "run")]
    pub(crate) fn has_open_sizes(&self) -> bool {
        self.inputs().any(|input| match &input.value_type {
            ValueType::Tensor { dims: Some(dims), .. } => {
                dims.iter().any(|dim| !matches!(dim, Dimension::Known(_)))
            }
            ValueType::Tensor { dims: None, .. } => true,
            ValueType::Sequence(_)
            | ValueType::Optional(_)
            | ValueType::Unsupported(_)
            | ValueType::Undeclared => false,
        })
    }
}

/// Known dimensions, and sizes by their names.
type Fixed = (Vec<Dimension>, Vec<(String, usize)>);

/// The declared dimensions with the sizes of a shape.
fn fixed(declared: &[Dimension], shape: &[usize]) -> Result<Fixed, String> {
    let text = || declared.iter().map(Dimension::to_string).collect::<Vec<_>>().join(", ");
    if declared.len() != shape.len() {
        let (expected, got) = (declared.len(), shape.len());
        return Err(format!("the shape {shape:?} has rank {got}; expected rank {expected}, of [{}]", text()));
    }
    let mut named: Vec<(String, usize)> = Vec::new();
    for (dim, &size) in declared.iter().zip(shape) {
        let fits = match dim {
            Dimension::Known(known) => *known == size,
            Dimension::Named(name) => {
                let is_other = |(other, known): &(String, usize)| other == name && *known != size;
                let fits = !named.iter().any(is_other);
                named.push((name.clone(), size));
                fits
            }
            Dimension::Unknown => true,
        };
        if !fits {
            return Err(format!("the shape {shape:?} contradicts the declared sizes; expected [{}]", text()));
        }
    }
    Ok((shape.iter().map(|&size| Dimension::Known(size)).collect(), named))
}

impl GraphDefinition {
    /// Fixes a size wherever its name stands.
    fn fix_named_size(&mut self, name: &str, size: usize) {
        for info in self.inputs.iter_mut().chain(&mut self.outputs) {
            if let ValueType::Tensor { dims: Some(dims), .. } = &mut info.value_type {
                let named = dims.iter_mut().filter(|dim| matches!(dim, Dimension::Named(own) if own == name));
                named.for_each(|dim| *dim = Dimension::Known(size));
            }
        }
    }
}
