use crate::TensorError;
use crate::check::{check, together};
use alloc::boxed::Box;
use burn_backend::sync::Arc;
use burn_backend::{Backend, HasSpec, Operation, Packed, QuantizationScheme, Quantized, TensorSpec};
use burn_derive::fallible;

/// Quantized tensor, with the shape and dtype of its dequantized values. A clone shares them.
#[derive(Clone, Debug)]
pub struct QuantizedTensor<B: Backend>(Arc<Parts<B>>);

#[derive(Debug)]
struct Parts<B: Backend> {
    packed: Packed<B::Tensor>,
    spec: TensorSpec,
}

#[fallible]
impl<B: Backend> QuantizedTensor<B> {
    /// Creates a quantized tensor of these parts.
    ///
    /// # Errors
    /// When the scheme does not fit the shape, the parts do not fit the scheme, or they are on several
    /// devices.
    pub fn try_new(packed: Packed<B::Tensor>) -> Result<Self, TensorError> {
        check(&Operation::Quantized(Quantized::Dequantize(Box::new(packed.map_ref(HasSpec::spec)))))?;
        together::<B>("dequantize", &packed.values, &[&packed.scale])?;
        packed.zero.iter().try_for_each(|zero| together::<B>("dequantize", &packed.values, &[zero]))?;
        let spec = TensorSpec { shape: packed.shape.clone(), dtype: packed.scale.dtype() };
        Ok(QuantizedTensor(Arc::new(Parts { packed, spec })))
    }
}

impl<B: Backend> QuantizedTensor<B> {
    /// Returns the parts.
    pub fn packed(&self) -> &Packed<B::Tensor> {
        &self.0.packed
    }

    /// Returns the quantization scheme.
    pub fn scheme(&self) -> QuantizationScheme {
        self.0.packed.scheme
    }

    /// Returns the device.
    pub fn device(&self) -> B::Device {
        B::device(&self.0.packed.values)
    }

    /// Dequantizes to floats.
    #[cold]
    pub fn dequantize(&self) -> B::Tensor {
        B::dequantize(self.packed().clone())
    }

    /// Maps each part to a tensor of the same spec, also of another backend.
    #[must_use]
    #[cold]
    pub fn map<C: Backend>(&self, part: &dyn Fn(B::Tensor) -> C::Tensor) -> QuantizedTensor<C> {
        let packed = self.packed().map_ref(|x| part(x.clone()));
        QuantizedTensor(Arc::new(Parts { packed, spec: self.0.spec.clone() }))
    }
}

/// Shape and dtype of what the parts stand for.
impl<B: Backend> HasSpec for QuantizedTensor<B> {
    fn spec(&self) -> &TensorSpec {
        &self.0.spec
    }
}
