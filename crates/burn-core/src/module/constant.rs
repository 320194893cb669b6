//! Fields of modules that are neither trained nor saved.

use super::{
    AutodiffModule, Content, Loader, Module, ModuleDisplay, ModuleDisplayDefault, ParamMapper, ParamVisitor,
    raw,
};
use crate::record::{IntoNode, KeyPath, Node, Record, RecordError};
use crate::tensor::{AutodiffBackend, Backend, Tensor, TensorKind};
use alloc::format;
use alloc::string::String;
use core::fmt::{Debug, Display, Formatter};
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

/// Empty record of values that are not saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConstantRecord;

impl IntoNode for ConstantRecord {
    const IS_CONSTANT: bool = true;

    fn into_node(self) -> Node {
        Node::Null
    }
}

impl<B: Backend> Record<B> for ConstantRecord {
    /// Ignores the node, which may be saved by another version of the module.
    fn from_node(_node: Node, _at: &KeyPath<'_>, _device: &B::Device) -> Result<Self, RecordError> {
        Ok(ConstantRecord)
    }
}

/// Implements the traits of modules for types without parameters.
macro_rules! constants {
    ($($(@[$($generics:tt)*])? $ty:ty => $show:expr;)*) => {$(
        impl<B: Backend, $($($generics)*)?> Module<B> for $ty {
            type Record = ConstantRecord;

            fn visit_params(&self, _visitor: &mut dyn ParamVisitor<B>) {}
            fn map_params(&mut self, _mapper: &mut dyn ParamMapper<B>) {}
            fn into_record(self) -> ConstantRecord {
                ConstantRecord
            }
            fn read_record(&mut self, _record: ConstantRecord, _loader: &mut Loader) {}
        }
        impl<B: AutodiffBackend, $($($generics)*)?> AutodiffModule<B> for $ty {
            type InnerModule = Self;

            fn valid(&self) -> Self {
                self.clone()
            }
        }
        impl<$($($generics)*)?> ModuleDisplay for $ty {}
        impl<$($($generics)*)?> ModuleDisplayDefault for $ty {
            fn content(&self, content: Content) -> Option<Content> {
                let show: fn(&Self) -> String = $show;
                Some(content.set_text(show(self)))
            }
        }
    )*};
}

constants! {
    bool => |x| format!("{x}");
    char => |x| format!("{x}");
    String => |x| x.clone();
    &'static str => |x| String::from(*x);
    u8 => |x| format!("{x}");
    u16 => |x| format!("{x}");
    u32 => |x| format!("{x}");
    u64 => |x| format!("{x}");
    usize => |x| format!("{x}");
    i8 => |x| format!("{x}");
    i16 => |x| format!("{x}");
    i32 => |x| format!("{x}");
    i64 => |x| format!("{x}");
    isize => |x| format!("{x}");
    f32 => |x| format!("{x}");
    f64 => |x| format!("{x}");
    () => |()| String::from("()");
    @[T: Clone + Debug + Send] Ignored<T> => |x| format!("{:?}", x.0);
    crate::tensor::Shape => |x| format!("{x:?}");
}

/// Wrapper for a field of any type that is neither trained nor saved.
///
/// ```
/// use burn::module::{Ignored, Module, Param};
/// use burn::tensor::{Backend, Tensor};
///
/// #[derive(Module, Debug)]
/// struct Tokenized<B: Backend> {
///     weight: Param<Tensor<B, 2>>,
///     words: Ignored<std::collections::HashMap<String, usize>>,
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ignored<T>(pub T);

impl<T> Deref for Ignored<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Ignored<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: Display> Display for Ignored<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

/// Implements [`Module`] for the marker of the backend type parameter. Markers of other types go into
/// [`Ignored`].
impl<B: Backend> Module<B> for PhantomData<B> {
    type Record = ConstantRecord;

    fn visit_params(&self, _visitor: &mut dyn ParamVisitor<B>) {}
    fn map_params(&mut self, _mapper: &mut dyn ParamMapper<B>) {}
    fn into_record(self) -> ConstantRecord {
        ConstantRecord
    }
    fn read_record(&mut self, _record: ConstantRecord, _loader: &mut Loader) {}
}

impl<B: AutodiffBackend> AutodiffModule<B> for PhantomData<B> {
    type InnerModule = PhantomData<B::InnerBackend>;

    fn valid(&self) -> Self::InnerModule {
        PhantomData
    }
}

impl<T> ModuleDisplay for PhantomData<T> {}
impl<T> ModuleDisplayDefault for PhantomData<T> {
    fn content(&self, content: Content) -> Option<Content> {
        Some(content.set_text(String::from("PhantomData")))
    }
}

/// A tensor that is not a parameter moves with its module, and is not saved.
impl<B: Backend, const D: usize, K: TensorKind> Module<B> for Tensor<B, D, K> {
    type Record = ConstantRecord;

    fn visit_params(&self, visitor: &mut dyn ParamVisitor<B>) {
        visitor.visit_constant(&raw::into(self.clone()));
    }
    fn map_params(&mut self, mapper: &mut dyn ParamMapper<B>) {
        *self = raw::from(mapper.map_constant(raw::into(self.clone())));
    }
    fn into_record(self) -> ConstantRecord {
        ConstantRecord
    }
    fn read_record(&mut self, _record: ConstantRecord, _loader: &mut Loader) {}
}

impl<B: AutodiffBackend, const D: usize, K: TensorKind> AutodiffModule<B> for Tensor<B, D, K> {
    type InnerModule = Tensor<B::InnerBackend, D, K>;

    fn valid(&self) -> Self::InnerModule {
        self.clone().inner()
    }
}

impl<B: Backend, const D: usize, K: TensorKind> ModuleDisplay for Tensor<B, D, K> {}
impl<B: Backend, const D: usize, K: TensorKind> ModuleDisplayDefault for Tensor<B, D, K> {
    fn content(&self, content: Content) -> Option<Content> {
        Some(content.set_text(format!("Tensor {{shape: {:?}, kind: {}}}", self.dims(), K::NAME)))
    }
}
