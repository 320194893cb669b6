//! The example, and what it prints.

use burn::backend::NdArray;
use burn::prelude::*;
use named_tensor::{Batch, Feature, Query, Topic, Words, attend, run};

/// Attention by loops over one sentence.
fn by_hand(words: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mean = |query: &[f64; 2]| {
        let score = |key: &[f64; 2]| ((query[0] * key[0] + query[1] * key[1]) / 2.0_f64.sqrt()).exp();
        let total: f64 = words.iter().map(score).sum();
        [0, 1].map(|d| words.iter().map(|key| score(key) * key[d]).sum::<f64>() / total)
    };
    words.iter().map(mean).collect()
}

#[test]
fn ex_012_named_tensors_compute_what_loops_do() {
    let sentence = [[1.0, 0.0], [0.25, -0.5], [0.5, 2.0]];
    let words: Words<NdArray<f64>> = Tensor::<_, 3>::from_data([sentence], &Default::default()).into();
    let found = attend(words).into_tensor::<3>().into_data().to_f64();
    for (found, expected) in found.iter().zip(by_hand(&sentence).concat()) {
        assert!((found - expected).abs() < 1e-12, "{found} and {expected}");
    }
}

#[test]
fn ex_012_the_example_says_what_sentences_are_about() {
    let shares = run::<NdArray>(&Default::default());
    assert_eq!((shares.size::<Topic, _>(), shares.size::<Batch, _>()), (2, 2));
    let printed = shares.to_string();
    assert!(printed.starts_with("Topic: 2, Batch: 2, Tensor {"), "{printed}");
    let shares = shares.into_tensor::<2>().into_data().to_f64();
    // The first sentence is about the first topic, the second about the second; shares add up to 1.
    assert!(shares[0] > 0.9 && shares[3] > 0.9, "{shares:?}");
    assert!((shares[0] + shares[2] - 1.0).abs() < 1e-6 && (shares[1] + shares[3] - 1.0).abs() < 1e-6);
}

#[test]
fn ex_012_names_follow_their_dimensions() {
    let x: Words<NdArray> =
        Tensor::<_, 3>::from_data([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]], &Default::default()).into();
    let turned = x.clone().permute::<(Feature, Batch, Query)>();
    assert_eq!(turned.shape(), Shape::new([3, 1, 2]));
    assert_eq!(turned.size::<Query, _>(), 2);
    let sums = turned.sum::<Feature, _>().into_tensor::<2>().into_data();
    assert_eq!(sums, TensorData::from([[6.0_f32, 15.0]]));
    let largest = x.clone().max::<Query, _>().into_tensor::<2>().into_data();
    assert_eq!(largest, TensorData::from([[4.0_f32, 5.0, 6.0]]));
    let centred = x.clone() - x.clone().mean::<Query, _>().align();
    assert_eq!(centred.into_tensor::<3>().into_data(), TensorData::from([[[-1.5_f32; 3], [1.5; 3]]]));
    let weight: burn::tensor::named::NamedTensor<_, (Feature, Topic)> =
        Tensor::<NdArray, 2>::ones([4, 1], &Default::default()).into();
    let error = x.try_matmul::<_, (Batch, Query, Topic)>(weight).expect_err("3 features and 4");
    assert!(error.to_string().contains("Feature has the sizes 3 and 4"), "{error}");
}
