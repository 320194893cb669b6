//! Values as tensors and tensors as values.

use super::{Builder, Statement};
use crate::error::{Outcome, fail, require};
use crate::graph::Constant;
use crate::value::{Expr, Function, Host, OnnxValue, Spec, Tensor};
use burn_ir::DType;

/// The most numbers that are read from a tensor to the host, or kept there as expressions.
const MOST_HOST_NUMBERS: usize = 1 << 20;

impl Builder {
    /// Converts the value to a tensor: constants and numbers of the host move to the device.
    ///
    /// # Errors
    /// When it is a sequence, an optional, or the device has no room.
    pub fn tensor(&mut self, value: &OnnxValue) -> Outcome<Tensor> {
        match value {
            OnnxValue::Tensor(tensor) => Ok(tensor.clone()),
            OnnxValue::Constant(constant) => self.constant(constant),
            OnnxValue::Host(host) => match host.to_data() {
                Some(data) => {
                    self.require_room(host.elements.len(), host.dtype)?;
                    let constant = self.folded(String::new(), data);
                    self.constant(&constant)
                }
                None => self.host_tensor(host),
            },
            OnnxValue::Optional(Some(value)) => self.tensor(&value.clone()),
            OnnxValue::Sequence(_) | OnnxValue::Optional(None) => {
                fail!("expected a tensor, found {}", value.kind())
            }
        }
    }

    fn host_tensor(&mut self, host: &Host) -> Outcome<Tensor> {
        let list = if host.dtype.is_int() {
            self.ints(&host.elements, host.dtype)?
        } else if host.dtype.is_float() {
            self.floats(&host.elements, host.dtype)?
        } else {
            fail!("booleans of sizes cannot become a tensor: {host:?}")
        };
        let dims: Vec<Expr> = host.dims.iter().map(|&dim| Expr::from(dim)).collect();
        match dims.len() {
            0 => Ok(list.as_scalar(true)),
            1 => Ok(list),
            _ => self.reshape(&list, &dims),
        }
    }

    /// Converts a constant to a tensor, once for each constant.
    ///
    /// # Errors
    /// When the device has no room or no such elements.
    pub fn constant(&mut self, constant: &Constant) -> Outcome<Tensor> {
        let key = std::sync::Arc::as_ptr(&constant.data) as usize;
        if let Some((_, tensor)) = self.constants.get(&key) {
            return Ok(tensor.clone());
        }
        let tensor = self.new_constant(constant)?;
        // The constant is kept too, so that its address stays its own.
        self.constants.insert(key, (constant.clone(), tensor.clone()));
        Ok(tensor)
    }

    fn new_constant(&mut self, constant: &Constant) -> Outcome<Tensor> {
        let dims = constant.data.shape.iter().map(|&dim| Expr::from(dim)).collect();
        let spec = Spec::of(constant.data.dtype, dims);
        match &self.mode {
            super::call::Mode::Record => {
                let result = self.declare(spec);
                self.statements
                    .push(Statement::Constant { constant: constant.clone(), result: result.clone() });
                Ok(result)
            }
            #[cfg(feature = "run")]
            super::call::Mode::Execute(device) => {
                let handle = crate::run::upload(&constant.data, device)?;
                self.hold("constant", handle, spec)
            }
        }
    }

    /// Returns the numbers of the value on the host; a tensor is read.
    ///
    /// # Errors
    /// When it has no number of elements that is known, or too many of them.
    pub fn host(&mut self, value: &OnnxValue) -> Outcome<Host> {
        match value {
            OnnxValue::Host(host) => Ok(host.clone()),
            OnnxValue::Constant(constant) => {
                let count = constant.data.num_elements();
                require!(count <= MOST_HOST_NUMBERS, "{count} numbers are too many for the host");
                Ok(Host::from_data(&constant.data))
            }
            OnnxValue::Tensor(tensor) => self.read(tensor),
            OnnxValue::Optional(Some(value)) => self.host(&value.clone()),
            OnnxValue::Sequence(_) | OnnxValue::Optional(None) => {
                fail!("expected numbers, found {}", value.kind())
            }
        }
    }

    fn read(&mut self, tensor: &Tensor) -> Outcome<Host> {
        let sizes: Option<Vec<usize>> = tensor.dims().iter().map(Expr::size).collect();
        let Some(dims) = sizes else {
            fail!("numbers that shapes depend on are read from a tensor whose size is not known: {tensor:?}");
        };
        let count: usize = dims.iter().product();
        require!(count <= MOST_HOST_NUMBERS, "{count} numbers are too many for the host");
        #[cfg(feature = "run")]
        if let Some(handle) = &tensor.handle {
            let mut host = Host::from_data(&crate::run::read(handle)?);
            host.dims = dims;
            return Ok(host);
        }
        require!(tensor.dtype() != DType::Bool || count == 1, "a list of booleans is read: {tensor:?}");
        if self.read.insert(tensor.id) {
            self.statements.push(Statement::Read { tensor: tensor.clone() });
        }
        let is_float = tensor.dtype().is_float();
        let element = |place| match Expr::Element(tensor.id, place) {
            // So it is seen that the number may have a fraction.
            element if is_float => Expr::apply(Function::ToFloat, vec![element]),
            element => element,
        };
        let elements = (0..count).map(element).collect();
        Ok(Host { dtype: tensor.dtype(), dims, elements })
    }
}
