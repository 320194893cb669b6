//! Options, boxes, lists, arrays and tuples of modules.

use super::display::format_module;
use super::{
    AutodiffModule, Content, Loader, Module, ModuleDisplay, ModuleDisplayDefault, ParamMapper, ParamVisitor,
};
use crate::record::IntoNode;
use crate::tensor::{AutodiffBackend, Backend};
use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

impl<B: Backend, M: Module<B>> Module<B> for Option<M> {
    type Record = Option<M::Record>;

    fn visit_params(&self, visitor: &mut dyn ParamVisitor<B>) {
        if let Some(module) = self {
            module.visit_params(visitor);
        }
    }
    fn map_params(&mut self, mapper: &mut dyn ParamMapper<B>) {
        if let Some(module) = self {
            module.map_params(mapper);
        }
    }
    fn into_record(self) -> Self::Record {
        self.map(M::into_record)
    }
    fn read_record(&mut self, record: Self::Record, loader: &mut Loader) {
        match (self, record) {
            (Some(module), Some(record)) => module.read_record(record, loader),
            (Some(module), None) => loader.missing(module),
            (None, Some(_)) if !M::Record::IS_CONSTANT => loader.unexpected(),
            (None, _) => {}
        }
    }
}

impl<B: AutodiffBackend, M: AutodiffModule<B>> AutodiffModule<B> for Option<M> {
    type InnerModule = Option<M::InnerModule>;

    fn valid(&self) -> Self::InnerModule {
        self.as_ref().map(M::valid)
    }
}

impl<M: ModuleDisplay> ModuleDisplay for Option<M> {}
impl<M: ModuleDisplay> ModuleDisplayDefault for Option<M> {
    fn content(&self, content: Content) -> Option<Content> {
        match self {
            Some(module) => {
                let text = format_module(module, content.settings());
                Some(content.set_text(text))
            }
            None => Some(content.set_text("None".into())),
        }
    }
}

impl<B: Backend, M: Module<B>> Module<B> for Box<M> {
    type Record = Box<M::Record>;

    fn visit_params(&self, visitor: &mut dyn ParamVisitor<B>) {
        M::visit_params(self, visitor);
    }
    fn map_params(&mut self, mapper: &mut dyn ParamMapper<B>) {
        M::map_params(self, mapper);
    }
    fn into_record(self) -> Self::Record {
        Box::new(M::into_record(*self))
    }
    fn read_record(&mut self, record: Self::Record, loader: &mut Loader) {
        M::read_record(self, *record, loader);
    }
}

impl<B: AutodiffBackend, M: AutodiffModule<B>> AutodiffModule<B> for Box<M> {
    type InnerModule = Box<M::InnerModule>;

    fn valid(&self) -> Self::InnerModule {
        Box::new(M::valid(self))
    }
}

impl<M: ModuleDisplay> ModuleDisplay for Box<M> {}
impl<M: ModuleDisplay> ModuleDisplayDefault for Box<M> {
    fn content(&self, content: Content) -> Option<Content> {
        let text = format_module(&**self, content.settings());
        Some(content.set_text(text))
    }
}

impl<B: Backend, M: Module<B>> Module<B> for Vec<M> {
    type Record = Vec<M::Record>;

    fn visit_params(&self, visitor: &mut dyn ParamVisitor<B>) {
        visit_items(self, "Vec", visitor);
    }
    fn map_params(&mut self, mapper: &mut dyn ParamMapper<B>) {
        map_items(self, "Vec", mapper);
    }
    fn into_record(self) -> Self::Record {
        self.into_iter().map(M::into_record).collect()
    }
    fn read_record(&mut self, record: Self::Record, loader: &mut Loader) {
        read_items(self, record, loader);
    }
}

impl<B: AutodiffBackend, M: AutodiffModule<B>> AutodiffModule<B> for Vec<M> {
    type InnerModule = Vec<M::InnerModule>;

    fn valid(&self) -> Self::InnerModule {
        self.iter().map(M::valid).collect()
    }
}

impl<M: ModuleDisplay> ModuleDisplay for Vec<M> {}
impl<M: ModuleDisplay> ModuleDisplayDefault for Vec<M> {
    fn content(&self, content: Content) -> Option<Content> {
        Some(content.set_items(self.iter().map(|module| module as &dyn ModuleDisplay)))
    }
}

impl<B: Backend, M: Module<B>, const N: usize> Module<B> for [M; N] {
    type Record = [M::Record; N];

    fn visit_params(&self, visitor: &mut dyn ParamVisitor<B>) {
        visit_items(self, "Array", visitor);
    }
    fn map_params(&mut self, mapper: &mut dyn ParamMapper<B>) {
        map_items(self, "Array", mapper);
    }
    fn into_record(self) -> Self::Record {
        self.map(M::into_record)
    }
    fn read_record(&mut self, record: Self::Record, loader: &mut Loader) {
        read_items(self, record, loader);
    }
}

impl<B: AutodiffBackend, M: AutodiffModule<B>, const N: usize> AutodiffModule<B> for [M; N] {
    type InnerModule = [M::InnerModule; N];

