//! The router of one number of backends. Bodies choose the slot; what is the same for all numbers is
//! elsewhere.

/// `Router<(B1, ..)>` with its `MultiDevice` and `MultiTensor`. Of each slot: the backend, its device and its
/// tensor.
macro_rules! slots {
    ($first:ident $first_device:ident $first_tensor:ident, $($slot:ident $device:ident $tensor:ident),+) => {
        slots!(@device $first_device $first; $first $first_device, $($slot $device),+);
        slots!(@tensor $first $first_tensor, $($slot $tensor),+);
        slots!(@router $first; $first, $($slot),+);
    };
    (@device $default:ident $first:ident; $($slot:ident $device:ident),+) => {
        /// Device of one of the backends, named by its position in the router's list.
        #[derive(Clone, Debug, PartialEq)]
        pub enum MultiDevice<$($device),+> {
            $(#[doc = concat!("A device of `", stringify!($slot), "`.")] $slot($device)),+
        }

        impl<$($device),+> Default for MultiDevice<$($device),+>
        where
            $default: Default,
        {
            fn default() -> Self {
                MultiDevice::$first($default::default())
            }
        }
    };
    (@tensor $($slot:ident $tensor:ident),+) => {
        /// A tensor of one of the backends.
        #[derive(Clone, Debug)]
        pub enum MultiTensor<$($tensor),+> {
            $(#[doc = concat!("A tensor of `", stringify!($slot), "`.")] $slot($tensor)),+
        }

        impl<$($tensor: HasSpec),+> HasSpec for MultiTensor<$($tensor),+> {
            fn spec(&self) -> &TensorSpec {
                match self {
                    $(MultiTensor::$slot(x) => x.spec()),+
                }
            }
        }
    };
    (@router $first:ident; $($slot:ident),+) => {
        use crate::{Router, misplaced};
        use burn_backend::dynamic::{BackendObject, object_of};
        use burn_backend::*;
        use std::mem::discriminant;

        type AnyDevice<$($slot),+> = MultiDevice<$(<$slot as Backend>::Device),+>;
        type AnyTensor<$($slot),+> = MultiTensor<$(<$slot as Backend>::Tensor),+>;

        impl<$($slot: Backend),+> Router<($($slot,)+)> {
            /// Moves `x` to `device` asynchronously: `to_device` for platforms where a thread cannot wait.
            ///
            /// # Errors
            /// When the tensor cannot be read.
            pub async fn transfer(
                x: AnyTensor<$($slot),+>,
                device: &AnyDevice<$($slot),+>,
            ) -> Result<AnyTensor<$($slot),+>, DataError> {
                match (x, device) {
                    $((MultiTensor::$slot(x), MultiDevice::$slot(device)) => {
                        Ok(MultiTensor::$slot($slot::to_device(x, device)))
                    })+
                    (x, device) => {
                        let data = <Self as Backend>::into_data(x).await?;
                        Ok(<Self as Backend>::create(Creation::Data(data), device))
                    }
                }
            }

            #[cold]
            #[inline(never)]
            #[track_caller]
            fn panic_on_mixed_devices(what: &str, xs: &[AnyTensor<$($slot),+>]) -> ! {
                let other = xs.iter().find(|x| discriminant(*x) != discriminant(&xs[0])).unwrap_or(&xs[0]);
                misplaced::panic_on_mixed_devices(what, &<Self as Backend>::device(&xs[0]), &<Self as Backend>::device(other))
            }
        }

        impl<$($slot: Backend),+> Backend for Router<($($slot,)+)> {
            type Device = AnyDevice<$($slot),+>;
            type Tensor = AnyTensor<$($slot),+>;
            type FloatElem = $first::FloatElem;
            type IntElem = $first::IntElem;

            #[track_caller]
            fn execute(op: Operation<Self::Tensor>) -> Outputs<Self::Tensor> {
                let slot = discriminant(op.first());
                if op.any(|x| discriminant(x) != slot) {
                    let mut xs = Vec::new();
                    op.visit(|x| xs.push(x.clone()));
                    Self::panic_on_mixed_devices(op.name(), &xs);
                }
                match op.first() {
                    $(MultiTensor::$slot(_) => {
                        $slot::execute(op.map(|x| {
                            let MultiTensor::$slot(x) = x else { unreachable!("operands were compared") };
                            x
                        }))
                        .map(MultiTensor::$slot)
                    })+
                }
            }
            #[track_caller]
            fn run_block(block: Block<Self::Tensor>) -> Vec<Self::Tensor> {
                let Some(first) = block.operands().next() else {
                    // A block computes from its operands.
                    return Vec::new();
                };
                if block.operands().any(|x| discriminant(x) != discriminant(first)) {
                    let operands: Vec<_> = block.operands().cloned().collect();
                    Self::panic_on_mixed_devices("block", &operands);
                }
                match first {
                    $(MultiTensor::$slot(_) => {
                        let block = block.map_inputs(|x| {
                            let MultiTensor::$slot(x) = x else { unreachable!("operands were compared") };
                            x
                        });
                        $slot::run_block(block).into_iter().map(MultiTensor::$slot).collect()
                    })+
                }
            }
            fn create(creation: Creation, device: &Self::Device) -> Self::Tensor {
                match device {
                    $(MultiDevice::$slot(device) => MultiTensor::$slot($slot::create(creation, device))),+
                }
            }
            async fn argwhere(mask: Self::Tensor, index: DType) -> Result<Self::Tensor, DataError> {
                match mask {
                    $(MultiTensor::$slot(mask) => $slot::argwhere(mask, index).await.map(MultiTensor::$slot)),+
                }
            }
            async fn into_data(x: Self::Tensor) -> Result<TensorData, DataError> {
                match x {
                    $(MultiTensor::$slot(x) => $slot::into_data(x).await),+
                }
            }
            fn device(x: &Self::Tensor) -> Self::Device {
                match x {
                    $(MultiTensor::$slot(x) => MultiDevice::$slot($slot::device(x))),+
                }
            }
            fn to_device(x: Self::Tensor, device: &Self::Device) -> Self::Tensor {
                let from = <Self as Backend>::device(&x);
                misplaced::arrived(block_on(Self::transfer(x, device)), &from, device)
            }
            fn sync(device: &Self::Device) {
                match device {
                    $(MultiDevice::$slot(device) => $slot::sync(device)),+
                }
            }
            fn launch_graphs(_device: &Self::Device) -> Option<Box<dyn LaunchGraphs>> {
                None
            }
            fn seed(seed: u64) {
                $($slot::seed(seed);)+
            }
            fn object() -> &'static dyn BackendObject {
                object_of::<Self>()
            }
            fn tracks_gradients(device: &Self::Device) -> bool {
                match device {
                    $(MultiDevice::$slot(device) => $slot::tracks_gradients(device)),+
                }
            }
            fn set_require_grad(x: Self::Tensor, require_grad: bool) -> Self::Tensor {
                match x {
                    $(MultiTensor::$slot(x) => MultiTensor::$slot($slot::set_require_grad(x, require_grad))),+
                }
            }
            fn is_require_grad(x: &Self::Tensor) -> bool {
                match x {
                    $(MultiTensor::$slot(x) => $slot::is_require_grad(x)),+
                }
            }
            fn detach(x: Self::Tensor) -> Self::Tensor {
                match x {
                    $(MultiTensor::$slot(x) => MultiTensor::$slot($slot::detach(x))),+
                }
            }
            // Tensors of a segment may be of several backends: what tracks below this one keeps its values.
            fn checkpoint(segment: Segment<Self::Tensor>, inputs: Vec<Self::Tensor>) -> Vec<Self::Tensor> {
                segment(inputs)
            }
            fn linear_map(map: LinearMapRef, x: Self::Tensor) -> Result<Self::Tensor, LinearMapError> {
                match x {
                    $(MultiTensor::$slot(x) => $slot::linear_map(map, x).map(MultiTensor::$slot)),+
                }
            }
            fn name(device: &Self::Device) -> String {
                match device {
                    $(MultiDevice::$slot(device) => format!("router<{}>", $slot::name(device))),+
                }
            }
            fn has_dtype(device: &Self::Device, dtype: DType) -> bool {
                match device {
                    $(MultiDevice::$slot(device) => $slot::has_dtype(device, dtype)),+
                }
            }
        }

        #[deny(clippy::missing_trait_methods)]
        impl<$($slot: FusionBackend),+> FusionBackend for Router<($($slot,)+)> {
            // A backend without the kernel takes the composite apart by itself.
            fn has_kernel(composite: Composite) -> bool {
                [$($slot::has_kernel(composite)),+].contains(&true)
            }
            fn takes_head(kind: HeadKind) -> bool {
                ![$($slot::takes_head(kind)),+].contains(&false)
            }
            fn folds(dtype: DType, rows: usize, terms: usize) -> bool {
                ![$($slot::folds(dtype, rows, terms)),+].contains(&false)
            }
            fn has_products(lhs: &TensorSpec) -> bool {
                [$($slot::has_products(lhs)),+].contains(&true)
            }
            fn products(lhs: &Self::Tensor, rhs: &[Self::Tensor]) -> Option<Vec<Self::Tensor>> {
                // Operands of several backends are an error of the call.
                match lhs {
                    $(MultiTensor::$slot(lhs) => {
                        let inner = |x: &Self::Tensor| {
                            let MultiTensor::$slot(x) = x else { return None };
                            Some(x.clone())
                        };
                        let rhs = rhs.iter().map(inner).collect::<Option<Vec<_>>>()?;
                        Some($slot::products(lhs, &rhs)?.into_iter().map(MultiTensor::$slot).collect())
                    })+
                }
            }
            // Rows and matrices may belong to several backends.
            fn takes_rows(_rows: &TensorSpec) -> bool {
                false
            }
            fn products_of_rows(_rows: &BlockRows<Self::Tensor>, _rhs: &[Self::Tensor]) -> Option<Vec<Self::Tensor>> {
                None
            }
            fn fusion_object() -> &'static dyn FusionObject {
                fusion_object_of::<Self>()
            }
        }
    };
}
pub(crate) use slots;
