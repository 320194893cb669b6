//! Layers that are split over ranks, against the whole ones.

use crate::tensors::{B, Outcome, bits, run, table, values};
use burn::backend::Autodiff;
use burn::collective::{
    CollectiveError, ColumnParallelLinear, Communicator, Local, ParallelCrossEntropy, ParallelEmbedding,
    ParallelMultiHeadAttention, RowParallelLinear,
};
use burn::module::{AutodiffModule, Module, Param};
use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::loss::{CrossEntropyLoss, CrossEntropyLossConfig};
use burn::nn::{Embedding, EmbeddingConfig, Linear, LinearConfig};
use burn::optim::{AdamWConfig, GradientsParams, Optimizer};
use burn::tensor::backend::Backend;
use burn::tensor::{Int, Tensor, activation};

type A = Autodiff<B>;

const RANKS: [usize; 3] = [1, 2, 4];

/// A transformer block between an embedding and logits.
#[derive(Module, Debug)]
struct Whole<T: Backend> {
    embedding: Embedding<T>,
    attention: MultiHeadAttention<T>,
    up: Linear<T>,
    down: Linear<T>,
    head: Linear<T>,
}

#[derive(Module, Debug)]
struct Split<T: Backend> {
    embedding: ParallelEmbedding<T>,
    attention: ParallelMultiHeadAttention<T>,
    up: ColumnParallelLinear<T>,
    down: RowParallelLinear<T>,
    head: ColumnParallelLinear<T>,
}

fn loss_config() -> CrossEntropyLoss<A> {
    let config = CrossEntropyLossConfig::new().with_pad_tokens(Some(vec![3])).with_smoothing(Some(0.1));
    config.init(&Default::default())
}

impl Whole<A> {
    fn new() -> Self {
        let device = Default::default();
        Whole {
            embedding: EmbeddingConfig::new(12, 8).with_padding_idx(Some(7)).init(&device),
            attention: MultiHeadAttentionConfig::new(8, 8)
                .with_n_key_value_heads(Some(4))
                .with_dropout(0.0)
                .init(&device),
            up: LinearConfig::new(8, 16).init(&device),
            down: LinearConfig::new(16, 8).init(&device),
            head: LinearConfig::new(8, 12).init(&device),
        }
    }

    fn loss(&self, tokens: Tensor<A, 2, Int>, targets: Tensor<A, 1, Int>) -> Tensor<A, 1> {
        let x = self.embedding.forward(tokens);
        let x = x.clone() + self.attention.forward(MhaInput::self_attn(x).causal()).context;
        let x = x.clone() + self.down.forward(activation::gelu(self.up.forward(x)));
        let [batch, length, _] = x.dims();
        loss_config().forward(self.head.forward(x).reshape([batch * length, 12]), targets)
    }
}

impl Split<A> {
    fn new(whole: Whole<A>, group: &Communicator) -> Outcome<Self> {
        Ok(Split {
            embedding: ParallelEmbedding::from_embedding(whole.embedding, group)?,
            attention: ParallelMultiHeadAttention::from_attention(whole.attention, group)?,
            up: ColumnParallelLinear::from_linear(whole.up, group)?,
            down: RowParallelLinear::from_linear(whole.down, group)?,
            head: ColumnParallelLinear::from_linear(whole.head, group)?,
        })
    }

    fn loss(
        &self,
        tokens: Tensor<A, 2, Int>,
        targets: Tensor<A, 1, Int>,
        group: &Communicator,
    ) -> Outcome<Tensor<A, 1>> {
        let x = self.embedding.try_forward(tokens)?;
        let x = x.clone() + self.attention.try_forward(MhaInput::self_attn(x).causal())?.context;
        let x = x.clone() + self.down.try_forward(activation::gelu(self.up.try_forward(x)?))?;
        let [batch, length, _] = x.dims();
        let logits = self.head.try_forward(x)?.reshape([(batch * length) as i32, -1]);
        ParallelCrossEntropy::from_cross_entropy(&loss_config(), group)?.try_forward(logits, targets)
    }
}

fn tokens() -> (Tensor<A, 2, Int>, Tensor<A, 1, Int>) {
    let device = Default::default();
    let tokens = Tensor::from_data([[0, 5, 11, 7, 2], [4, 4, 9, 1, 6]], &device);
    // 3 is the padding token, 12 no class of any rank would be an error.
    (tokens, Tensor::from_data([5, 11, 3, 2, 0, 4, 9, 1, 3, 8], &device))
}

/// Losses of some steps of a module.
fn losses<M: AutodiffModule<A>>(
    mut module: M,
    loss: impl Fn(&M) -> Outcome<Tensor<A, 1>>,
) -> Outcome<Vec<f64>> {
    let mut optimizer = AdamWConfig::new().init();
    let mut losses = Vec::new();
    for _ in 0..50 {
        let loss = loss(&module)?;
        losses.push(loss.clone().into_scalar());
        let grads = GradientsParams::from_grads(loss.backward(), &module);
        module = optimizer.step(1e-2, module, grads);
    }
    Ok(losses)
}

