//! Options, lists, tuples and maps as nodes.

use super::{IntoNode, KeyPath, Node, Record, RecordError, RecordMismatch};
use crate::tensor::Backend;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A list in which so much differs is another list; to compare what all its items say takes the square of its
/// length.
const ENOUGH: usize = 1000;

impl<R: IntoNode> IntoNode for Option<R> {
    const IS_CONSTANT: bool = R::IS_CONSTANT;

    fn into_node(self) -> Node {
        self.map_or(Node::Null, R::into_node)
    }
}

impl<B: Backend, R: Record<B>> Record<B> for Option<R> {
    fn from_node(node: Node, at: &KeyPath<'_>, device: &B::Device) -> Result<Self, RecordError> {
        if node == Node::Null { Ok(None) } else { R::from_node(node, at, device).map(Some) }
    }
}

impl<R: IntoNode> IntoNode for Box<R> {
    const IS_CONSTANT: bool = R::IS_CONSTANT;

    fn into_node(self) -> Node {
        R::into_node(*self)
    }
}

impl<B: Backend, R: Record<B>> Record<B> for Box<R> {
    fn from_node(node: Node, at: &KeyPath<'_>, device: &B::Device) -> Result<Self, RecordError> {
        R::from_node(node, at, device).map(Box::new)
    }
}

impl<R: IntoNode> IntoNode for Vec<R> {
    const IS_CONSTANT: bool = R::IS_CONSTANT;

    fn into_node(self) -> Node {
        if R::IS_CONSTANT { Node::Null } else { Node::List(self.into_iter().map(R::into_node).collect()) }
    }
}

impl<B: Backend, R: Record<B>> Record<B> for Vec<R> {
    fn from_node(node: Node, at: &KeyPath<'_>, device: &B::Device) -> Result<Self, RecordError> {
        if R::IS_CONSTANT {
            return Ok(Vec::new());
        }
        let (mut items, mut mismatch) = (Vec::new(), RecordMismatch::default());
        for (index, item) in list(node, at)?.into_iter().enumerate() {
            if mismatch.len() >= ENOUGH {
                break;
            }
            match R::from_node(item, &at.index(index), device) {
                Ok(item) => items.push(item),
                Err(RecordError::Mismatch(found)) => mismatch.merge(*found),
                Err(other) => return Err(other),
            }
        }
        mismatch.into_result().map(|()| items)
    }
}

impl<R: IntoNode, const N: usize> IntoNode for [R; N] {
    const IS_CONSTANT: bool = R::IS_CONSTANT;

    fn into_node(self) -> Node {
        Vec::from(self).into_node()
    }
}

impl<B: Backend, R: Record<B>, const N: usize> Record<B> for [R; N] {
    fn from_node(node: Node, at: &KeyPath<'_>, device: &B::Device) -> Result<Self, RecordError> {
        let items = if R::IS_CONSTANT {
            (0..N).map(|_| R::from_node(Node::Null, at, device)).collect::<Result<_, _>>()?
        } else {
            Vec::<R>::from_node(node, at, device)?
        };
        items.try_into().map_err(|items: Vec<R>| {
            RecordMismatch::value(at, format!("expected {N} items, found {}", items.len()))
        })
    }
}

fn list(node: Node, at: &KeyPath<'_>) -> Result<Vec<Node>, RecordError> {
    match node {
        Node::List(items) => Ok(items),
        Node::Weights(weights) => Ok(weights.items().into_iter().map(Node::Weights).collect()),
        other => Err(RecordMismatch::kind(at, "a list", &other)),
    }
}

/// Returns the items of a tuple. Weights of other frameworks are at their positions, or, if there are as many
/// as there are items that are not constant, in order.
fn tuple(node: Node, at: &KeyPath<'_>, constants: &[bool]) -> Result<Vec<Node>, RecordError> {
    let Node::Weights(weights) = node else { return list(node, at) };
    let indices = weights.indices();
    let places: Vec<usize> = (0..constants.len()).filter(|index| !constants[*index]).collect();
    let in_order = indices.len() == places.len();
    let item = |index: usize| {
        let key = match places.binary_search(&index) {
            Ok(place) if in_order => indices[place],
            _ => index,
        };
        weights.below(&key.to_string()).map_or(Node::Null, Node::Weights)
    };
    Ok((0..constants.len()).map(item).collect())
}