    fn valid(&self) -> Self::InnerModule {
        core::array::from_fn(|index| self[index].valid())
    }
}

impl<M: ModuleDisplay, const N: usize> ModuleDisplay for [M; N] {}
impl<M: ModuleDisplay, const N: usize> ModuleDisplayDefault for [M; N] {
    fn content(&self, content: Content) -> Option<Content> {
        Some(content.set_items(self.iter().map(|module| module as &dyn ModuleDisplay)))
    }
}

fn visit_items<B: Backend, M: Module<B>>(items: &[M], container: &str, visitor: &mut dyn ParamVisitor<B>) {
    if M::Record::IS_CONSTANT {
        return items.iter().for_each(|item| item.visit_params(visitor));
    }
    for (index, item) in items.iter().enumerate() {
        let name = index.to_string();
        visitor.enter_module(&name, container);
        item.visit_params(visitor);
        visitor.exit_module(&name, container);
    }
}

fn map_items<B: Backend, M: Module<B>>(items: &mut [M], container: &str, mapper: &mut dyn ParamMapper<B>) {
    if M::Record::IS_CONSTANT {
        return items.iter_mut().for_each(|item| item.map_params(mapper));
    }
    for (index, item) in items.iter_mut().enumerate() {
        let name = index.to_string();
        mapper.enter_module(&name, container);
        item.map_params(mapper);
        mapper.exit_module(&name, container);
    }
}

fn read_items<B: Backend, M: Module<B>>(
    items: &mut [M],
    record: impl IntoIterator<Item = M::Record>,
    loader: &mut Loader,
) {
    if M::Record::IS_CONSTANT {
        return;
    }
    let mut records = record.into_iter();
    for (index, item) in items.iter_mut().enumerate() {
        loader.enter(&index.to_string());
        match records.next() {
            Some(record) => item.read_record(record, loader),
            None => loader.missing(item),
        }
        loader.exit();
    }
    for (index, _) in records.enumerate() {
        loader.enter(&(items.len() + index).to_string());
        loader.unexpected();
        loader.exit();
    }
}

macro_rules! tuples {
    ($(($($ty:ident $index:tt),*))*) => {$(
        impl<B: Backend, $($ty: Module<B>),*> Module<B> for ($($ty,)*) {
            type Record = ($($ty::Record,)*);

            fn visit_params(&self, visitor: &mut dyn ParamVisitor<B>) {
                $(
                    visitor.enter_module(stringify!($index), "Tuple");
                    self.$index.visit_params(visitor);
                    visitor.exit_module(stringify!($index), "Tuple");
                )*
            }
            fn map_params(&mut self, mapper: &mut dyn ParamMapper<B>) {
                $(
                    mapper.enter_module(stringify!($index), "Tuple");
                    self.$index.map_params(mapper);
                    mapper.exit_module(stringify!($index), "Tuple");
                )*
            }
            fn into_record(self) -> Self::Record {
                ($(self.$index.into_record(),)*)
            }
            fn read_record(&mut self, record: Self::Record, loader: &mut Loader) {
                $(
                    loader.enter(stringify!($index));
                    self.$index.read_record(record.$index, loader);
                    loader.exit();
                )*
            }
        }
        impl<B: AutodiffBackend, $($ty: AutodiffModule<B>),*> AutodiffModule<B> for ($($ty,)*) {
            type InnerModule = ($($ty::InnerModule,)*);

            fn valid(&self) -> Self::InnerModule {
                ($(self.$index.valid(),)*)
            }
        }
        impl<$($ty: ModuleDisplay),*> ModuleDisplay for ($($ty,)*) {}
        impl<$($ty: ModuleDisplay),*> ModuleDisplayDefault for ($($ty,)*) {
            fn content(&self, content: Content) -> Option<Content> {
                let items: &[&dyn ModuleDisplay] = &[$(&self.$index),*];
                Some(content.set_items(items.iter().copied()))
            }
        }
    )*};
}

tuples! {
    (M0 0)
    (M0 0, M1 1)
    (M0 0, M1 1, M2 2)
    (M0 0, M1 1, M2 2, M3 3)
    (M0 0, M1 1, M2 2, M3 3, M4 4)
    (M0 0, M1 1, M2 2, M3 3, M4 4, M5 5)
    (M0 0, M1 1, M2 2, M3 3, M4 4, M5 5, M6 6)
    (M0 0, M1 1, M2 2, M3 3, M4 4, M5 5, M6 6, M7 7)
    (M0 0, M1 1, M2 2, M3 3, M4 4, M5 5, M6 6, M7 7, M8 8)
    (M0 0, M1 1, M2 2, M3 3, M4 4, M5 5, M6 6, M7 7, M8 8, M9 9)
    (M0 0, M1 1, M2 2, M3 3, M4 4, M5 5, M6 6, M7 7, M8 8, M9 9, M10 10)
    (M0 0, M1 1, M2 2, M3 3, M4 4, M5 5, M6 6, M7 7, M8 8, M9 9, M10 10, M11 11)
}
