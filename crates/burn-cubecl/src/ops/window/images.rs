//! Positions in images, in kernels: of three dimensions, whose sizes are lists.

use cubecl::prelude::*;

/// A position, and which of the images it is in.
#[derive(CubeType, Clone)]
pub struct Spot {
    pub image: u32,
    pub at0: u32,
    pub at1: u32,
    pub at2: u32,
}

/// Element `at` of images of these sizes, in row-major order.
#[cube]
pub fn spot_of(at: u32, sizes: &Sequence<u32>) -> Spot {
    let row = at / *sizes.index(2usize);
    let plane = row / *sizes.index(1usize);
    Spot {
        image: plane / *sizes.index(0usize),
        at0: plane % *sizes.index(0usize),
        at1: row % *sizes.index(1usize),
        at2: at % *sizes.index(2usize),
    }
}

#[cube]
pub fn is_within(sizes: &Sequence<u32>, at0: u32, at1: u32, at2: u32) -> bool {
    at0 < *sizes.index(0usize) && at1 < *sizes.index(1usize) && at2 < *sizes.index(2usize)
}

/// The number of an element in its image.
#[cube]
pub fn number_in(sizes: &Sequence<u32>, at0: u32, at1: u32, at2: u32) -> u32 {
    (at0 * *sizes.index(1usize) + at1) * *sizes.index(2usize) + at2
}

/// Elements of an image.
#[cube]
pub fn elements(sizes: &Sequence<u32>) -> u32 {
    *sizes.index(0usize) * *sizes.index(1usize) * *sizes.index(2usize)
}
