//! Datasets made of other datasets; none but [`SelectionDataset::filter`] reads an item before it is asked
//! for one.

mod composed;
mod concat;
mod mapper;
mod partial;
mod rng;
mod sampler;
mod selection;
mod shuffled;
mod split;
mod translate;
mod windows;

pub use composed::ComposedDataset;
pub use concat::ConcatDataset;
pub use mapper::{Mapper, MapperDataset};
pub use partial::PartialDataset;
pub use rng::RngDataset;
pub use sampler::SamplerDataset;
pub use selection::SelectionDataset;
pub use shuffled::ShuffledDataset;
pub use split::{Fold, Part, SplitDataset};
pub use windows::WindowsDataset;
