//! The network beside PyTorch's (`python/reference.py`).

use burn::backend::NdArray;
use burn::tensor::{Tensor, TensorData};
use burn_import::npz;
use image_classification::{EfficientNetLite0, load, photo, photos, weights_file};
use std::path::Path;

type B = NdArray;

fn model() -> EfficientNetLite0<B> {
    load(&weights_file(None, &mut |text| println!("{text}")).unwrap(), &Default::default()).unwrap()
}

fn expected(name: &str) -> TensorData {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(format!("{name}.npy"));
    npz::open(path).unwrap().read(name).unwrap().unwrap()
}

#[test]
fn x_409_efficientnet_computes_pytorchs_logits() {
    let wave: Vec<f32> = (0..3 * 224 * 224).map(|k| f64::from(k).cos() as f32).collect();
    let image = Tensor::<B, 4>::from_data(TensorData::new(wave, [1, 3, 224, 224]), &Default::default());
    let (found, expected) = (model().forward(image).into_data(), expected("logits"));
    assert_eq!(found.shape, expected.shape);
    let largest = expected.iter::<f64>().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    for (found, expected) in found.iter::<f64>().zip(expected.iter::<f64>()) {
        assert!((found - expected).abs() < 1e-4 * largest, "{found} and {expected}");
    }
}

#[test]
fn x_409_photographs_are_of_the_classes_that_pytorch_says() {
    let (model, device) = (model(), Default::default());
    let photos = photos(&mut |text| println!("{text}")).unwrap();
    let classes = photos
        .map(|path| model.forward(photo(&path, &device).unwrap()).argmax(1).into_data().iter::<i64>().next());
    let expected: Vec<i64> = expected("classes").iter().collect();
    assert_eq!(classes.map(Option::unwrap)[..], expected[..]);
}
