//! Files in folders: those of classes, those of a cache.

mod cache_folder;
#[cfg(feature = "download")]
mod download_bar;
mod labelled_files;
mod walk;

pub(crate) use cache_folder::{cache_folder, find_file, folder_from_environment};
#[cfg(feature = "download")]
pub(crate) use download_bar::download_bar;
pub(crate) use labelled_files::{Classes, LabelledFiles};
#[cfg(any(feature = "huggingface", feature = "vision"))]
pub(crate) use walk::files_in;
