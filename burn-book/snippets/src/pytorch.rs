//! Idioms of PyTorch. What the page shows in its table stands here, and the test at the end compares the two.

use burn::backend::{Autodiff, NdArray};
use burn::optim::AdamConfig;
use burn::prelude::*;
use burn::record::{DefaultFileRecorder, FullPrecisionSettings};
use burn::tensor::activation;
use burn::tensor::backend::AutodiffBackend;
use burn::tensor::{DType, Distribution};

// ANCHOR: module
use burn::nn::{Dropout, DropoutConfig, Linear, LinearConfig, Relu};

#[derive(Module, Debug)]
struct Net<B: Backend> {
    fc1: Linear<B>,
    fc2: Linear<B>,
    dropout: Dropout,
    relu: Relu,
}

impl<B: Backend> Net<B> {
    fn new(hidden: usize, device: &B::Device) -> Self {
        Net {
            fc1: LinearConfig::new(784, hidden).init(device),
            fc2: LinearConfig::new(hidden, 10).init(device),
            dropout: DropoutConfig::new(0.5).init(),
            relu: Relu,
        }
    }

    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        let x = self.relu.forward(self.fc1.forward(x));
        self.fc2.forward(self.dropout.forward(x))
    }
}
// ANCHOR_END: module

// ANCHOR: training
use burn::nn::loss::CrossEntropyLossConfig;
use burn::optim::GradientsParams;

/// Inputs and classes.
type Batch<B> = (Tensor<B, 2>, Tensor<B, 1, Int>);

fn fit<B: AutodiffBackend>(
    mut model: Net<B>,
    train: &[Batch<B>],
    valid: &[Batch<B::InnerBackend>],
    device: &B::Device,
) -> (Net<B>, f64) {
    let mut optimizer = AdamConfig::new().init();
    let criterion = CrossEntropyLossConfig::new().init(device);
    for (x, y) in train {
        let loss = criterion.forward(model.forward(x.clone()), y.clone());
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(1e-3, model, gradients);
    }

    let evaluated = model.valid();
    let (mut correct, mut count) = (0.0, 0);
    for (x, y) in valid {
        let classes = evaluated.forward(x.clone()).argmax(1).flatten::<1>(0, 1);
        correct += classes.equal(y.clone()).int().sum().into_scalar().elem::<f64>();
        count += y.dims()[0];
    }
    (model, correct / count as f64)
}
// ANCHOR_END: training

#[test]
fn a_training_loop_runs() {
    type B = Autodiff<NdArray>;
    let device = Default::default();
    B::seed(1);
    let x = Tensor::<B, 2>::random([16, 784], Distribution::Default, &device);
    let y = Tensor::<B, 1, Int>::from_data([3; 16], &device);
    let (train, valid) = (vec![(x.clone(), y.clone()); 20], [(x.inner(), y.inner())]);
    let (_, accuracy) = fit(Net::<B>::new(32, &device), &train, &valid, &device);
    assert_eq!(accuracy, 1.0);
}

