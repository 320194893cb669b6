//! Files in folders: those of classes, those of a cache.

mod cache_folder;
mod class_folders;
#[cfg(feature = "download")]
mod download_bar;
mod walk;

pub(crate) use cache_folder::{cache_folder, find_file, folder_from_environment};
pub(crate) use class_folders::{ClassFolders, Classes};
#[cfg(feature = "download")]
pub(crate) use download_bar::download_bar;
pub(crate) use walk::files_in;
