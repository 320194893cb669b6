use crate::CancelToken;
use crate::budget::Budget;
use crate::builder::{Builder, Statement};
use crate::error::OnnxError;
use crate::graph::{Dimension, Model, ValueInfo, ValueType};
use crate::translate::{Scope, check_limits, check_support, translate_graph};
use crate::value::{Expr, OnnxValue, Spec, Tensor, TensorId};
use std::collections::HashMap;

/// A recorded model.
#[derive(Debug)]
pub struct Program {
    /// Inputs with the names of the model, in its order; those with defaults are constants.
    pub inputs: Vec<(String, Tensor)>,
    /// Calls in order.
    pub statements: Vec<Statement>,
    /// Outputs in the order of the model.
    pub outputs: Vec<ProgramOutput>,
    /// Names that the model gives to tensors.
    pub names: HashMap<TensorId, String>,
    /// Names that the model gives to sizes of inputs and outputs.
    pub sizes: HashMap<(TensorId, usize), String>,
    /// The first number that names no tensor.
    #[cfg(any(feature = "generate", feature = "run"))]
    pub(crate) next_id: u32,
}

/// An output of a recorded model.
#[derive(Clone, Debug)]
pub struct ProgramOutput {
    /// Name in the model.
    pub name: String,
    /// The tensor.
    pub tensor: Tensor,
}

impl Program {
    /// Records a model.
    ///
    /// # Errors
    /// When operators are not supported, all of them are named; when a node cannot be translated without the
    /// values that the model gets when it runs, that node.
    pub fn record(model: &Model) -> Result<Self, OnnxError> {
        check_support(model)?;
        check_limits(model)?;
        let budget = Budget::new(&model.limits, &CancelToken::default());
        let mut builder = Builder::recorder().with_budget(budget, model.constant_bytes());
        let mut scope = Scope::of_model(model);
        let (mut inputs, mut names, mut sizes) = (Vec::new(), HashMap::new(), HashMap::new());
        let mut symbols: HashMap<String, Expr> = HashMap::new();
        let graph = &model.graph;
        for info in model.inputs() {
            let tensor = declare(info, &mut builder, &mut symbols, &mut sizes)?;
            names.insert(tensor.id, info.name.clone());
            scope.set(&info.name, OnnxValue::Tensor(tensor.clone()));
            inputs.push((info.name.clone(), tensor));
        }
        let values = translate_graph(graph, &mut scope, &mut builder);
        let values = values.map_err(|error| builder.budget.typed(error))?;
        let mut outputs = Vec::new();
        for (info, value) in graph.outputs.iter().zip(values) {
            let tensor = builder.tensor(&value).map_err(|reason| OnnxError::Node {
                node: info.name.clone(),
                operator: "output".into(),
                reason: reason.0,
            })?;
            name_sizes(info, &tensor, &mut sizes);
            outputs.push(ProgramOutput { name: info.name.clone(), tensor });
        }
        #[cfg(any(feature = "generate", feature = "run"))]
        let next_id = builder.next_id().0;
        let (statements, given) = builder.finish();
        for (id, name) in given {
            names.entry(id).or_insert(name);
        }
        let mut program = Program {
            inputs,
            statements,
            outputs,
            names,
            sizes,
            #[cfg(any(feature = "generate", feature = "run"))]
            next_id,
        };
        program.remove_unused();
        Ok(program)
    }
}

/// Notes the names of the sizes of an output, which may be an input too.
fn name_sizes(info: &ValueInfo, tensor: &Tensor, sizes: &mut HashMap<(TensorId, usize), String>) {
    let ValueType::Tensor { dims: Some(dims), .. } = &info.value_type else { return };
    if dims.len() != tensor.dims().len() {
        return;
    }
    for (d, dim) in dims.iter().enumerate() {
        if let Dimension::Named(name) = dim {
            sizes.entry((tensor.id, d)).or_insert_with(|| name.clone());
        }
    }
}

/// The tensor of an input. A size that another input has under the same name is that size.
fn declare(
    info: &ValueInfo,
    builder: &mut Builder,
    symbols: &mut HashMap<String, Expr>,
    sizes: &mut HashMap<(TensorId, usize), String>,
) -> Result<Tensor, OnnxError> {
    let wrong = |reason: String| OnnxError::Input { name: info.name.clone(), reason };
    let (dtype, dims) = match &info.value_type {
        ValueType::Tensor { dtype, dims: Some(dims) } => (*dtype, dims),
        ValueType::Tensor { dims: None, .. } => {
            return Err(wrong("its rank is not declared; a recorded model needs it".into()));
        }
        ValueType::Unsupported(reason) => return Err(wrong(reason.clone())),
        ValueType::Sequence(_) | ValueType::Optional(_) => {
            return Err(wrong(
                "a recorded model takes tensors alone, not sequences and optionals; run it as it is".into(),
            ));
        }
        ValueType::Undeclared => return Err(wrong("its type is not declared".into())),
    };
    let mut tensor = builder.declare(Spec::of(dtype, vec![Expr::Int(1); dims.len()]));
    for (d, dim) in dims.iter().enumerate() {
        let own = Expr::Dim(tensor.id, d);
        tensor.spec.dims[d] = match dim {
            Dimension::Known(size) => Expr::from(*size),
            Dimension::Named(name) => {
                sizes.insert((tensor.id, d), name.clone());
                symbols.entry(name.clone()).or_insert(own).clone()
            }
            Dimension::Unknown => own,
        };
    }
    Ok(tensor)
}
