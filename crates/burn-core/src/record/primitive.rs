//! Numbers, booleans and texts as nodes.

use super::{IntoNode, KeyPath, Node, Record, RecordError, RecordMismatch};
use crate::tensor::Backend;
use alloc::format;
use alloc::string::String;

macro_rules! integers {
    ($($ty:ty => $variant:ident($wide:ty);)*) => {$(
        impl IntoNode for $ty {
            fn into_node(self) -> Node {
                Node::$variant(self as $wide)
            }
        }

        impl<B: Backend> Record<B> for $ty {
            fn from_node(node: Node, at: &KeyPath<'_>, _device: &B::Device) -> Result<Self, RecordError> {
                let number = integer(&node, at)?;
                number.try_into().map_err(|_| out_of_range(at, number, stringify!($ty)))
            }
        }
    )*};
}

integers! {
    u8 => UInt(u64); u16 => UInt(u64); u32 => UInt(u64); u64 => UInt(u64); usize => UInt(u64);
    i8 => Int(i64); i16 => Int(i64); i32 => Int(i64); i64 => Int(i64); isize => Int(i64);
}

fn integer(node: &Node, at: &KeyPath<'_>) -> Result<i128, RecordError> {
    match node {
        Node::Int(number) => Ok(i128::from(*number)),
        Node::UInt(number) => Ok(i128::from(*number)),
        other => Err(RecordMismatch::kind(at, "an integer", other)),
    }
}

fn out_of_range(at: &KeyPath<'_>, number: i128, ty: &str) -> RecordError {
    RecordMismatch::value(at, format!("{number} does not fit {ty}"))
}

macro_rules! floats {
    ($($ty:ty)*) => {$(
        impl IntoNode for $ty {
            fn into_node(self) -> Node {
                Node::Float(self.into())
            }
        }

        impl<B: Backend> Record<B> for $ty {
            fn from_node(node: Node, at: &KeyPath<'_>, _device: &B::Device) -> Result<Self, RecordError> {
                float(&node, at).map(|number| number as $ty)
            }
        }
    )*};
}

floats!(f32 f64);

fn float(node: &Node, at: &KeyPath<'_>) -> Result<f64, RecordError> {
    match node {
        Node::Float(number) => Ok(*number),
        Node::Int(number) => Ok(*number as f64),
        Node::UInt(number) => Ok(*number as f64),
        other => Err(RecordMismatch::kind(at, "a number", other)),
    }
}

impl IntoNode for bool {
    fn into_node(self) -> Node {
        Node::Bool(self)
    }
}

impl<B: Backend> Record<B> for bool {
    fn from_node(node: Node, at: &KeyPath<'_>, _device: &B::Device) -> Result<Self, RecordError> {
        match node {
            Node::Bool(value) => Ok(value),
            other => Err(RecordMismatch::kind(at, "a boolean", &other)),
        }
    }
}

impl IntoNode for String {
    fn into_node(self) -> Node {
        Node::Text(self)
    }
}

impl<B: Backend> Record<B> for String {
    fn from_node(node: Node, at: &KeyPath<'_>, _device: &B::Device) -> Result<Self, RecordError> {
        match node {
            Node::Text(text) => Ok(text),
            other => Err(RecordMismatch::kind(at, "a text", &other)),
        }
    }
}

impl IntoNode for () {
    const IS_CONSTANT: bool = true;

    fn into_node(self) -> Node {
        Node::Null
    }
}

impl<B: Backend> Record<B> for () {
    fn from_node(_node: Node, _at: &KeyPath<'_>, _device: &B::Device) -> Result<Self, RecordError> {
        Ok(())
    }
}

/// Any tree is a record.
impl IntoNode for Node {
    fn into_node(self) -> Node {
        self
    }
}

impl<B: Backend> Record<B> for Node {
    fn from_node(node: Node, _at: &KeyPath<'_>, _device: &B::Device) -> Result<Self, RecordError> {
        Ok(node)
    }
}
