use super::class::Class;
use crate::stored_type::StoredType;
use crate::strided_layout::StridedLayout;

/// Bytes of memory that the objects of a pickle, its stack and its memo may take: a byte of the file may copy
/// a list of any length, and adds at least 32 bytes to a list.
const MOST_MEMORY: usize = 512 << 20;

/// A value of a pickle. Objects are in a [`Heap`]: several values may be one object, and an object may hold
/// itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PickleValue {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Class(Class),
    Object(usize),
}

/// The memory of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Storage {
    /// Name of the storage in the file.
    pub key: String,
    /// The type of its elements; nothing for bytes.
    pub stored: Option<StoredType>,
    /// Elements, or bytes where the type is not known.
    pub count: u64,
}

/// A tensor, without its elements.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredTensor {
    pub storage: Storage,
    pub stored: StoredType,
    pub layout: StridedLayout,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Object {
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<PickleValue>),
    Tuple(Vec<PickleValue>),
    Set(Vec<PickleValue>),
    Dict(Vec<(PickleValue, PickleValue)>),
    Storage(Storage),
    Tensor(Box<StoredTensor>),
    /// NumPy's element type, in its words: `f8`.
    NumpyType(String),
    /// A value that is no tensor and no setting, such as an array of NumPy.
    Other,
}

impl Object {
    /// Bytes that the object takes beside its own in the list of objects.
    fn memory(&self) -> usize {
        match self {
            Object::Text(text) | Object::NumpyType(text) => text.len(),
            Object::Bytes(bytes) => bytes.len(),
            Object::List(items) | Object::Tuple(items) | Object::Set(items) => size_of_val(&items[..]),
            Object::Dict(entries) => size_of_val(&entries[..]),
            Object::Storage(storage) => storage.key.len(),
            Object::Tensor(tensor) => tensor.memory(),
            Object::Other => 0,
        }
    }
}

impl StoredTensor {
    /// Returns the bytes of memory of the tensor's description.
    pub fn memory(&self) -> usize {
        size_of::<Self>() + self.storage.key.len() + 16 * self.layout.sizes.len()
    }
}

/// All objects of a pickle.
#[derive(Debug, Default)]
pub struct Heap {
    objects: Vec<Object>,
    used: usize,
}

impl Heap {
    pub fn add(&mut self, object: Object) -> Result<PickleValue, String> {
        self.pay(object.memory())?;
        let left = self.left();
        let grown = grow(&mut self.objects, 1, left)?;
        self.pay(grown)?;
        self.objects.push(object);
        Ok(PickleValue::Object(self.objects.len() - 1))
    }

    /// Counts memory that is taken for objects, or for a copy of their items.
    pub fn pay(&mut self, bytes: usize) -> Result<(), String> {
        self.used = self.used.saturating_add(bytes);
        if self.used <= MOST_MEMORY { Ok(()) } else { Err(too_large()) }
    }

    /// Returns how many bytes may still be taken.
    fn left(&self) -> usize {
        MOST_MEMORY.saturating_sub(self.used)
    }

    /// Adds items to a list or a set.
    pub fn extend_list(&mut self, target: PickleValue, items: &[PickleValue]) -> Result<(), String> {
        let left = self.left();
        let grown = match self.get_mut(target) {
            Some(Object::List(list) | Object::Set(list)) => {
                let grown = grow(list, items.len(), left)?;
                list.extend_from_slice(items);
                grown
            }
            _ => return Err("items are added to something that is no list".to_string()),
        };
        self.pay(grown)
    }

    /// Adds entries to a dict.
    pub fn extend_dict(
        &mut self,
        target: PickleValue,
        entries: &[(PickleValue, PickleValue)],
    ) -> Result<(), String> {
        let left = self.left();
        let grown = match self.get_mut(target) {
            Some(Object::Dict(dict)) => {
                let grown = grow(dict, entries.len(), left)?;
                dict.extend_from_slice(entries);
                grown
            }
            _ => return Err("entries are added to something that is no dict".to_string()),
        };
        self.pay(grown)
    }

    pub fn text(&mut self, text: impl Into<String>) -> Result<PickleValue, String> {
        self.add(Object::Text(text.into()))
    }

    /// Returns the object of a value, if it is one.
    pub fn get(&self, value: PickleValue) -> Option<&Object> {
        match value {
            PickleValue::Object(index) => self.objects.get(index),
            _ => None,
        }
    }

    fn get_mut(&mut self, value: PickleValue) -> Option<&mut Object> {
        match value {
            PickleValue::Object(index) => self.objects.get_mut(index),
            _ => None,
        }
    }

    pub fn as_text(&self, value: PickleValue) -> Option<&str> {
        match self.get(value)? {
            Object::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_items(&self, value: PickleValue) -> Option<&[PickleValue]> {
        match self.get(value)? {
            Object::List(items) | Object::Tuple(items) => Some(items),
            _ => None,
        }
    }

    /// Converts a non-negative integer of at most 64 bits.
    pub fn as_count(&self, value: PickleValue) -> Option<u64> {
        match value {
            PickleValue::Int(number) => u64::try_from(number).ok(),
            _ => None,
        }
    }

    pub fn as_counts(&self, value: PickleValue) -> Option<Vec<u64>> {
        self.as_items(value)?.iter().map(|item| self.as_count(*item)).collect()
    }

    pub fn objects(&self) -> impl Iterator<Item = &Object> {
        self.objects.iter()
    }

    /// Returns the value of a dict under a string key.
    pub fn field(&self, dict: PickleValue, name: &str) -> Option<PickleValue> {
        let Object::Dict(entries) = self.get(dict)? else { return None };
        entries.iter().rev().find(|(key, _)| self.as_text(*key) == Some(name)).map(|(_, value)| *value)
    }
}

fn too_large() -> String {
    format!("the objects of the pickle take more than {} MiB", MOST_MEMORY >> 20)
}

/// Makes room for `count` items more, within `left` bytes, and returns the bytes by which the list has grown.
fn grow<T>(list: &mut Vec<T>, count: usize, left: usize) -> Result<usize, String> {
    let needed = list.len().saturating_add(count);
    if needed <= list.capacity() {
        return Ok(0);
    }
    // Twice the items, so that adding one is cheap on average, but not where the budget ends before.
    let most = list.capacity().saturating_add(left / size_of::<T>());
    let capacity = needed.max(list.capacity().saturating_mul(2)).min(most);
    if capacity < needed {
        return Err(too_large());
    }
    let before = list.capacity();
    list.try_reserve_exact(capacity - list.len()).map_err(|_| "no memory is left for a list".to_string())?;
    Ok((list.capacity() - before).saturating_mul(size_of::<T>()))
}
