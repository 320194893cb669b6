//! Limits of what a config asks for, checked before anything is allocated.

use alloc::vec::Vec;
use burn_core::config::{ConfigError, FieldCheck};
use burn_core::module::Initializer;

/// The largest number of layers of a stack. Each one takes some kilobytes before its parameters are
/// allocated, so that a number without a limit could use up the memory.
const MOST_LAYERS: usize = 1 << 16;

/// The largest number of elements of a table that is filled when the layer is created: 1 GiB of `f32`.
const MOST_TABLE_ELEMENTS: usize = 1 << 28;

/// Checks a weight whose shape is `sizes`, each by the name of its field: no size is 0, the number of
/// elements can be addressed, and the initializer is right and defined for the shape.
pub fn check_weight(
    check: FieldCheck,
    sizes: &[(&str, usize)],
    initializer: &Initializer,
) -> Result<(), ConfigError> {
    check.elements(sizes)?;
    let shape: Vec<usize> = sizes.iter().map(|&(_, size)| size).collect();
    check.nested("initializer", initializer.validate_for(&shape))
}

/// Checks the number of layers of a stack.
pub fn check_layer_count(check: FieldCheck, field: &str, count: usize) -> Result<(), ConfigError> {
    check.at_least(field, count, 1)?;
    check.at_most(field, count, MOST_LAYERS)
}

/// Checks the sizes of a table that is filled when the layer is created.
pub fn check_table(check: FieldCheck, sizes: &[(&str, usize)]) -> Result<(), ConfigError> {
    check.elements_at_most(sizes, MOST_TABLE_ELEMENTS).map(drop)
}
