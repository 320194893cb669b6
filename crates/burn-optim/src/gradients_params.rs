use crate::arithmetic::{add, scale, widened};
use alloc::collections::BTreeMap;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_core::module::{AnyParam, AutodiffModule, ParamId, ParamVisitor};
use burn_core::tensor::{AutodiffBackend, Backend, Tensor, TensorPrimitive};

/// Gradients of parameters by [`ParamId`], of any rank. They can be sent between threads.
///
/// ```
/// use burn::backend::Autodiff;
/// use burn::backend::NdArray;
/// use burn::nn::{Linear, LinearConfig};
/// use burn::optim::GradientsParams;
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let model: Linear<Autodiff<NdArray>> = LinearConfig::new(2, 3).init(&device);
/// let loss = model.forward(Tensor::<_, 2>::ones([1, 2], &device)).sum();
///
/// let grads = GradientsParams::from_grads(loss.backward(), &model);
/// let weight: Tensor<NdArray, 2> = grads.get(model.weight.id()).unwrap();
/// assert_eq!(weight.into_data().to_f64(), [1.0; 6]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct GradientsParams {
    grads: BTreeMap<ParamId, DynamicTensor>,
}

impl GradientsParams {
    /// Returns an empty container.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the gradients of all parameters of `module`.
    pub fn from_grads<B: AutodiffBackend, M: AutodiffModule<B>>(mut grads: B::Gradients, module: &M) -> Self {
        Self::from_module(&mut grads, module)
    }

    /// Moves the gradients of all parameters of `module`, which may be a part of a model, out of `grads`.
    pub fn from_module<B: AutodiffBackend, M: AutodiffModule<B>>(
        grads: &mut B::Gradients,
        module: &M,
    ) -> Self {
        let mut visitor = Visitor::<B> { from: grads, into: Self::new(), only: None };
        module.visit_params(&mut visitor);
        visitor.into
    }

    /// Moves the gradients of the parameters `ids` of `module` out of `grads`.
    pub fn from_params<B: AutodiffBackend, M: AutodiffModule<B>>(
        grads: &mut B::Gradients,
        module: &M,
        ids: &[ParamId],
    ) -> Self {
        let mut visitor = Visitor::<B> { from: grads, into: Self::new(), only: Some(ids) };
        module.visit_params(&mut visitor);
        visitor.into
    }

    /// Returns the gradient of the parameter `id`.
    ///
    /// `B` is the inner backend of the one with gradients.
    ///
    /// # Panics
    /// The gradient is of another backend or rank.
    #[track_caller]
    pub fn get<B: Backend, const D: usize>(&self, id: ParamId) -> Option<Tensor<B, D>> {
        self.grads.get(&id).cloned().map(typed)
    }

    /// Removes and returns the gradient of the parameter `id`.
    ///
    /// # Panics
    /// The gradient is of another backend or rank.
    #[track_caller]
    pub fn remove<B: Backend, const D: usize>(&mut self, id: ParamId) -> Option<Tensor<B, D>> {
        self.take(id).map(typed)
    }

    /// Sets the gradient of the parameter `id`, replacing an earlier one.
    pub fn register<B: Backend, const D: usize>(&mut self, id: ParamId, grad: Tensor<B, D>) {
        self.grads.insert(id, DynamicTensor::new::<B>(grad.into_handle()));
    }

    /// Returns the number of parameters that have a gradient.
    pub fn len(&self) -> usize {
        self.grads.len()
    }

    /// Returns whether there is no gradient.
    pub fn is_empty(&self) -> bool {
        self.grads.is_empty()
    }