macro_rules! tuples {
    ($(($count:literal: $($ty:ident $index:tt),*))*) => {$(
        impl<$($ty: IntoNode),*> IntoNode for ($($ty,)*) {
            const IS_CONSTANT: bool = $($ty::IS_CONSTANT)&&*;

            fn into_node(self) -> Node {
                if Self::IS_CONSTANT { Node::Null } else { Node::List([$(self.$index.into_node()),*].into()) }
            }
        }
        impl<B: Backend, $($ty: Record<B>),*> Record<B> for ($($ty,)*) {
            fn from_node(node: Node, at: &KeyPath<'_>, device: &B::Device) -> Result<Self, RecordError> {
                let items = if Self::IS_CONSTANT { Vec::from([const { Node::Null }; $count]) } else { tuple(node, at, &[$($ty::IS_CONSTANT),*])? };
                let found = items.len();
                let mut items: [Node; $count] = items.try_into().map_err(|_| {
                    RecordMismatch::value(at, format!("expected {} items, found {found}", $count))
                })?;
                Ok(($($ty::from_node(core::mem::take(&mut items[$index]), &at.index($index), device)?,)*))
            }
        }
    )*};
}

tuples! {
    (1: R0 0)
    (2: R0 0, R1 1)
    (3: R0 0, R1 1, R2 2)
    (4: R0 0, R1 1, R2 2, R3 3)
    (5: R0 0, R1 1, R2 2, R3 3, R4 4)
    (6: R0 0, R1 1, R2 2, R3 3, R4 4, R5 5)
    (7: R0 0, R1 1, R2 2, R3 3, R4 4, R5 5, R6 6)
    (8: R0 0, R1 1, R2 2, R3 3, R4 4, R5 5, R6 6, R7 7)
    (9: R0 0, R1 1, R2 2, R3 3, R4 4, R5 5, R6 6, R7 7, R8 8)
    (10: R0 0, R1 1, R2 2, R3 3, R4 4, R5 5, R6 6, R7 7, R8 8, R9 9)
    (11: R0 0, R1 1, R2 2, R3 3, R4 4, R5 5, R6 6, R7 7, R8 8, R9 9, R10 10)
    (12: R0 0, R1 1, R2 2, R3 3, R4 4, R5 5, R6 6, R7 7, R8 8, R9 9, R10 10, R11 11)
}

/// A key of a map, as text.
pub trait RecordKey: Ord + Send + Sized {
    fn to_text(&self) -> String;
    fn from_text(text: &str) -> Option<Self>;
}

macro_rules! keys {
    ($($ty:ty)*) => {$(
        impl RecordKey for $ty {
            fn to_text(&self) -> String {
                self.to_string()
            }
            fn from_text(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )*};
}

keys!(String u8 u16 u32 u64 usize i8 i16 i32 i64 isize crate::module::ParamId);

impl<K: RecordKey, R: IntoNode> IntoNode for BTreeMap<K, R> {
    fn into_node(self) -> Node {
        Node::Map(self.into_iter().map(|(key, value)| (key.to_text(), value.into_node())).collect())
    }
}

impl<B: Backend, K: RecordKey, R: Record<B>> Record<B> for BTreeMap<K, R> {
    fn from_node(node: Node, at: &KeyPath<'_>, device: &B::Device) -> Result<Self, RecordError> {
        let entries = match node {
            Node::Map(entries) => entries,
            Node::Weights(weights) => {
                let keys = weights.keys();
                keys.iter().map(|key| (key.to_string(), Node::Weights(weights.child(key)))).collect()
            }
            other => return Err(RecordMismatch::kind(at, "a map", &other)),
        };
        let read = |(key, value): (String, Node)| {
            let at = at.key(&key);
            let parsed =
                K::from_text(&key).ok_or_else(|| RecordMismatch::value(&at, "not a key of this map"))?;
            Ok((parsed, R::from_node(value, &at, device)?))
        };
        entries.into_iter().map(read).collect()
    }
}

/// Written in the order of the keys, so that equal maps give equal files.
#[cfg(feature = "std")]
impl<K: RecordKey + std::hash::Hash, R: IntoNode> IntoNode for std::collections::HashMap<K, R> {
    fn into_node(self) -> Node {
        self.into_iter().collect::<BTreeMap<K, R>>().into_node()
    }
}

#[cfg(feature = "std")]
impl<B: Backend, K: RecordKey + std::hash::Hash, R: Record<B>> Record<B> for std::collections::HashMap<K, R> {
    fn from_node(node: Node, at: &KeyPath<'_>, device: &B::Device) -> Result<Self, RecordError> {
        BTreeMap::from_node(node, at, device).map(|map| map.into_iter().collect())
    }
}