fn tensors<B: Backend>(device: B::Device) {
    let made = Tensor::<B, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &device);
    let zeros = Tensor::<B, 2>::zeros([2, 3], &device);
    let normal = Tensor::<B, 2>::random([2, 3], Distribution::Normal(0.0, 1.0), &device);
    let range = Tensor::<B, 1, Int>::arange(0..3, &device);
    B::seed(42);
    assert_eq!((made.dims(), zeros.dims(), normal.dims(), range.dims()), ([2, 2], [2, 3], [2, 3], [3]));

    let x = Tensor::<B, 2>::from_data([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &device);
    let [rows, columns] = x.dims();
    assert_eq!((rows, columns, x.rank()), (2, 3, 2));
    let y = Tensor::<B, 2>::ones([2, 3], &device);
    let w = Tensor::<B, 2>::ones([3, 1], &device);
    let bias = Tensor::<B, 1>::from_data([1.0, 0.0, -1.0], &device);
    let mask = x.clone().greater_elem(3.0);
    let index = Tensor::<B, 1, Int>::from_data([1, 0], &device);

    is(x.clone() + y.clone(), &[2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    is(x.clone() * 2.0 + 1.0, &[3.0, 5.0, 7.0, 9.0, 11.0, 13.0]);
    is(x.clone() + bias.unsqueeze(), &[2.0, 2.0, 2.0, 5.0, 5.0, 5.0]);
    is(x.clone().matmul(w), &[6.0, 15.0]);
    is(x.clone().sum_dim(1), &[6.0, 15.0]);
    is(x.clone().sum_dim(1).squeeze_dim::<1>(1), &[6.0, 15.0]);
    is(x.clone().max_dim(-1), &[3.0, 6.0]);
    let (values, indices) = x.clone().max_dim_with_indices(1);
    is(values, &[3.0, 6.0]);
    is(indices.float(), &[2.0, 2.0]);
    is(activation::softmax(x.clone(), 1).sum_dim(1), &[1.0, 1.0]);
    is(x.clone().reshape([3, -1]), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    is(x.clone().flatten::<1>(0, 1), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    is(x.clone().permute([1, 0]), &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    is(x.clone().transpose(), &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    is(x.clone().unsqueeze_dim::<3>(0), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    is(Tensor::cat(vec![x.clone(), y.clone()], 0).sum(), &[27.0]);
    is(x.clone().select_dim::<1>(0, 0), &[1.0, 2.0, 3.0]);
    is(x.clone().slice(s![.., 1..3]), &[2.0, 3.0, 5.0, 6.0]);
    is(x.clone().slice(s![.., -1]), &[3.0, 6.0]);
    is(x.clone().slice(s![.., ..;2]), &[1.0, 3.0, 4.0, 6.0]);
    is(x.clone().slice(s![..;-1]), &[4.0, 5.0, 6.0, 1.0, 2.0, 3.0]);
    is(x.clone().select(0, index), &[4.0, 5.0, 6.0, 1.0, 2.0, 3.0]);
    is(x.clone().slice_assign(s![.., ..1], y.clone().slice(s![.., ..1])), &[1.0, 2.0, 3.0, 1.0, 5.0, 6.0]);
    is(x.clone().mask_fill(mask.clone(), 0.0), &[1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
    is(y.clone().mask_where(mask, x.clone()), &[1.0, 1.0, 1.0, 4.0, 5.0, 6.0]);

    let wide = x.clone().cast(DType::F64);
    let whole: Tensor<B, 2, Int> = x.clone().int();
    let here = x.clone().to_device(&device);
    let number: f64 = x.clone().mean().into_scalar().elem();
    let host: TensorData = x.to_data();
    assert_eq!((wide.dtype(), whole.dims(), here.dims()), (DType::F64, [2, 3], [2, 3]));
    assert_eq!((number, host.iter::<f64>().sum::<f64>()), (3.5, 21.0));
}

#[track_caller]
fn is<B: Backend, const D: usize>(x: Tensor<B, D>, expected: &[f64]) {
    let found = x.into_data().to_f64();
    assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-6), "{found:?} {expected:?}");
    assert_eq!(found.len(), expected.len());
}

#[test]
fn tensors_as_in_pytorch() {
    tensors::<NdArray>(Default::default());
    tensors::<Autodiff<NdArray>>(Default::default());
}

#[test]
fn gradients_as_in_pytorch() {
    type B = Autodiff<NdArray>;
    let device = Default::default();
    let x = Tensor::<B, 1>::from_data([1.0, 2.0], &device).require_grad();
    let loss = (x.clone().square() * x.clone().detach()).sum();
    let gradients = loss.backward();
    let slope = x.grad(&gradients);
    is(slope.expect("the loss depends on x"), &[2.0, 8.0]);
    let plain: Tensor<NdArray, 1> = x.inner();
    is(plain, &[1.0, 2.0]);
}

#[test]
fn modules_as_in_pytorch() {
    type B = Autodiff<NdArray>;
    let device = Default::default();
    let path = std::env::temp_dir().join(format!("book-pytorch-{}", std::process::id()));
    let mut model = Net::<B>::new(8, &device);
    let evaluated: Net<NdArray> = model.valid();
    assert_eq!(model.num_params(), 784 * 8 + 8 + 8 * 10 + 10);
    let recorder = DefaultFileRecorder::<FullPrecisionSettings>::new();
    model.save_file(path.clone(), &recorder).expect("the folder can be written");
    let state = model.clone().into_record();
    model = model.load_record(state);
    model = model.load_file(path.clone(), &recorder, &device).expect("it was just saved");
    let copy = model.clone();
    model = model.to_device(&device);
    model.fc1 = model.fc1.no_grad();
    let other = Net::<B>::new(8, &device).into_record();
    model.fc2 = model.fc2.load_record(other.fc2);
    assert_eq!(evaluated.fc1.weight.val().into_data(), model.fc1.weight.val().into_data());
    assert_eq!(copy.fc1.weight.val().into_data(), model.fc1.weight.val().into_data());
    std::fs::remove_file(path.with_extension("mpk")).expect("it is there");
}

#[test]
fn a_weight_of_pytorch_is_transposed() {
    let device: <NdArray as Backend>::Device = Default::default();
    let (of_torch, bias) = ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [0.5, -0.5]);
    // ANCHOR: weight
    use burn::module::Param;

    // `of_torch`: the weight of a `torch.nn.Linear(3, 2)`, [out_features, in_features].
    let weight = Tensor::<NdArray, 2>::from_data(of_torch, &device);
    let mut linear: Linear<NdArray> = LinearConfig::new(3, 2).init(&device);
    linear.weight = Param::from_tensor(weight.transpose()); // [d_input, d_output]
    linear.bias = Some(Param::from_data(bias, &device));
    // ANCHOR_END: weight
    // x @ W.T + b
    is(linear.forward(Tensor::<NdArray, 2>::from_data([[1.0, 0.0, -1.0]], &device)), &[-1.5, -2.5]);
}

#[test]
fn defaults_that_differ_are_those_of_the_page() {
    use burn::nn::attention::MultiHeadAttentionConfig;
    use burn::nn::loss::NllLossConfig;
    use burn::nn::transformer::{FeedForwardActivation, TransformerDecoderConfig, TransformerEncoderConfig};
    use burn::nn::{GruConfig, InstanceNormConfig, LstmConfig, RmsNormConfig};

    assert!(LstmConfig::new(1, 1, true).batch_first && GruConfig::new(1, 1, true).batch_first);
    assert_eq!(MultiHeadAttentionConfig::new(2, 1).dropout, 0.1);
    assert_eq!(TransformerEncoderConfig::new(2, 2, 1, 1).activation, FeedForwardActivation::Gelu);
    assert_eq!(TransformerDecoderConfig::new(2, 2, 1, 1).activation, FeedForwardActivation::Gelu);
    assert!(InstanceNormConfig::new(1).affine);
    assert_eq!(RmsNormConfig::new(1).epsilon, 1e-5);
    assert!(
        CrossEntropyLossConfig::new().pad_tokens.is_none() && NllLossConfig::new().ignore_index.is_none()
    );
}

#[test]
fn the_table_of_the_page_is_compiled() {
    let (page, source) = (include_str!("../../src/pytorch.md"), include_str!("pytorch.rs"));
    let source = source.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rows = 0;
    let idioms = page
        .lines()
        .skip_while(|line| *line != "<!-- idioms -->")
        .take_while(|line| *line != "## Broadcasting");
    for row in idioms.filter(|line| line.starts_with("| `")) {
        let burn = row.split(" | ").nth(1).unwrap_or_else(|| panic!("no second column: {row}"));
        for code in burn.split('`').skip(1).step_by(2) {
            assert!(source.contains(code), "the page shows `{code}`, which is not in pytorch.rs");
        }
        rows += 1;
    }
    assert!(rows > 40, "{rows} rows");
}
