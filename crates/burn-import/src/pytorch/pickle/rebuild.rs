//! Calls of the classes and functions that tensors need, as data.

use super::class::Class;
use super::heap::{Heap, Object, PickleValue, StoredTensor};
use crate::numpy_type::numpy_dtype;
use crate::stored_type::StoredType;
use crate::strided_layout::StridedLayout;
use burn_core::tensor::DType;

/// Returns the result of calling `function` with the tuple `arguments`.
pub fn call(heap: &mut Heap, function: PickleValue, arguments: PickleValue) -> Result<PickleValue, String> {
    let PickleValue::Class(class) = function else {
        return Err("a call of something that is no function".to_string());
    };
    const NO_TUPLE: &str = "the arguments of a call are no tuple";
    let bytes = size_of_val(heap.as_items(arguments).ok_or(NO_TUPLE)?);
    // Before the copy is made.
    heap.pay(bytes)?;
    let items = heap.as_items(arguments).ok_or(NO_TUPLE)?.to_vec();
    let wrong = || format!("unexpected arguments of {class:?}");
    let first = items.first().copied();
    match class {
        Class::Dict | Class::DefaultDict | Class::List | Class::Tuple | Class::Set | Class::Size => {
            container(heap, class, first)
        }
        Class::ByteArray => match first {
            None => heap.add(Object::Bytes(Vec::new())),
            Some(first) if matches!(heap.get(first), Some(Object::Bytes(_))) => Ok(first),
            Some(_) => heap.add(Object::Other),
        },
        Class::Device => {
            let name = first.and_then(|first| heap.as_text(first)).ok_or_else(wrong)?.to_string();
            let index = items.get(1).and_then(|index| heap.as_count(*index));
            heap.text(index.map_or(name.clone(), |index| format!("{name}:{index}")))
        }
        Class::RebuildTensor => {
            let tensor = rebuild_tensor(heap, &items, None).ok_or_else(wrong)??;
            heap.add(Object::Tensor(Box::new(tensor)))
        }
        Class::RebuildTensorV3 => {
            let Some(PickleValue::Class(Class::DType(stored))) = items.get(6) else { return Err(wrong()) };
            let tensor = rebuild_tensor(heap, &items, Some(*stored)).ok_or_else(wrong)??;
            heap.add(Object::Tensor(Box::new(tensor)))
        }
        Class::RebuildParameter => first.ok_or_else(wrong),
        Class::RebuildFromType => {
            let [function, _type, arguments, ..] = items[..] else { return Err(wrong()) };
            if function == PickleValue::Class(Class::RebuildFromType) {
                return Err("a tensor that rebuilds itself".to_string());
            }
            call(heap, function, arguments)
        }
        Class::NumpyType => {
            let name = first.and_then(|first| heap.as_text(first)).ok_or_else(wrong)?.to_string();
            heap.add(Object::NumpyType(name))
        }
        Class::NumpyScalar => numpy_scalar(heap, &items).map_or_else(|| heap.add(Object::Other), Ok),
        Class::NumpyArray => heap.add(Object::Other),
        Class::Encode => {
            let text = first.and_then(|first| heap.as_text(first)).ok_or_else(wrong)?;
            let bytes: Result<Vec<u8>, _> = text.chars().map(u8::try_from).collect();
            let bytes = bytes.map_err(|_| "a text that is no latin-1")?;
            heap.add(Object::Bytes(bytes))
        }
        Class::Plain | Class::TensorType | Class::DType(_) | Class::Storage(_) => {
            Err(format!("{class:?} is not called by what tensors need"))
        }
    }
}

/// A collection with the items of `source`, empty without one.
fn container(heap: &mut Heap, class: Class, source: Option<PickleValue>) -> Result<PickleValue, String> {
    let wrong = || format!("unexpected arguments of {class:?}");
    let object = match (class, source) {
        (Class::Dict, Some(source)) => Object::Dict(entries(heap, source).ok_or_else(wrong)?),
        (Class::Dict | Class::DefaultDict, _) => Object::Dict(Vec::new()),
        (class, source) => {
            let items = match source {
                None => Vec::new(),
                Some(source) => heap.as_items(source).ok_or_else(wrong)?.to_vec(),
            };
            match class {
                Class::List => Object::List(items),
                Class::Set => Object::Set(items),
                _ => Object::Tuple(items),
            }
        }
    };
    heap.add(object)
}

/// Sets the attributes of an object. Those of dicts and tensors say nothing about the elements.
pub fn set_state(heap: &mut Heap, object: PickleValue, _state: PickleValue) -> Result<(), String> {
    match heap.get(object) {
        Some(Object::Dict(_) | Object::Tensor(_) | Object::NumpyType(_) | Object::Other | Object::Set(_)) => {
            Ok(())
        }
        _ => Err("attributes of an object that has none".to_string()),
    }
}

/// Entries of a dict, or pairs in a list.
fn entries(heap: &Heap, source: PickleValue) -> Option<Vec<(PickleValue, PickleValue)>> {
    if let Some(Object::Dict(entries)) = heap.get(source) {
        return Some(entries.clone());
    }
    let pair = |item: &PickleValue| match heap.as_items(*item)? {
        [key, value] => Some((*key, *value)),
        _ => None,
    };
    heap.as_items(source)?.iter().map(pair).collect()
}

/// `(storage, offset, sizes, strides, ..)`; the type is that of the storage, unless it is of bytes.
fn rebuild_tensor(
    heap: &Heap,
    items: &[PickleValue],
    stored: Option<StoredType>,
) -> Option<Result<StoredTensor, String>> {
    let [storage, offset, sizes, strides, ..] = items else { return None };
    let Some(Object::Storage(storage)) = heap.get(*storage) else { return None };
    let layout = StridedLayout {
        offset: heap.as_count(*offset)?,
        sizes: heap.as_counts(*sizes)?,
        strides: heap.as_counts(*strides)?,
    };
    let Some(stored) = stored.or(storage.stored) else {
        return Some(Err("a tensor of bytes without a type".to_string()));
    };
    Some(Ok(StoredTensor { storage: storage.clone(), stored, layout }))
}

/// A number of NumPy: its type and its bytes.
fn numpy_scalar(heap: &Heap, items: &[PickleValue]) -> Option<PickleValue> {
    let [numpy_type, bytes] = items else { return None };
    let (Object::NumpyType(name), Object::Bytes(bytes)) = (heap.get(*numpy_type)?, heap.get(*bytes)?) else {
        return None;
    };
    let dtype = numpy_dtype(name)?;
    let data = StoredType::Plain(dtype).decode(bytes, [1].into()).ok()?;
    Some(match dtype {
        DType::Bool => PickleValue::Bool(data.iter::<bool>().next()?),
        DType::U64 => PickleValue::Int(data.as_slice::<u64>().ok()?.first().copied()?.into()),
        dtype if dtype.is_int() => PickleValue::Int(data.iter::<i64>().next()?.into()),
        _ => PickleValue::Float(data.iter::<f64>().next()?),
    })
}