pub fn largest_difference(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

#[test]
fn x_505_losses_of_split_layers_are_those_of_whole_ones() {
    let whole = Whole::new();
    let (tokens, targets) = tokens();
    let expected = losses(whole.clone(), |model| Ok(model.loss(tokens.clone(), targets.clone()))).unwrap();
    assert!(expected[49] < 0.7 * expected[0], "{expected:?}");
    for ranks in RANKS {
        let results = run(ranks, |group| {
            // Only the layers of rank 0 count.
            let own = if group.rank() == 0 { whole.clone() } else { Whole::new() };
            losses(Split::new(own, group)?, |model| model.loss(tokens.clone(), targets.clone(), group))
        });
        for result in results {
            let error = largest_difference(&result, &expected);
            assert!(error < 1e-10, "{ranks} ranks: {error}");
        }
    }
}

/// Gradient of a parameter.
fn slope<const D: usize>(
    param: &Param<Tensor<A, D>>,
    grads: &<A as burn::tensor::backend::AutodiffBackend>::Gradients,
) -> Tensor<B, D> {
    param.val().grad(grads).expect("the loss depends on it")
}

#[test]
fn x_505_gradients_of_weights_are_parts_of_those_of_whole_layers() {
    let whole = Whole::new();
    let (tokens, targets) = tokens();
    let grads = whole.loss(tokens.clone(), targets.clone()).backward();
    for ranks in RANKS {
        let results = run(ranks, |group| {
            let split = Split::new(whole.clone(), group)?;
            let own = split.loss(tokens.clone(), targets.clone(), group)?.backward();
            let matrix = |found: Tensor<B, 2>, expected: Tensor<B, 2>, dim: usize| {
                let size = found.dims()[dim];
                let part = expected.narrow(dim, group.rank() * size, size);
                largest_difference(&values(found), &values(part))
            };
            let attention = &split.attention.heads;
            Ok([
                matrix(slope(&split.embedding.part.weight, &own), slope(&whole.embedding.weight, &grads), 0),
                matrix(slope(&attention.query.weight, &own), slope(&whole.attention.query.weight, &grads), 1),
                matrix(slope(&attention.key.weight, &own), slope(&whole.attention.key.weight, &grads), 1),
                matrix(
                    slope(&attention.output.weight, &own),
                    slope(&whole.attention.output.weight, &grads),
                    0,
                ),
                matrix(slope(&split.up.weight, &own), slope(&whole.up.weight, &grads), 1),
                matrix(slope(&split.down.weight, &own), slope(&whole.down.weight, &grads), 0),
                matrix(slope(&split.head.weight, &own), slope(&whole.head.weight, &grads), 1),
            ])
        });
        for errors in results {
            assert!(errors.iter().all(|error| *error < 1e-10), "{ranks} ranks: {errors:?}");
        }
    }
}

#[test]
fn x_505_outputs_and_gradients_of_inputs_are_those_of_whole_layers() {
    let whole = Whole::new();
    let input = table(6, 8, 3).reshape([2, 3, 8]);
    let outputs = |x: &Tensor<A, 3>, y: Tensor<A, 3>| {
        let grads = (y.clone() * y.clone()).sum().backward();
        let slope: Tensor<B, 3> = x.grad(&grads).expect("the loss depends on it");
        [values(y.inner()), values(slope)]
    };
    let leaf = || Tensor::<A, 3>::from_inner(input.clone()).require_grad();
    let x = leaf();
    let mlp = outputs(&x, whole.down.forward(activation::tanh(whole.up.forward(x.clone()))));
    let x = leaf();
    let cross = MhaInput::new(x.clone(), x.clone() * 0.5, x.clone() + 1.0);
    let attention = outputs(&x, whole.attention.forward(cross).context);
    let x = leaf();
    let head = outputs(&x, whole.head.forward(x.clone()));
    for ranks in RANKS {
        let results = run(ranks, |group| {
            let split = Split::new(whole.clone(), group)?;
            let x = leaf();
            let y = split.down.try_forward(activation::tanh(split.up.try_forward(x.clone())?))?;
            let own_mlp = outputs(&x, y);
            let x = leaf();
            let cross = MhaInput::new(x.clone(), x.clone() * 0.5, x.clone() + 1.0);
            let own_attention = outputs(&x, split.attention.try_forward(cross)?.context);
            let x = leaf();
            let own_head = outputs(&x, split.head.gather(split.head.try_forward(x.clone())?)?);
            Ok([own_mlp, own_attention, own_head])
        });
        for found in results {
            for (found, expected) in
                found.iter().flatten().zip([&mlp, &attention, &head].into_iter().flatten())
            {
                let error = largest_difference(found, expected);
                assert!(error < 1e-10, "{ranks} ranks: {error}");
            }
        }
    }
}

#[test]
fn x_505_whole_layers_come_back_from_their_parts_to_the_last_bit() {
    let whole = Whole::new();
    let numbers = |model: &Whole<A>| {
        let attention = &model.attention;
        let linears =
            [&attention.query, &attention.value, &attention.output, &model.up, &model.down, &model.head];
        let mut all = values(model.embedding.weight.val().inner());
        for linear in linears {
            all.extend(values(linear.weight.val().inner()));
            all.extend(values(linear.bias.as_ref().unwrap().val().inner()));
        }
        all
    };
    for ranks in RANKS {
        let results = run(ranks, |group| {
            let split = Split::new(whole.clone(), group)?;
            let back = Whole {
                embedding: split.embedding.to_embedding()?,
                attention: split.attention.to_attention()?,
                up: split.up.to_linear()?,
                down: split.down.to_linear()?,
                head: split.head.to_linear()?,
            };
            assert_eq!(back.embedding.padding_idx, Some(7));
            assert_eq!((back.attention.n_heads, back.attention.n_key_value_heads), (8, 4));
            Ok(numbers(&back))
        });
        for result in results {
            assert_eq!(bits(&result), bits(&numbers(&whole)));
        }
    }
}

#[test]
fn x_505_cross_entropy_of_large_logits_is_finite_and_that_of_whole_logits() {
    let device = Default::default();
    let logits = table(5, 8, 9) * 1e4;
    let targets = || Tensor::<B, 1, Int>::from_data([0, 3, 4, 7, 5], &device);
    let config = CrossEntropyLossConfig::new();
    let expected = config.init(&device).forward(logits.clone(), targets()).into_scalar();
    for ranks in RANKS {
        let losses = run(ranks, |group| {
            let part = 8 / group.world_size();
            let own = logits.clone().narrow(1, group.rank() * part, part);
            let loss = ParallelCrossEntropy::from_cross_entropy(&config.init::<B>(&device), group)?;
            Ok(loss.try_forward(own, targets())?.into_scalar())
        });
        for loss in losses {
            assert!((loss - expected).abs() < 1e-10 * expected, "{loss} and {expected}");
        }
    }
}

/// Errors of all ranks.
fn texts<T>(ranks: usize, program: impl Fn(&Communicator) -> Outcome<T> + Sync) -> Vec<String> {
    let text = |group: Communicator| program(&group).map(drop).unwrap_err().to_string();
    Local::run(ranks, text).unwrap()
}

#[test]
fn x_505_sizes_that_ranks_do_not_divide_are_named_with_both_numbers() {
    fn check<T>(expected: &str, program: impl Fn(&Communicator, Whole<A>) -> Outcome<T> + Sync) {
        for text in texts(3, |group| program(group, Whole::new())) {
            assert!(text.contains(expected), "{text}");
        }
    }
    check("gave a wrong d_output; expected a size that 3 ranks divide, got 16", |group, whole| {
        ColumnParallelLinear::from_linear(whole.up, group)
    });
    check("gave a wrong d_input; expected a size that 3 ranks divide, got 8", |group, whole| {
        RowParallelLinear::from_linear(whole.up, group)
    });
    check("gave a wrong n_heads; expected a size that 3 ranks divide, got 8", |group, whole| {
        ParallelMultiHeadAttention::from_attention(whole.attention, group)
    });
    check("gave a wrong n_embedding; expected a size that 3 ranks divide, got 10", |group, _| {
        let layer: Embedding<B> = EmbeddingConfig::new(10, 2).init(&Default::default());
        ParallelEmbedding::from_embedding(layer, group)
    });
}

#[test]
fn x_505_wrong_inputs_of_split_layers_are_errors_on_every_rank() {
    let layer = || -> Linear<B> { LinearConfig::new(4, 4).init(&Default::default()) };
    // Rank 1 has another input; the others get its error in the call that they are in.
    let results = Local::run(2, |group| {
        let row = RowParallelLinear::from_linear(layer(), &group)?;
        let width = if group.rank() == 1 { 3 } else { 2 };
        row.try_forward(Tensor::<B, 2>::ones([1, width], &Default::default())).map(drop)
    })
    .unwrap();
    let Err(CollectiveError::Tensor { operation, rank: 1, .. }) = &results[1] else {
        panic!("{:?}", results[1]);
    };
    assert_eq!(operation, "RowParallelLinear");
    let text = results[0].as_ref().unwrap_err().to_string();
    assert!(text.contains("rank 1 failed: RowParallelLinear: rank 1 gave wrong tensors"), "{text}");

    let unknown = texts(2, |group| {
        let layer: Embedding<B> = EmbeddingConfig::new(4, 2).init(&Default::default());
        let layer = ParallelEmbedding::from_embedding(layer, group)?;
        layer.try_forward(Tensor::<B, 2, Int>::from_data([[0, 4]], &Default::default())).map(drop)
    });
    for text in unknown {
        assert!(text.contains("ParallelEmbedding") && text.contains("index"), "{text}");
    }
    let weights = texts(2, |group| {
        let config = CrossEntropyLossConfig::new().with_weights(Some(vec![1.0, 2.0]));
        ParallelCrossEntropy::from_cross_entropy(&config.init::<B>(&Default::default()), group)
    });
    assert!(weights[0].contains("wrong weights; expected no class weights"), "{}", weights[0]);
}
