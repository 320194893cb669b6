//! The parameters of a module as one vector.

use crate::GradientsParams;
use crate::arithmetic::{cast, is_half};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{Backend as _, DType, HasSpec, Scalar, Shape, Slice, Slices, TensorSpec};
use burn_core::module::{AnyParam, AutodiffModule, ParamId, ParamMapper, ParamVisitor};
use burn_core::tensor::{AutodiffBackend, TensorPrimitive};
use core::marker::PhantomData;

/// Layout of the parameters in one vector, which is on the device of the first parameter, in the widest dtype
/// of all and at least `f32`.
#[derive(Debug)]
pub struct FlatLayout {
    pieces: BTreeMap<ParamId, Piece>,
    order: Vec<ParamId>,
    length: usize,
    device: DynamicDevice,
    dtype: DType,
}

#[derive(Debug)]
struct Piece {
    start: usize,
    shape: Shape,
}

impl FlatLayout {
    /// Returns the layout and the vector of the parameters of `module` that require gradients; `None` if
    /// there are none.
    pub fn flatten<B: AutodiffBackend, M: AutodiffModule<B>>(module: &M) -> Option<(Self, DynamicTensor)> {
        let mut values = OnBackend::<_, B> { walk: Values::default(), backend: PhantomData };
        module.visit_params(&mut values);
        values.walk.finish()
    }

    /// Returns the number of elements.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Returns the gradients as a vector; a parameter without one has zeros.
    pub fn gradients(&self, mut grads: GradientsParams) -> DynamicTensor {
        let flat = |id: &ParamId| {
            let size = self.pieces[id].shape.num_elements();
            match grads.take(*id) {
                Some(grad) => self.piece(grad),
                None => {
                    let spec = TensorSpec::new([size], self.dtype);
                    Dynamic::full(spec, Scalar::Float(0.0), &self.device)
                }
            }
        };
        Dynamic::cat(self.order.iter().map(flat).collect(), 0)
    }

    fn piece(&self, x: DynamicTensor) -> DynamicTensor {
        let size = x.spec().shape.num_elements();
        let x = cast(Dynamic::reshape(x, Shape::from([size])), self.dtype);
        if Dynamic::device(&x) == self.device { x } else { Dynamic::to_device(x, &self.device) }
    }

    /// Returns `module` with the parameters of the vector `x`.
    pub fn unflatten<B: AutodiffBackend, M: AutodiffModule<B>>(&self, mut module: M, x: &DynamicTensor) -> M {
        let walk = (self, x);
        module.map_params(&mut OnBackend::<_, B> { walk, backend: PhantomData });
        module
    }

    /// Returns the part of `x` in the place of the parameter `id` with the values `old`.
    fn part(&self, id: ParamId, x: &DynamicTensor, old: &DynamicTensor) -> DynamicTensor {
        let Piece { start, shape } = &self.pieces[&id];
        let end = start + shape.num_elements();
        let slices: Slices = [Slice { start: *start, end, step: 1 }].into_iter().collect();
        let part = Dynamic::reshape(Dynamic::slice(x.clone(), slices), shape.clone());
        let (part, device) = (cast(part, old.dtype()), Dynamic::device(old));
        if self.device == device { part } else { Dynamic::to_device(part, &device) }
    }
}

struct OnBackend<W, B> {
    walk: W,
    backend: PhantomData<B>,
}

/// The parameters, each once, in the order of the walk.
#[derive(Default)]
struct Values(Vec<(ParamId, DynamicTensor)>);

impl Values {
    fn has(&self, id: ParamId) -> bool {
        self.0.iter().any(|(other, _)| *other == id)
    }

    fn finish(self) -> Option<(FlatLayout, DynamicTensor)> {
        let (_, first) = self.0.first()?;
        let widest = |dtype: DType, other: DType| match (dtype, other) {
            (DType::F64, _) | (_, DType::F64) => DType::F64,
            (dtype, other) => {
                if is_half(dtype) {
                    other
                } else {
                    dtype
                }
            }
        };
        let dtype = self.0.iter().map(|(_, x)| x.dtype()).reduce(widest)?;
        let mut layout = FlatLayout {
            pieces: BTreeMap::new(),
            order: Vec::new(),
            length: 0,
            device: Dynamic::device(first),
            dtype: if is_half(dtype) { DType::F32 } else { dtype },
        };
        let mut pieces = Vec::new();
        for (id, x) in self.0 {
            let shape = x.shape();
            let start = layout.length;
            layout.length += shape.num_elements();
            layout.pieces.insert(id, Piece { start, shape });
            layout.order.push(id);
            pieces.push(layout.piece(x));
        }
        Some((layout, Dynamic::cat(pieces, 0)))
    }
}

impl<B: AutodiffBackend> ParamVisitor<B> for OnBackend<Values, B> {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        if !param.is_require_grad() || self.walk.has(param.id()) {
            return;
        }
        if let TensorPrimitive::Float(x) = param.tensor() {
            self.walk.0.push((param.id(), DynamicTensor::new::<B::InnerBackend>(B::inner(x))));
        }
    }
}

impl<B: AutodiffBackend> ParamMapper<B> for OnBackend<(&FlatLayout, &DynamicTensor), B> {
    fn map(&mut self, param: &mut dyn AnyParam<B>) {
        let ((layout, x), id) = (self.walk, param.id());
        if !param.is_require_grad() || !layout.pieces.contains_key(&id) {
            return;
        }
        let old = DynamicTensor::new::<B::InnerBackend>(B::inner(param.take().tensor()));
        let part = layout.part(id, x, &old).into_inner::<B::InnerBackend>();
        param.set(TensorPrimitive::Float(B::from_inner(part)));
    }
}
