//! Paths of the parameters of models, by identifier.

use alloc::string::String;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

struct ParameterPath {
    path: String,
    /// Lengths of the beginnings of `path` that are modules, the outermost first.
    modules: Vec<usize>,
}

static PATHS: LazyLock<Mutex<HashMap<u64, ParameterPath>>> = LazyLock::new(Mutex::default);

/// Locks the paths, which no panic can leave inconsistent.
fn lock() -> MutexGuard<'static, HashMap<u64, ParameterPath>> {
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds the path of a parameter. One that has a path keeps it, unless `replace` is set.
pub fn add(id: u64, path: &str, modules: &[usize], replace: bool) {
    let added = || ParameterPath { path: path.into(), modules: modules.into() };
    match lock().entry(id) {
        Entry::Vacant(place) => {
            place.insert(added());
        }
        Entry::Occupied(mut place) => {
            if replace {
                place.insert(added());
            }
        }
    }
}

/// Returns the path of the module that is so many levels above a parameter.
pub fn module(id: u64, levels: u8) -> Option<String> {
    let paths = lock();
    let ParameterPath { path, modules } = paths.get(&id)?;
    let length = modules.len().checked_sub(usize::from(levels)).map_or(0, |index| modules[index]);
    Some(path[..length].into())
}
