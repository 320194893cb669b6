use burn_core::tensor::{Backend, Bool, Tensor, TensorData};

/// The mask of queries from position `start` on over keys from position `first` on: true where the key comes
/// later, or is `window` or more positions before.
pub fn hidden_keys<B: Backend>(
    queries: std::ops::Range<usize>,
    first: usize,
    window: Option<usize>,
    device: &B::Device,
) -> Tensor<B, 4, Bool> {
    let (count, keys) = (queries.len(), queries.end - first);
    let hides = |query: usize, key: usize| key > query || window.is_some_and(|window| query - key >= window);
    let hidden: Vec<bool> =
        queries.flat_map(|query| (0..keys).map(move |key| hides(query, first + key))).collect();
    Tensor::from_data(TensorData::new(hidden, [1, 1, count, keys]), device)
}
