//! The model of rank 0 on all ranks.

use super::DataParallel;
use super::buckets::{Sized, buckets};
use super::parameters::Path;
use crate::CollectiveError;
use crate::differentiable::data;
use crate::frame::CallFields;
use crate::group::Group;
use burn_backend::dynamic::DynamicTensor;
use burn_core::module::{AnyParam, Module, ParamMapper, ParamVisitor};
use burn_ir::TensorData;
use burn_tensor::TensorPrimitive;
use burn_tensor::backend::Backend;
use std::collections::VecDeque;

const NAME: &str = "DataParallel::synchronize";

/// Values of parameters and buffers, with their paths.
#[derive(Default)]
struct Values {
    path: Path,
    found: Vec<(String, Result<DynamicTensor, String>)>,
}

impl<B: Backend> ParamVisitor<B> for Values {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        let value = match param.tensor() {
            TensorPrimitive::Float(x) => Ok(DynamicTensor::new::<B>(x)),
            TensorPrimitive::QFloat(_) | TensorPrimitive::Blocks(_) => {
                Err("a quantized parameter".to_string())
            }
        };
        self.found.push((self.path.text(), value));
    }
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.enter(name);
    }
    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.exit();
    }
}

/// Mapper that gives parameters and buffers other values, in the order of the walk.
struct SetValues(VecDeque<TensorData>);

impl<B: Backend> ParamMapper<B> for SetValues {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        if let Some(data) = self.0.pop_front() {
            let x = B::from_data(data, &param.device());
            param.set(TensorPrimitive::Float(x));
        }
    }
}

impl DataParallel {
    /// Gives all ranks the parameters and buffers (such as the running mean of a batch norm) that `module`
    /// has on rank 0. Call it before training, and to make buffers equal before they are saved. PyTorch: what
    /// the constructor of `DistributedDataParallel` does.
    ///
    /// # Errors
    /// When ranks have different models: names the first parameter in which they differ. When a parameter is
    /// quantized.
    pub fn synchronize<B: Backend, M: Module<B>>(&self, mut module: M) -> Result<M, CollectiveError> {
        let mut values = Values::default();
        module.visit_params(&mut values);
        let values = self.values_of_rank_0(values)?;
        module.map_params(&mut SetValues(values.into()));
        Ok(module)
    }

    fn values_of_rank_0(&self, values: Values) -> Result<Vec<TensorData>, CollectiveError> {
        let group = self.communicator.idle_group();
        let (mut lines, mut list) = (Vec::new(), Vec::new());
        for (path, value) in values.found {
            let value = value
                .map_err(|found| group.argument(NAME, "module", "a float parameter", found + " " + &path));
            let value =
                value.and_then(|x| data(NAME, group.rank(), x)).map_err(|error| group.refuse(NAME, error))?;
            lines.push(format!("{path} {} {:?}", value.dtype, value.shape));
            list.push(value);
        }
        check_models(group, &lines)?;
        let sizes: Vec<Sized> =
            list.iter().map(|x| Sized { bytes: x.as_bytes().len(), dtype: x.dtype }).collect();
        let (mut rest, mut all) = (list.into_iter(), Vec::new());
        for range in buckets(&sizes, self.bucket_bytes) {
            all.extend(group.broadcast_list(rest.by_ref().take(range.len()).collect(), 0)?);
        }
        Ok(all)
    }
}

/// Checks that all ranks have parameters of the same paths, shapes and dtypes.
fn check_models(group: &Group, lines: &[String]) -> Result<(), CollectiveError> {
    group.call(NAME, Ok(CallFields::new(NAME)), |call| {
        let texts = call.gather_bytes(lines.join("\n").as_bytes())?;
        let texts: Vec<String> =
            texts.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
        let Some(first) = texts.first() else { return Ok(()) };
        let Some(rank) = texts.iter().position(|text| text != first) else { return Ok(()) };
        let (mut first, mut other) = (first.lines(), texts[rank].lines());
        let (expected, found) = loop {
            match (first.next(), other.next()) {
                (expected, found) if expected == found => {}
                (expected, found) => break (expected, found),
            }
        };
        let text = |line: Option<&str>| line.unwrap_or("no more parameters").to_string();
        let (operation, field) = (NAME.to_string(), "parameters".to_string());
        Err(CollectiveError::Disagreement {
            operation,
            rank,
            field,
            expected: text(expected),
            found: text(found),
        })
    })
}