    /// Returns the parameters that have a gradient.
    pub fn ids(&self) -> impl Iterator<Item = ParamId> + '_ {
        self.grads.keys().copied()
    }

    /// Moves the gradients to `device`, for instance where gradients of several devices are summed. `B` is
    /// the backend with gradients or the one inside of it. PyTorch: `x.to(device)`.
    ///
    /// ```
    /// use burn::backend::{Autodiff, NdArray};
    /// use burn::optim::GradientsParams;
    ///
    /// let (grads, device) = (GradientsParams::new(), Default::default());
    /// let grads = grads.to_device::<Autodiff<NdArray>>(&device).to_device::<NdArray>(&device);
    /// assert!(grads.is_empty());
    /// ```
    #[doc(alias = "to")]
    #[must_use]
    pub fn to_device<B: Backend>(mut self, device: &B::Device) -> Self {
        self.move_to(&DynamicDevice::new::<B>(device.clone()));
        self
    }

    /// Multiplies all gradients by `factor`, for instance by the share of a device in the mean over several.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::optim::GradientsParams;
    /// use burn::tensor::Tensor;
    ///
    /// let mut grads = GradientsParams::new();
    /// grads.register(1.into(), Tensor::<NdArray, 1>::from_data([3.0, -4.0], &Default::default()));
    /// grads.scale(0.5);
    /// assert_eq!(grads.get::<NdArray, 1>(1.into()).unwrap().into_data().to_f64(), [1.5, -2.0]);
    /// ```
    pub fn scale(&mut self, factor: f64) {
        self.map(|_, grad| scale(grad, factor));
    }

    fn move_to(&mut self, device: &DynamicDevice) {
        self.map(|_, grad| {
            let device = device.for_tensor(&grad);
            Dynamic::to_device(grad, &device)
        });
    }

    pub(crate) fn has(&self, id: ParamId) -> bool {
        self.grads.contains_key(&id)
    }

    /// Removes and returns the gradient of the parameter `id`, of any backend and rank.
    #[doc(hidden)]
    pub fn take(&mut self, id: ParamId) -> Option<DynamicTensor> {
        self.grads.remove(&id)
    }

    /// Sets the gradient of the parameter `id`, of any backend and rank.
    #[doc(hidden)]
    pub fn insert(&mut self, id: ParamId, grad: DynamicTensor) {
        self.grads.insert(id, grad);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &DynamicTensor> + Clone {
        self.grads.values()
    }

    /// Adds `grad` to the gradient of the parameter.
    pub(crate) fn add(&mut self, id: ParamId, grad: DynamicTensor) {
        let sum = match self.take(id) {
            Some(sum) => add::<Dynamic>(sum, grad),
            None => grad,
        };
        self.grads.insert(id, sum);
    }

    /// Adds gradients; sums of half-precision numbers are of `f32`.
    pub(crate) fn add_all(&mut self, other: GradientsParams) {
        for (id, grad) in other.grads {
            match self.take(id) {
                Some(sum) => self.add(id, add::<Dynamic>(widened(sum), widened(grad))),
                None => self.add(id, grad),
            }
        }
    }

    /// Maps every gradient; each is passed by value, so that it can be changed in place.
    pub(crate) fn map(&mut self, f: impl Fn(ParamId, DynamicTensor) -> DynamicTensor) {
        let grads = core::mem::take(&mut self.grads);
        self.grads = grads.into_iter().map(|(id, grad)| (id, f(id, grad))).collect();
    }
}

/// Visitor that moves the gradients of parameters out.
struct Visitor<'a, B: AutodiffBackend> {
    from: &'a mut B::Gradients,
    into: GradientsParams,
    /// The parameters to take; all of them if `None`.
    only: Option<&'a [ParamId]>,
}

impl<B: AutodiffBackend> ParamVisitor<B> for Visitor<'_, B> {
    fn visit(&mut self, param: &dyn AnyParam<B>) {
        let id = param.id();
        // A parameter that was never initialized has no gradient, and is not initialized for this.
        if !param.is_initialized() || self.only.is_some_and(|only| !only.contains(&id)) {
            return;
        }
        let TensorPrimitive::Float(x) = param.tensor() else { return };
        if let Some(grad) = B::grad_remove(&x, self.from) {
            self.into.add(id, DynamicTensor::new::<B::InnerBackend>(grad));
        }
    }
}

#[track_caller]
fn typed<B: Backend, const D: usize>(grad: DynamicTensor) -> Tensor<B, D> {
    use burn_backend::HasSpec;
    let shape = grad.shape();
    assert!(
        grad.downcast_ref::<B::Tensor>().is_some(),
        "gradients: the gradient is of another backend; expected the one inside of `Autodiff`, got {}",
        core::any::type_name::<B>()
    );
    assert!(
        shape.rank() == D,
        "gradients: wrong rank of the gradient; expected rank {D}, got shape {shape:?}"
    );
    Tensor::from_handle(grad.into_inner::<B>())
}
