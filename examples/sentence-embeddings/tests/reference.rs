//! The embeddings beside those of the reference implementation (`python/reference.py`).

use burn::backend::NdArray;
use burn_import::npz;
use sentence_embeddings::{Embedder, model_folder};
use std::path::Path;

type B = NdArray;

#[test]
fn x_409_embeddings_of_minilm_are_those_of_the_reference() {
    let device = Default::default();
    let folder =
        model_folder(std::env::var_os("BURN_MINILM").map(Into::into), &mut |text| println!("{text}"))
            .unwrap();
    let (embedder, _) = Embedder::<B>::load(&folder, &device).unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let sentences = std::fs::read_to_string(data.join("sentences.txt")).unwrap();
    let sentences: Vec<String> = sentences.lines().map(str::to_string).collect();
    let found = embedder.embed(&sentences, &device).unwrap().into_data();
    let expected = npz::open(data.join("reference.npy")).unwrap().read("reference").unwrap().unwrap();
    assert_eq!(found.shape, expected.shape);
    for (found, expected) in found.iter::<f64>().zip(expected.iter::<f64>()) {
        assert!((found - expected).abs() < 1e-4, "{found} and {expected}");
    }
}
