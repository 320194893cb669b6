//! Numbers of a launch by name: a struct that the host fills in and its kernel reads.

use crate::launch::body::Body;
use cubecl::prelude::*;

/// Sizes, strides and offsets of a launch. The host packs the struct into words, and the kernel reads them as
/// the struct's fields; [`launch_words!`] declares both from one list.
pub trait LaunchWords: CubeType {
    /// Returns the fields as the words of a launch.
    fn words(&self) -> Vec<u32>;

    /// Reads the fields from the next words of a launch.
    fn read(body: &mut Body) -> Self::ExpandType;
}

impl Body {
    /// Reads numbers of the launch by name, from the next words.
    pub fn read<W: LaunchWords>(&mut self) -> W::ExpandType {
        W::read(self)
    }
}

/// Declares a struct of numbers that implements [`LaunchWords`].
#[doc(hidden)]
#[macro_export]
macro_rules! launch_words {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$field_attribute:meta])* $field_visibility:vis $field:ident: u32,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(cubecl::prelude::CubeType, Clone, Copy, Debug)]
        $visibility struct $name {
            $($(#[$field_attribute])* $field_visibility $field: u32,)*
        }

        impl $crate::kernels::LaunchWords for $name {
            fn words(&self) -> Vec<u32> {
                vec![$(self.$field),*]
            }

            fn read(body: &mut $crate::kernels::Body) -> <Self as cubecl::prelude::CubeType>::ExpandType {
                type Expand = <$name as cubecl::prelude::CubeType>::ExpandType;
                Expand { $($field: body.next_word()),* }
            }
        }
    };
}
pub use crate::launch_words;

/// Returns a number as a word. One below zero wraps, as offsets do that are computed with it.
pub fn word(number: usize) -> u32 {
    number as u32
}
