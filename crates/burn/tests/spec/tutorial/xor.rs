use burn::backend::Autodiff;
use burn::backend::ndarray::NdArray;
use burn::data::dataloader::DataLoaderBuilder;
use burn::data::dataset::InMemDataset;
use burn::nn::loss::{CrossEntropyLoss, CrossEntropyLossConfig};
use burn::nn::{Linear, LinearConfig, Relu};
use burn::optim::{AdamConfig, GradientsParams};
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;
use burn_conformance::again::again;

#[derive(Clone, Debug)]
struct XorItem {
    x: [f32; 2],
    y: i64,
}

#[derive(Module, Debug)]
struct Model<B: Backend> {
    linear1: Linear<B>,
    linear2: Linear<B>,
    linear3: Linear<B>,
    activation: Relu,
}

impl<B: Backend> Model<B> {
    fn new(device: &B::Device) -> Self {
        Model {
            linear1: LinearConfig::new(2, 16).init(device),
            linear2: LinearConfig::new(16, 16).init(device),
            linear3: LinearConfig::new(16, 2).init(device),
            activation: Relu::new(),
        }
    }

    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        let x = self.activation.forward(self.linear1.forward(x));
        let x = self.activation.forward(self.linear2.forward(x));
        self.linear3.forward(x)
    }
}

fn train<B: AutodiffBackend>(device: &B::Device) -> Model<B> {
    let samples = [([0.0, 0.0], 0), ([0.0, 1.0], 1), ([1.0, 0.0], 1), ([1.0, 1.0], 0)];
    let items = (0..800).map(|i| samples[i % 4]).map(|(x, y)| XorItem { x, y }).collect();
    let on = device.clone();
    let batcher = move |items: Vec<XorItem>| {
        let inputs = items.iter().map(|item| Tensor::<B, 1>::from_data(item.x, &on).unsqueeze_dim(0));
        let targets = items.iter().map(|item| Tensor::<B, 1, Int>::from_data([item.y], &on));
        (Tensor::<B, 2>::cat(inputs.collect(), 0), Tensor::cat(targets.collect(), 0))
    };
    let loader = DataLoaderBuilder::new(batcher).batch_size(32).shuffle(42).build(InMemDataset::new(items));

    let mut model = Model::<B>::new(device);
    let mut optimizer = AdamConfig::new().init();
    let criterion: CrossEntropyLoss<B> = CrossEntropyLossConfig::new().init(device);
    let mut losses = Vec::new();
    for _epoch in 0..50 {
        let (mut total, mut batches) = (0.0, 0);
        for (inputs, targets) in loader.iter() {
            let loss = criterion.forward(model.forward(inputs), targets);
            let grads = GradientsParams::from_grads(loss.backward(), &model);
            total += loss.into_scalar().elem::<f32>();
            batches += 1;
            model = optimizer.step(1e-3, model, grads);
        }
        assert_eq!(batches, 25);
        losses.push(total / batches as f32);
    }
    assert!(losses[49] < losses[0] / 10.0, "{losses:?}");
    model
}

#[test]
fn tu_010_a_network_learns_xor() {
    // From other initial values it might not; other tests draw from the same generator.
    if again("tu_010_a_network_learns_xor", &[]).is_some() {
        return;
    }
    type TrainBackend = Autodiff<NdArray>;
    let device = Default::default();
    TrainBackend::seed(7);
    let model = train::<TrainBackend>(&device).valid();
    let inputs = Tensor::<NdArray, 2>::from_data([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], &device);
    let predictions = model.forward(inputs).argmax(1);
    assert_eq!(predictions.into_data().to_string(), "[0, 1, 1, 0]");
}
