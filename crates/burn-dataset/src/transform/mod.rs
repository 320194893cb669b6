//! Datasets made of other datasets; none reads an item before it is asked for one.

mod composed;
mod mapper;
mod partial;
mod sampler;
mod shuffled;
mod windows;

pub use composed::ComposedDataset;
pub use mapper::{Mapper, MapperDataset};
pub use partial::PartialDataset;
pub use sampler::SamplerDataset;
pub use shuffled::ShuffledDataset;
pub use windows::WindowsDataset;
