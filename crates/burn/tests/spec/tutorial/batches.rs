use crate::expect::exactly;
use burn::backend::NdArray;
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataloader::batcher::Batcher;
use burn::data::dataset::InMemDataset;
use burn::tensor::backend::Backend;
use burn::tensor::{Int, Tensor};

#[derive(Clone, Debug)]
struct XorItem {
    x: [f32; 2],
    y: i64,
}

#[derive(Clone, Debug)]
struct XorBatcher<B: Backend> {
    device: B::Device,
}

impl<B: Backend> Batcher<XorItem, (Tensor<B, 2>, Tensor<B, 1, Int>)> for XorBatcher<B> {
    fn batch(&self, items: Vec<XorItem>) -> (Tensor<B, 2>, Tensor<B, 1, Int>) {
        let inputs = items
            .iter()
            .map(|item| Tensor::<B, 1>::from_data(item.x, &self.device).unsqueeze_dim(0))
            .collect::<Vec<Tensor<B, 2>>>();
        let targets =
            items.iter().map(|item| Tensor::<B, 1, Int>::from_data([item.y], &self.device)).collect();
        (Tensor::cat(inputs, 0), Tensor::cat(targets, 0))
    }
}

#[test]
fn tu_008_batches_of_xor() {
    type B = NdArray;
    let device = Default::default();
    let samples = [([0.0, 0.0], 0), ([0.0, 1.0], 1), ([1.0, 0.0], 1), ([1.0, 1.0], 0)];
    let items = (0..40).map(|i| samples[i % 4]).map(|(x, y)| XorItem { x, y }).collect();
    let dataset = InMemDataset::new(items);
    assert_eq!(dataset.len(), 40);
    assert_eq!(dataset.get(1).map(|item| item.y), Some(1));
    assert!(dataset.get(40).is_none());

    let loader = DataLoaderBuilder::new(XorBatcher::<B> { device }).batch_size(16).build(dataset);
    let mut sizes = Vec::new();
    for (x, y) in loader.iter() {
        assert_eq!(x.dims()[0], y.dims()[0]);
        // The exclusive or of the two columns.
        let xor = x.clone().slice([0..x.dims()[0], 0..1]).not_equal(x.clone().slice([0..x.dims()[0], 1..2]));
        exactly(xor.flatten::<1>(0, 1).int(), y.into_data());
        sizes.push(x.dims());
    }
    assert_eq!(sizes, [[16, 2], [16, 2], [8, 2]]);
}
