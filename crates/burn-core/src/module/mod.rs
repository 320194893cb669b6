//! Modules: parameters, what holds them, and what walks over them.

mod any_param;
mod attach;
mod attachment;
mod collection;
mod constant;
mod content;
mod display;
mod display_settings;
mod initial_values;
mod initializer;
mod lazy;
mod loader;
mod mapper;
mod missing;
mod once;
mod param;
mod param_id;
mod param_kind;
mod param_module;
mod parameter;
mod quantize;
mod raw;
mod running_state;
mod training;
mod traits;
mod visitor;
mod walk;

pub use crate::tensor::quantization::{Calibration, MinMaxCalibration, Quantizer};
pub use any_param::AnyParam;
pub use burn_derive::Module;
pub use constant::{ConstantRecord, Ignored};
pub use content::Content;
pub use display::{ModuleDisplay, ModuleDisplayDefault};
pub use display_settings::DisplaySettings;
pub use initializer::Initializer;
pub use loader::Loader;
pub use mapper::{ModuleMapper, ParamMapper};
pub use param::Param;
pub use param_id::ParamId;
pub use param_kind::ParamKind;
pub use parameter::Parameter;
pub use quantize::Dequantize;
pub use running_state::RunningState;
pub use training::Training;
pub use traits::{AutodiffModule, Module};
pub use visitor::{ModuleVisitor, ParamVisitor};

#[doc(hidden)]
pub mod derive {
    pub use super::attach::{attach, detach};
    pub use super::display::display;
    pub use crate::tensor::{AutodiffBackend, Backend};
}
