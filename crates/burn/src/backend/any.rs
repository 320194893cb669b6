extern crate alloc;

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use burn_backend::dynamic::{BackendObject, Dynamic, DynamicDevice, DynamicTensor, object_of};
use burn_backend::{
    Backend, Block, Creation, DType, DataError, LaunchGraphs, Operation, Outputs, Segment, TensorData,
};
use burn_ndarray::NdArray;
use core::fmt::{self, Debug, Display, Formatter};
use core::str::FromStr;
use spin::Mutex;

/// Backend that is chosen at run time, by the device.
///
/// Code that is generic over a backend `B` runs on it as on any other, also under `Autodiff<AnyBackend>`; a
/// program is compiled once for all backends. Each call has one indirection more than on the backend itself.
/// New tensors are `f32` and `i64` whatever the defaults of the backend are; `cast` converts them.
///
/// ```
/// use burn::backend::{AnyBackend, AnyDevice};
/// use burn::prelude::*;
///
/// let device: AnyDevice = "ndarray".parse()?;
/// let x = Tensor::<AnyBackend, 1>::from_data([1.0, 2.0], &device);
/// assert_eq!((x * 2).into_data(), TensorData::from([2.0_f32, 4.0]));
/// assert!("abacus".parse::<AnyDevice>().is_err());
/// # Ok::<(), burn::backend::AnyDeviceError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct AnyBackend;

/// Device of any backend, parsed from text or made from a backend's device with [`AnyDevice::new`].
///
/// It is printed as the name of its backend.
#[derive(Clone, PartialEq)]
pub struct AnyDevice(DynamicDevice);

/// Backends that text can name, and the feature of this crate that each needs.
const NAMES: [(&str, &str); 6] = [
    ("ndarray", "ndarray"),
    ("fusion<ndarray>", "fusion"),
    ("candle", "candle"),
    ("fusion<candle>", "candle"),
    ("libtorch", "tch"),
    ("fusion<libtorch>", "tch"),
];

/// Backends that devices were made of; a seed is for all of them.
static MADE: Mutex<Vec<&'static dyn BackendObject>> = Mutex::new(Vec::new());

impl AnyDevice {
    /// Returns `device` of the backend `B`, which may be a custom one.
    pub fn new<B: Backend>(device: B::Device) -> Self {
        let object = B::object();
        let mut made = MADE.lock();
        if !made.iter().any(|known| known.id() == object.id()) {
            made.push(object);
        }
        AnyDevice(DynamicDevice::new::<B>(device))
    }

    /// Returns the names that [`AnyDevice::from_str`] accepts in this program.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name).filter(|name| named(name).is_some())
    }
}

/// Returns the default device of the backend `name`, if it is compiled in.
fn named(name: &str) -> Option<AnyDevice> {
    match name {
        "ndarray" => Some(AnyDevice::new::<NdArray>(Default::default())),
        #[cfg(feature = "fusion")]
        "fusion<ndarray>" => Some(AnyDevice::new::<burn_fusion::Fusion<NdArray>>(Default::default())),
        #[cfg(feature = "candle")]
        "candle" => Some(AnyDevice::new::<burn_candle::Candle>(Default::default())),
        #[cfg(all(feature = "candle", feature = "fusion"))]
        "fusion<candle>" => {
            Some(AnyDevice::new::<burn_fusion::Fusion<burn_candle::Candle>>(Default::default()))
        }
        #[cfg(feature = "tch")]
        "libtorch" => Some(AnyDevice::new::<burn_tch::LibTorch>(Default::default())),
        #[cfg(all(feature = "tch", feature = "fusion"))]
        "fusion<libtorch>" => {
            Some(AnyDevice::new::<burn_fusion::Fusion<burn_tch::LibTorch>>(Default::default()))
        }
        _ => None,
    }
}

/// Error of [`AnyDevice::from_str`]: the text is not the name of a backend.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnyDeviceError {
    /// Unknown backend name.
    Unknown {
        /// The text that was parsed.
        text: String,
    },
    /// The backend needs a feature of the crate `burn` that is not enabled.
    NotCompiled {
        /// The text that was parsed.
        text: String,
        /// The name of the feature.
        feature: &'static str,
    },
    /// The text requests gradients, which are part of the type: use `Autodiff<AnyBackend>` on the device
    /// `inner`.
    Gradients {
        /// The text that was parsed.
        text: String,
        /// The name of the inner backend.
        inner: String,
    },
}

burn_backend::debug_as_display!(AnyDeviceError);

impl core::error::Error for AnyDeviceError {}

impl Display for AnyDeviceError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            AnyDeviceError::Unknown { text } => {
                write!(f, "there is no backend {text:?}; this program has")?;
                AnyDevice::names().enumerate().try_for_each(|(at, name)| {
                    let comma = if at == 0 { "" } else { "," };
                    write!(f, "{comma} {name:?}")
                })
            }
            AnyDeviceError::NotCompiled { text, feature } => {
                write!(
                    f,
                    "the backend {text:?} is not in this program: it needs the feature {feature:?} of burn"
                )
            }
            AnyDeviceError::Gradients { text, inner } => write!(
                f,
                "{text:?} is not a device: gradients are in the type, Autodiff<AnyBackend>, on the device {inner:?}"
            ),
        }
    }
}

