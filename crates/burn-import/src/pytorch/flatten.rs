//! The tensors in the containers of a pickle, under the names that their keys make.

use super::pickle::{Heap, Object, PickleValue, StoredTensor};

/// Levels of containers.
const MOST_DEPTH: usize = 64;
/// Values that were visited: one object may be referred to many times.
const MOST_VALUES: usize = 16 << 20;
/// Bytes of all names, and of what is kept beside them.
const MOST_MEMORY: usize = 512 << 20;
/// Bytes of the names of all values, tensors or not: a long key may be the key of every entry.
const MOST_NAMES: usize = 4 << 30;

/// Collects all tensors in `root`, in order.
pub fn tensors(heap: &Heap, root: PickleValue) -> Result<Vec<(String, StoredTensor)>, String> {
    let mut walk = Walk { heap, found: Vec::new(), values: 0, memory: 0, names: 0 };
    walk.value(root, "", 0)?;
    Ok(walk.found)
}

struct Walk<'a> {
    heap: &'a Heap,
    found: Vec<(String, StoredTensor)>,
    values: usize,
    memory: usize,
    names: usize,
}

impl Walk<'_> {
    fn value(&mut self, value: PickleValue, name: &str, depth: usize) -> Result<(), String> {
        self.values += 1;
        if self.values > MOST_VALUES || depth > MOST_DEPTH {
            return Err(format!(
                "`{name:.100}`: containers of the pickle hold each other, or are nested too deep"
            ));
        }
        self.names = self.names.saturating_add(name.len());
        if self.names > MOST_NAMES {
            return Err(format!(
                "`{name:.100}`: the names of the values take more than {} GiB",
                MOST_NAMES >> 30
            ));
        }
        let below = |key: &str| if name.is_empty() { key.to_string() } else { format!("{name}.{key}") };
        let heap = self.heap;
        match heap.get(value) {
            Some(Object::Tensor(tensor)) => {
                self.memory += 2 * name.len() + tensor.memory();
                if self.memory > MOST_MEMORY {
                    return Err(format!("the names of the tensors take more than {} MiB", MOST_MEMORY >> 20));
                }
                self.found.push((name.to_string(), StoredTensor::clone(tensor)));
                Ok(())
            }
            Some(Object::List(items) | Object::Tuple(items)) => items
                .iter()
                .enumerate()
                .filter(|(_, item)| heap.get(**item).is_some())
                .try_for_each(|(index, item)| self.value(*item, &below(&index.to_string()), depth + 1)),
            Some(Object::Dict(entries)) => {
                let entries = entries.iter().filter(|(_, value)| heap.get(*value).is_some());
                entries.into_iter().try_for_each(|(key, value)| match key_text(heap, *key) {
                    Some(key) => self.value(*value, &below(&key), depth + 1),
                    None => Ok(()),
                })
            }
            _ => Ok(()),
        }
    }
}

/// Converts a key of a dict to a part of a name.
pub fn key_text(heap: &Heap, key: PickleValue) -> Option<String> {
    match key {
        PickleValue::Int(number) => Some(number.to_string()),
        key => heap.as_text(key).map(str::to_string),
    }
}
