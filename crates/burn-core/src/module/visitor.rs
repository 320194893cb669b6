use super::{AnyParam, ParamId, ParamKind, raw};
use crate::tensor::{Backend, Bool, Int, Tensor, TensorPrimitive};

/// Visitor of every parameter of a module, in the order of declaration.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::module::{Initializer, Module, ModuleVisitor, Param, ParamId};
/// use burn::tensor::{Backend, Tensor};
///
/// #[derive(Module, Debug)]
/// struct Affine<B: Backend> {
///     weight: Param<Tensor<B, 2>>,
///     bias: Param<Tensor<B, 1>>,
/// }
///
/// #[derive(Default)]
/// struct Ranks(Vec<(String, usize)>, String);
///
/// impl<B: Backend> ModuleVisitor<B> for Ranks {
///     fn visit_float<const D: usize>(&mut self, _id: ParamId, _tensor: &Tensor<B, D>) {
///         self.0.push((self.1.clone(), D));
///     }
///     fn enter_module(&mut self, name: &str, _container: &str) {
///         self.1 = name.to_string();
///     }
/// }
///
/// let device = Default::default();
/// let affine: Affine<NdArray> =
///     Affine { weight: Initializer::Ones.init([2, 3], &device), bias: Initializer::Zeros.init([3], &device) };
/// let mut ranks = Ranks::default();
/// affine.visit(&mut ranks);
/// assert_eq!(ranks.0, [("weight".to_string(), 2), ("bias".to_string(), 1)]);
/// ```
pub trait ModuleVisitor<B: Backend> {
    fn visit_float<const D: usize>(&mut self, _id: ParamId, _tensor: &Tensor<B, D>) {}
    fn visit_int<const D: usize>(&mut self, _id: ParamId, _tensor: &Tensor<B, D, Int>) {}
    fn visit_bool<const D: usize>(&mut self, _id: ParamId, _tensor: &Tensor<B, D, Bool>) {}

    /// Enters `name`, a field of a `container` such as `Linear`, or an item of a `Vec`. The names entered and
    /// not yet left are the path of a parameter.
    fn enter_module(&mut self, _name: &str, _container: &str) {}
    fn exit_module(&mut self, _name: &str, _container: &str) {}
}

/// Visitor of every parameter of a module, of any rank: [`ModuleVisitor`] for code that is compiled once.
pub trait ParamVisitor<B: Backend> {
    fn visit(&mut self, param: &dyn AnyParam<B>);

    /// Visits a tensor that is a field of a module but no parameter.
    fn visit_constant(&mut self, _tensor: &TensorPrimitive<B>) {}

    /// Announces that the fields visited next belong to a module of this type path, such as
    /// `burn_nn::linear::Linear`.
    fn enter_layer(&mut self, _layer: &'static str) {}
    fn enter_module(&mut self, _name: &str, _container: &str) {}
    fn exit_module(&mut self, _name: &str, _container: &str) {}
}

/// Adapter for visitors that take the rank as a const parameter.
pub(super) struct Ranked<'a, V>(pub &'a mut V);

impl<B: Backend, V: ModuleVisitor<B>> ParamVisitor<B> for Ranked<'_, V> {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        let (id, tensor) = (param.id(), param.tensor());
        macro_rules! ranks {
            ($method:ident: $($rank:literal)*) => {
                match param.shape().rank() {
                    $($rank => self.0.$method::<$rank>(id, &raw::from(tensor)),)*
                    rank => panic!("a module visitor sees tensors up to rank 8, not {rank}"),
                }
            };
        }
        match param.kind() {
            ParamKind::Float => ranks!(visit_float: 0 1 2 3 4 5 6 7 8),
            ParamKind::Int => ranks!(visit_int: 0 1 2 3 4 5 6 7 8),
            ParamKind::Bool => ranks!(visit_bool: 0 1 2 3 4 5 6 7 8),
        }
    }
    fn enter_module(&mut self, name: &str, container: &str) {
        self.0.enter_module(name, container);
    }
    fn exit_module(&mut self, name: &str, container: &str) {
        self.0.exit_module(name, container);
    }
}
