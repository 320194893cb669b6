use cubecl::prelude::*;

/// The distance from 1 to the next number.
#[cube]
pub fn epsilon<E: Float>(#[comptime] is_wide: bool) -> E {
    if comptime!(is_wide) { E::new(1.4901161e-8) * E::new(1.4901161e-8) } else { E::new(1.1920929e-7) }
}
