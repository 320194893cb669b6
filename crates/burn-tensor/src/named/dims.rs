use core::fmt::Debug;

/// The name of a dimension, as a type. [`named_dims!`](crate::named_dims) makes them.
pub trait NamedDim: Copy + Debug + Send + Sync + 'static {
    /// Name of the dimension as it is printed.
    const NAME: &'static str;
    /// Key that is unique to this name.
    const KEY: &'static str;
}

/// Types that name dimensions: `named_dims!(pub Batch, pub Word)`.
#[macro_export]
macro_rules! named_dims {
    ($($(#[$attribute:meta])* $visibility:vis $name:ident),* $(,)?) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug)]
        $visibility struct $name;

        impl $crate::named::NamedDim for $name {
            const NAME: &'static str = ::core::stringify!($name);
            const KEY: &'static str = ::core::concat!(::core::module_path!(), "::", ::core::stringify!($name));
        }
    )*};
}

/// The names of all dimensions, in order: a tuple of [`NamedDim`]s.
pub trait Names: Copy + Debug + Send + Sync + 'static {
    /// [`NamedDim::NAME`] of each.
    const NAMES: &'static [&'static str];
    /// [`NamedDim::KEY`] of each.
    const KEYS: &'static [&'static str];
}

/// [`Names`] of a tensor of rank `D`.
#[diagnostic::on_unimplemented(message = "`{Self}` are not the names of {D} dimensions")]
pub trait Ranked<const D: usize>: Names {}

/// Position of a name in a tuple, inferred by the compiler: write `_`.
#[derive(Clone, Copy, Debug)]
pub struct At<const PLACE: usize>;

/// Names with `Dim` among them.
#[diagnostic::on_unimplemented(message = "there is no dimension `{Dim}` in `{Self}`")]
pub trait Has<Dim, Place>: Names {
    /// Position of `Dim`.
    const PLACE: usize;
    /// The other names.
    type Without: Names;
    /// `New` in its place.
    type With<New: NamedDim>: Names;
}

impl Names for () {
    const NAMES: &'static [&'static str] = &[];
    const KEYS: &'static [&'static str] = &[];
}

macro_rules! names {
    ($($rank:literal: [$($dim:ident)*];)*) => {$(
        impl<$($dim: NamedDim),*> Names for ($($dim,)*) {
            const NAMES: &'static [&'static str] = &[$($dim::NAME),*];
            const KEYS: &'static [&'static str] = &[$($dim::KEY),*];
        }
        impl<$($dim: NamedDim),*> Ranked<$rank> for ($($dim,)*) {}
    )*};
}

macro_rules! places {
    ($([$($before:ident)*] $dim:ident [$($after:ident)*] $place:literal;)*) => {$(
        impl<$($before: NamedDim,)* $dim: NamedDim, $($after: NamedDim,)*> Has<$dim, At<$place>>
            for ($($before,)* $dim, $($after,)*)
        {
            const PLACE: usize = $place;
            type Without = ($($before,)* $($after,)*);
            type With<New: NamedDim> = ($($before,)* New, $($after,)*);
        }
    )*};
}

names! {
    1: [A];
    2: [A B];
    3: [A B C];
    4: [A B C D];
    5: [A B C D E];
    6: [A B C D E F];
}

places! {
    [] A [] 0;
    [] A [B] 0;
    [A] B [] 1;
    [] A [B C] 0;
    [A] B [C] 1;
    [A B] C [] 2;
    [] A [B C D] 0;
    [A] B [C D] 1;
    [A B] C [D] 2;
    [A B C] D [] 3;
    [] A [B C D E] 0;
    [A] B [C D E] 1;
    [A B] C [D E] 2;
    [A B C] D [E] 3;
    [A B C D] E [] 4;
    [] A [B C D E F] 0;
    [A] B [C D E F] 1;
    [A B] C [D E F] 2;
    [A B C] D [E F] 3;
    [A B C D] E [F] 4;
    [A B C D E] F [] 5;
}
