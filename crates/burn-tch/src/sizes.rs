//! Lists of sizes as LibTorch takes them.

/// Sizes, strides or dimensions as LibTorch takes them.
pub fn sizes(list: &[usize]) -> Vec<i64> {
    list.iter().map(|&size| size as i64).collect()
}

/// Options that mean the same and fit LibTorch's kernels: a stride or a dilation beyond the input takes
/// nobody further than one just beyond it.
pub fn within(list: &[usize], input: &[usize], padding: &[usize]) -> Vec<i64> {
    let full = |d: usize| input[d].saturating_add(padding[d].saturating_mul(2)).saturating_add(1);
    list.iter().enumerate().map(|(d, &value)| value.min(full(d)) as i64).collect()
}