impl FromStr for AnyDevice {
    type Err = AnyDeviceError;

    /// Returns the default device of the backend whose [`Backend::name`] is `text`.
    fn from_str(text: &str) -> Result<Self, AnyDeviceError> {
        let name: String = text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase();
        if let Some(device) = named(&name) {
            return Ok(device);
        }
        let text = text.to_string();
        if let Some(inner) = name.strip_prefix("autodiff<").and_then(|rest| rest.strip_suffix('>')) {
            return Err(AnyDeviceError::Gradients { text, inner: inner.to_string() });
        }
        Err(match NAMES.iter().find(|(known, _)| *known == name) {
            Some((_, feature)) => AnyDeviceError::NotCompiled { text, feature },
            None => AnyDeviceError::Unknown { text },
        })
    }
}

impl Default for AnyDevice {
    /// Returns the device of the CPU backend.
    fn default() -> Self {
        AnyDevice::new::<NdArray>(Default::default())
    }
}

impl Display for AnyDevice {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.backend().name(&self.0))
    }
}

impl Debug for AnyDevice {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{self}:{:?}", self.0.device())
    }
}

/// Panics when operands are of two backends; their own message would only say that types differ.
fn together(op: &Operation<DynamicTensor>) {
    let mut first: Option<&DynamicTensor> = None;
    op.visit(|x| match first {
        None => first = Some(x),
        Some(first) if first.backend().id() == x.backend().id() => {}
        Some(first) => {
            let name = |x: &DynamicTensor| AnyDevice(<Dynamic as Backend>::device(x)).to_string();
            let (one, other) = (name(first), name(x));
            panic!("{}: operands are on {one} and on {other}; move one with to_device", op.name());
        }
    });
}

impl Backend for AnyBackend {
    type Device = AnyDevice;
    type Tensor = DynamicTensor;
    type FloatElem = f32;
    type IntElem = i64;

    fn execute(op: Operation<DynamicTensor>) -> Outputs<DynamicTensor> {
        together(&op);
        <Dynamic as Backend>::execute(op)
    }
    fn run_block(block: Block<DynamicTensor>) -> Vec<DynamicTensor> {
        <Dynamic as Backend>::run_block(block)
    }
    fn create(creation: Creation, device: &AnyDevice) -> DynamicTensor {
        <Dynamic as Backend>::create(creation, &device.0)
    }
    fn argwhere(
        mask: DynamicTensor,
        index: DType,
    ) -> impl Future<Output = Result<DynamicTensor, DataError>> + Send {
        <Dynamic as Backend>::argwhere(mask, index)
    }
    fn into_data(x: DynamicTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        <Dynamic as Backend>::into_data(x)
    }
    fn device(x: &DynamicTensor) -> AnyDevice {
        AnyDevice(<Dynamic as Backend>::device(x))
    }
    fn to_device(x: DynamicTensor, device: &AnyDevice) -> DynamicTensor {
        <Dynamic as Backend>::to_device(x, &device.0)
    }
    fn sync(device: &AnyDevice) {
        <Dynamic as Backend>::sync(&device.0);
    }
    /// Sets the seed of every backend that a device was made from, and of the CPU.
    fn seed(seed: u64) {
        NdArray::<f32>::seed(seed);
        let made: Vec<_> = MADE.lock().clone();
        made.into_iter().for_each(|backend| backend.seed(seed));
    }
    fn name(device: &AnyDevice) -> String {
        device.to_string()
    }
    fn has_dtype(device: &AnyDevice, dtype: DType) -> bool {
        <Dynamic as Backend>::has_dtype(&device.0, dtype)
    }
    fn object() -> &'static dyn BackendObject {
        object_of::<Self>()
    }
    fn launch_graphs(device: &AnyDevice) -> Option<Box<dyn LaunchGraphs>> {
        <Dynamic as Backend>::launch_graphs(&device.0)
    }
    fn tracks_gradients(device: &AnyDevice) -> bool {
        <Dynamic as Backend>::tracks_gradients(&device.0)
    }
    fn set_require_grad(x: DynamicTensor, require_grad: bool) -> DynamicTensor {
        <Dynamic as Backend>::set_require_grad(x, require_grad)
    }
    fn is_require_grad(x: &DynamicTensor) -> bool {
        <Dynamic as Backend>::is_require_grad(x)
    }
    fn detach(x: DynamicTensor) -> DynamicTensor {
        <Dynamic as Backend>::detach(x)
    }
    fn checkpoint(segment: Segment<DynamicTensor>, inputs: Vec<DynamicTensor>) -> Vec<DynamicTensor> {
        <Dynamic as Backend>::checkpoint(segment, inputs)
    }
    fn linear_map(
        map: burn_backend::LinearMapRef,
        x: DynamicTensor,
    ) -> Result<DynamicTensor, burn_backend::LinearMapError> {
        <Dynamic as Backend>::linear_map(map, x)
    }
}
