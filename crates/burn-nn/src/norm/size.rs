/// Panics when the last dimension has another size: one of size 1 would be broadcast.
#[track_caller]
pub fn check_last(layer: &str, dims: &[usize], size: usize) {
    assert!(dims.last() == Some(&size), "{layer}: the last dimension of {dims:?} is not {size}");
}
