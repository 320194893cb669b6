//! Batch normalization of a convolution's output as other weights of the convolution.

use crate::builder::Statement;
use crate::calls::Operand;
use crate::graph::Constant;
use crate::program::Program;
use crate::value::{Expr, Spec, Tensor, TensorId};
use burn_ir::{DType, TensorData};
use std::collections::HashMap;
use std::sync::Arc;

type Constants = HashMap<TensorId, Constant>;

impl Program {
    /// Replaces a convolution and the batch normalization of its output, both with constants, by one
    /// convolution: `weight scale` and `(bias - mean) scale + shift` with `scale = gamma / sqrt(variance +
    /// epsilon)`.
    pub(crate) fn fold_batch_norm(&mut self) {
        let (mut constants, uses) = (Constants::new(), self.use_counts());
        let mut convolutions: HashMap<TensorId, usize> = HashMap::new();
        let mut statements: Vec<Statement> = Vec::with_capacity(self.statements.len());
        for statement in std::mem::take(&mut self.statements) {
            match &statement {
                Statement::Constant { constant, result } => {
                    drop(constants.insert(result.id, constant.clone()))
                }
                Statement::Call { definition, operands, results } if definition.name == "batch_norm" => {
                    let x = operands[0].tensor().ok().map(|x| x.id).filter(|id| uses.get(id) == Some(&1));
                    let convolution = x.and_then(|id| convolutions.get(&id)).map(|&place| &statements[place]);
                    if let Some(folded) =
                        convolution.and_then(|statement| self.folded(statement, operands, &constants))
                    {
                        statements.extend(folded(&results[0]));
                        continue;
                    }
                }
                Statement::Call { definition, results, .. } if definition.name == "conv" => {
                    convolutions.insert(results[0].id, statements.len());
                }
                _ => {}
            }
            statements.push(statement);
        }
        self.statements = statements;
        self.remove_unused();
    }

    /// The statements in the place of a convolution and a normalization, by the result of the latter.
    fn folded(
        &mut self,
        convolution: &Statement,
        norm: &[Operand],
        constants: &Constants,
    ) -> Option<impl FnOnce(&Tensor) -> [Statement; 3] + use<>> {
        let Statement::Call { definition, operands, .. } = convolution else { return None };
        let constant = |operand: &Operand| constants.get(&operand.tensor().ok()?.id);
        let numbers = |operand: &Operand| Some(constant(operand)?.data.to_f64());
        let weight = constant(&operands[1]).filter(|weight| weight.data.dtype == DType::F32)?;
        let bias = match &operands[2] {
            Operand::Absent => None,
            other => Some(numbers(other)?),
        };
        let (mean, variance) = (numbers(&norm[1])?, numbers(&norm[2])?);
        let (gamma, beta) = (numbers(&norm[3])?, numbers(&norm[4])?);
        let epsilon = norm[5].number().ok()?.to_f64()?;
        let channels = weight.data.shape[0];
        if [&mean, &variance, &gamma, &beta].iter().any(|part| part.len() != channels) {
            return None;
        }
        let scale: Vec<f64> = gamma
            .iter()
            .zip(&variance)
            .map(|(gamma, variance)| gamma / (variance + epsilon).sqrt())
            .collect();
        let kernel = (weight.data.num_elements() / channels.max(1)).max(1);
        let values = weight.data.iter::<f64>().enumerate();
        let values: Vec<f32> = values.map(|(place, value)| (value * scale[place / kernel]) as f32).collect();
        let shift = (0..channels).map(|c| {
            let bias = bias.as_ref().map_or(0.0, |bias| bias[c]);
            ((bias - mean[c]) * scale[c] + beta[c]) as f32
        });
        let base = weight.name.strip_suffix(".weight").unwrap_or(&weight.name);
        let parts = [
            (format!("{base}.weight"), TensorData::new(values, weight.data.shape.clone())),
            (format!("{base}.bias"), TensorData::new(shift.collect::<Vec<_>>(), [channels])),
        ];
        let [weight, bias] = parts.map(|(name, data)| {
            let result = self.fresh(&data);
            Statement::Constant { constant: Constant { name, data: Arc::new(data) }, result }
        });
        let (definition, mut operands) = (*definition, operands.clone());
        for (argument, statement) in [(1, &weight), (2, &bias)] {
            if let Statement::Constant { result, .. } = statement {
                operands[argument] = Operand::Tensor(result.clone());
            }
        }
        Some(move |result: &Tensor| {
            [weight, bias, Statement::Call { definition, operands, results: vec![result.clone()] }]
        })
    }

    /// A new tensor for data.
    fn fresh(&mut self, data: &TensorData) -> Tensor {
        let id = TensorId(self.next_id);
        self.next_id += 1;
        let dims = data.shape.iter().map(|&size| Expr::from(size)).collect();
        Tensor {
            id,
            spec: Spec::of(data.dtype, dims),
            #[cfg(feature = "run")]
            handle: None,
            #[cfg(feature = "run")]
            charge: None,
        }
    }
}
