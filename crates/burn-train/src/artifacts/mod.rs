//! The artifact folder of a run, which no other run writes to meanwhile.

mod folder;
mod lock;

pub(crate) use folder::ArtifactFolder;
