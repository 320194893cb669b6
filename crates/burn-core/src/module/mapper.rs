use super::{AnyParam, ParamId, ParamKind, raw};
use crate::tensor::{Backend, Bool, Int, Tensor, TensorPrimitive};
use core::any::Any;

/// Mapper that changes the parameters of a module, in the order of declaration.
///
/// The returned tensor becomes the value of the parameter, which keeps its identifier and whether it requires
/// gradients.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::module::{Initializer, Module, ModuleMapper, Param, ParamId};
/// use burn::tensor::{Backend, Tensor};
///
/// #[derive(Module, Debug)]
/// struct Scale<B: Backend> {
///     factor: Param<Tensor<B, 1>>,
/// }
///
/// struct Double;
/// impl<B: Backend> ModuleMapper<B> for Double {
///     fn map_float<const D: usize>(&mut self, _id: ParamId, tensor: Tensor<B, D>) -> Tensor<B, D> {
///         tensor * 2.0
///     }
/// }
///
/// let scale: Scale<NdArray> = Scale { factor: Initializer::Ones.init([2], &Default::default()) };
/// assert_eq!(scale.map(&mut Double).factor.val().into_data().to_f64(), [2.0, 2.0]);
/// ```
pub trait ModuleMapper<B: Backend> {
    fn map_float<const D: usize>(&mut self, _id: ParamId, tensor: Tensor<B, D>) -> Tensor<B, D> {
        tensor
    }
    fn map_int<const D: usize>(&mut self, _id: ParamId, tensor: Tensor<B, D, Int>) -> Tensor<B, D, Int> {
        tensor
    }
    fn map_bool<const D: usize>(&mut self, _id: ParamId, tensor: Tensor<B, D, Bool>) -> Tensor<B, D, Bool> {
        tensor
    }

    /// Enters a field, as in [`ModuleVisitor`](super::ModuleVisitor::enter_module).
    fn enter_module(&mut self, _name: &str, _container: &str) {}
    fn exit_module(&mut self, _name: &str, _container: &str) {}
}

/// Mapper that changes every parameter of a module, of any rank: [`ModuleMapper`] for code that is compiled
/// once.
pub trait ParamMapper<B: Backend> {
    fn map(&mut self, param: &mut dyn AnyParam<B>);

    /// Maps a tensor that is a field of a module but no parameter.
    fn map_constant(&mut self, tensor: TensorPrimitive<B>) -> TensorPrimitive<B> {
        tensor
    }

    /// Changes a part of a module that its crate shows to mappers which know its type, such as the slot for
    /// the adapter of a linear layer. Called before the parameters in it are mapped.
    fn map_extension(&mut self, _extension: &mut dyn Any) {}

    /// Announces that the fields mapped next belong to a module of this type path, such as
    /// `burn_nn::linear::Linear`.
    fn enter_layer(&mut self, _layer: &'static str) {}
    fn enter_module(&mut self, _name: &str, _container: &str) {}
    fn exit_module(&mut self, _name: &str, _container: &str) {}
}

/// Adapter for mappers that take the rank as a const parameter.
pub(super) struct Ranked<'a, M>(pub &'a mut M);

impl<B: Backend, M: ModuleMapper<B>> ParamMapper<B> for Ranked<'_, M> {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        let (id, rank, tensor) = (param.id(), param.shape().rank(), param.take());
        macro_rules! ranks {
            ($method:ident: $($rank:literal)*) => {
                match rank {
                    $($rank => raw::into(self.0.$method::<$rank>(id, raw::from(tensor))),)*
                    rank => panic!("a module mapper changes tensors up to rank 8, not {rank}"),
                }
            };
        }
        let mapped = match param.kind() {
            ParamKind::Float => ranks!(map_float: 0 1 2 3 4 5 6 7 8),
            ParamKind::Int => ranks!(map_int: 0 1 2 3 4 5 6 7 8),
            ParamKind::Bool => ranks!(map_bool: 0 1 2 3 4 5 6 7 8),
        };
        param.set(mapped);
    }
    fn enter_module(&mut self, name: &str, container: &str) {
        self.0.enter_module(name, container);
    }
    fn exit_module(&mut self, name: &str, container: &str) {
        self.0.exit_module(name, container);
    }
}
