//! Attention, transformers and position encodings: closed forms, caches, and what does not fit.

use crate::counting::live_bytes;
use crate::expect::{exactly, nearly, panics};
use crate::given::{B, CPU, bool, float};
use burn::backend::{Autodiff, NdArray};
use burn::module::{AutodiffModule, Initializer, Module, Param};
use burn::nn::attention::*;
use burn::nn::transformer::*;
use burn::nn::{Linear, PositionalEncodingConfig, RotaryEncodingConfig};
use burn::tensor::backend::Backend;
use burn::tensor::{Bool, Distribution, Int, Tensor};

fn random<const D: usize>(shape: [usize; D]) -> Tensor<NdArray<f64>, D> {
    Tensor::random(shape, Distribution::Normal(0.0, 1.0), CPU)
}

/// One head that looks at all keys alike: the context is the mean of the values that are seen.
fn mean_of_values() -> MultiHeadAttention<B> {
    let config = MultiHeadAttentionConfig::new(2, 1).with_bias(false).with_initializer(Initializer::Zeros);
    let same = || Linear::new(Param::from_data([[1.0, 0.0], [0.0, 1.0]], CPU), None);
    MultiHeadAttention { value: same(), output: same(), ..config.init(CPU) }
}

fn values() -> Tensor<B, 3> {
    float([[[1.0, 10.0], [3.0, 20.0], [8.0, 60.0]]])
}

#[test]
fn nn_029_attention_to_equal_keys_is_the_mean_of_their_values() {
    let (layer, input) = (mean_of_values(), MhaInput::self_attn(values()));
    nearly(layer.forward(input.clone()).context, [[[4.0, 30.0]; 3]]);
    let pad = bool([[false, false, true]]);
    nearly(layer.forward(input.clone().mask_pad(pad.clone())).context, [[[2.0, 15.0]; 3]]);
    let running = [[[1.0, 10.0], [2.0, 15.0], [4.0, 30.0]]];
    nearly(layer.forward(input.clone().causal()).context, running);
    let mask = generate_autoregressive_mask::<B>(1, 3, CPU);
    nearly(layer.forward(input.clone().mask_attn(mask)).context, running);
    let both = [[[1.0, 10.0], [2.0, 15.0], [2.0, 15.0]]];
    nearly(layer.forward(input.clone().mask_pad(pad.clone()).causal()).context, both);
    // Scores are 0, so an added ln 2 doubles the weight of the first key.
    let added = float([[[[2.0_f64.ln(), 0.0, 0.0]]]]);
    nearly(layer.forward(input.clone().mask_add(added)).context, [[[3.25, 25.0]; 3]]);
    let weights = layer.forward(input.mask_pad(pad).need_weights()).weights.expect("they were asked for");
    nearly(weights, [[[[0.5, 0.5, 0.0]; 3]]]);
}

#[test]
fn nn_029_attention_of_a_query_without_keys_is_zero() {
    let (layer, hidden) = (mean_of_values(), bool([[true, true, true]]));
    let input = MhaInput::self_attn(values()).mask_pad(hidden);
    exactly(layer.forward(input.clone()).context, [[[0.0, 0.0]; 3]]);
    let output = layer.forward(input.need_weights());
    exactly(output.context, [[[0.0, 0.0]; 3]]);
    exactly(output.weights.expect("they were asked for"), [[[[0.0; 3]; 3]]]);
}

#[test]
fn nn_029_quiet_softmax_counts_one_more_key_of_zero() {
    let layer = MultiHeadAttention { quiet_softmax: true, ..mean_of_values() };
    nearly(layer.forward(MhaInput::self_attn(values())).context, [[[3.0, 22.5]; 3]]);
    let running = [[[0.5, 5.0], [4.0 / 3.0, 10.0], [3.0, 22.5]]];
    nearly(layer.forward(MhaInput::self_attn(values()).causal()).context, running);
}

#[test]
fn nn_029_dropout_zeroes_attention_weights_in_training_alone() {
    type Tracked = Autodiff<NdArray>;
    let config = MultiHeadAttentionConfig::new(2, 1).with_dropout(0.5).with_initializer(Initializer::Zeros);
    let layer: MultiHeadAttention<Tracked> = config.init(CPU);
    let x = Tensor::<Tracked, 3>::ones([4, 16, 2], CPU);
    let weights = layer.forward(MhaInput::self_attn(x.clone()).need_weights()).weights.expect("asked for");
    let weights = weights.into_data().to_f64();
    // Each was 1/16, and is 0 or twice as much.
    assert!(weights.iter().all(|&weight| weight == 0.0 || weight == 0.125));
    let share = weights.iter().filter(|&&weight| weight == 0.0).count() as f64 / weights.len() as f64;
    assert!((share - 0.5).abs() < 0.1, "{share}");
    let valid = layer.valid().forward(MhaInput::self_attn(x.inner()).need_weights());
    exactly(valid.weights.expect("asked for"), [[[[0.0625; 16]; 16]]; 4]);
}

#[test]
fn nn_029_encoder_without_weights_is_its_norms() {
    let config = TransformerEncoderConfig::new(2, 4, 1, 2).with_initializer(Initializer::Zeros);
    let input = || TransformerEncoderInput::<B>::new(float([[[1.0, 3.0], [5.0, 1.0]]]));
    let pre = config.clone().with_norm_first(true);
    exactly(pre.init(CPU).forward(input()), [[[1.0, 3.0], [5.0, 1.0]]]);
    let normed = [[[-1.0, 1.0], [1.0, -1.0]]];
    nearly(pre.with_final_norm(true).with_layer_norm_eps(1e-12).init(CPU).forward(input()), normed);
    nearly(config.with_layer_norm_eps(1e-12).init(CPU).forward(input()), normed);
}

#[test]
fn nn_029_decoder_without_weights_is_its_norms() {
    let config = TransformerDecoderConfig::new(2, 4, 1, 2).with_initializer(Initializer::Zeros);
    let input = || {
        TransformerDecoderInput::<B>::new(float([[[1.0, 3.0], [5.0, 1.0]]]), Tensor::ones([1, 4, 2], CPU))
            .causal()
    };
    exactly(config.clone().with_norm_first(true).init(CPU).forward(input()), [[[1.0, 3.0], [5.0, 1.0]]]);
    nearly(config.with_layer_norm_eps(1e-12).init(CPU).forward(input()), [[[-1.0, 1.0], [1.0, -1.0]]]);
}

/// `decode` of the positions in these steps gives what `all` has.
fn decodes<Bk: Backend>(
    all: Tensor<Bk, 3>,
    steps: &[usize],
    mut decode: impl FnMut(usize, usize) -> Tensor<Bk, 3>,
) {
    let mut start = 0;
    for &count in steps {
        let expected = all.clone().narrow(1, start, count);
        let found = decode(start, count);
        assert!(
            found.clone().all_close(expected.clone(), Some(0.0), Some(1e-12)),
            "{start}: {found} {expected}"
        );
        start += count;
    }
    assert_eq!(start, all.dims()[1]);
}

#[test]
fn nn_029_attention_with_a_cache_is_that_of_the_whole_sequence() {
    let x = random([2, 6, 8]);
    let pad = Tensor::<NdArray<f64>, 2, Bool>::from_data(
        [[true, true, false, false, false, false], [false, false, false, false, false, true]],
        CPU,
    );
    for (key_heads, quiet, rotary, padded) in [
        (4, false, false, false),
        (2, false, true, false),
        (1, true, false, true),
        (4, true, true, false),
        (2, false, false, true),
    ] {
        let config = MultiHeadAttentionConfig::new(8, 4).with_n_key_value_heads(Some(key_heads));
        let layer: MultiHeadAttention<NdArray<f64>> = config.with_quiet_softmax(quiet).init(CPU);
        let positions = RotaryEncodingConfig::new(6, 2).init(CPU);
        let input = |start: usize, count: usize| {
            let mut input = MhaInput::self_attn(x.clone().narrow(1, start, count)).causal();
            if rotary {
                input = input.rotary(&positions);
            }
            if padded {
                input = input.mask_pad(pad.clone().narrow(1, start, count));
            }
            input
        };
        let all = layer.forward(input(0, 6)).context;
        for steps in [&[1, 1, 1, 1, 1, 1][..], &[3, 1, 2], &[6]] {
            let mut cache = MhaCache::autoregressive(6);
            decodes(all.clone(), steps, |start, count| {
                assert_eq!(cache.len(), start);
                layer.forward_cache(input(start, count), &mut cache).context
            });
        }
    }
}

#[test]
fn nn_029_encoder_and_decoder_with_caches_are_those_of_the_whole_sequence() {
    let (x, memory) = (random([2, 5, 8]), random([2, 3, 8]));
    let pad = Tensor::from_data([[false, false, true], [false, false, false]], CPU);
    for norm_first in [false, true] {
        let config = TransformerEncoderConfig::new(8, 16, 2, 2).with_norm_first(norm_first);
        let encoder: TransformerEncoder<NdArray<f64>> = config.with_gated_feed_forward(true).init(CPU);
        let all = encoder.forward(TransformerEncoderInput::new(x.clone()).causal());
        let mut cache = encoder.new_autoregressive_cache(5);
        decodes(all, &[2, 1, 1, 1], |start, count| {
            let x = TransformerEncoderInput::new(x.clone().narrow(1, start, count));
            encoder.forward_autoregressive_inference(x, &mut cache)
        });

        let config =
            TransformerDecoderConfig::new(8, 16, 2, 2).with_norm_first(norm_first).with_final_norm(true);
        let decoder: TransformerDecoder<NdArray<f64>> = config.init(CPU);
        let input = |start, count| {
            let input = TransformerDecoderInput::new(x.clone().narrow(1, start, count), memory.clone());
            input.memory_mask_pad(pad.clone())
        };
        let all = decoder.forward(input(0, 5).causal());
        let mut cache = decoder.new_autoregressive_cache(8);
        decodes(all, &[1, 3, 1], |start, count| {
            decoder.forward_autoregressive_inference(input(start, count), &mut cache)
        });
    }
}

#[test]
fn nn_029_cache_selects_sequences_and_starts_again() {
    let layer: MultiHeadAttention<NdArray<f64>> = MultiHeadAttentionConfig::new(4, 2).init(CPU);
    let x = random([2, 3, 4]);
    let part = |start, count| MhaInput::self_attn(x.clone().narrow(1, start, count)).causal();
    let mut cache = MhaCache::autoregressive(3);
    drop(layer.forward_cache(part(0, 2), &mut cache));
    let mut swapped = cache.clone();
    swapped.select(Tensor::<_, 1, Int>::from_data([1, 0], CPU));
    let turned = MhaInput::self_attn(x.clone().narrow(1, 2, 1).flip([0]));
    let expected = layer.forward(part(0, 3)).context.narrow(1, 2, 1);
    let found = layer.forward_cache(turned, &mut swapped).context.flip([0]);
    assert!(found.all_close(expected.clone(), Some(0.0), Some(1e-12)));
    let found = layer.forward_cache(part(2, 1), &mut cache).context;
    assert!(found.all_close(expected, Some(0.0), Some(1e-12)));
    cache.clear();
    assert!(cache.is_empty() && cache.capacity() == Some(3));
    let first = layer.forward_cache(part(0, 1), &mut cache).context;
    assert!(first.all_close(layer.forward(part(0, 1)).context, Some(0.0), Some(1e-12)));
}

#[test]
fn nn_029_cache_is_written_in_place() {
    // Keys and values take 2.9 MB each, which is below the size of blocks that the allocator does not count.
    let layer: MultiHeadAttention<B> = MultiHeadAttentionConfig::new(16, 1).init(CPU);
    let mut cache = MhaCache::autoregressive(45_000);
    let mut decode = || {
        let before = live_bytes();
        drop(layer.forward_cache(MhaInput::self_attn(Tensor::ones([1, 1, 16], CPU)), &mut cache));
        live_bytes() - before
    };
    let _allocated = decode();
    for _position in 1..8 {
        let grown = decode();
        assert!(grown < 1 << 20, "{grown}");
    }
    assert_eq!(cache.len(), 8);
}

#[test]
fn nn_029_calls_that_do_not_fit_name_the_layer_and_the_sizes() {
    let layer: MultiHeadAttention<B> = MultiHeadAttentionConfig::new(4, 2).init(CPU);
    let x = |batch, length, width| Tensor::<B, 3>::zeros([batch, length, width], CPU);
    let own = || MhaInput::self_attn(x(2, 3, 4));
    let failed = |input: MhaInput<B>| {
        let error = layer.try_forward(input.clone()).map(drop).expect_err("it does not fit");
        let message = panics(|| layer.forward(input));
        assert!(error.to_string().starts_with(&message), "{error}");
        message
    };
    assert_eq!(
        failed(MhaInput::self_attn(x(2, 3, 5))),
        "multi_head_attention: wrong last dimension of the query; expected [batch, length, 4], got [2, 3, 5]"
    );
    assert_eq!(
        failed(MhaInput::new(x(2, 3, 4), x(2, 5, 4), x(2, 4, 4))),
        "multi_head_attention: query, key and value do not fit; expected one batch size, and as many values as \
         keys, got [2, 3, 4], [2, 5, 4] and [2, 4, 4]"
    );
    assert_eq!(
        failed(own().mask_pad(Tensor::zeros([2, 4], CPU))),
        "multi_head_attention: wrong shape of the padding mask; expected [2, 3], got [2, 4]"
    );
    assert_eq!(
        failed(own().mask_attn(Tensor::zeros([2, 3, 4], CPU))),
        "multi_head_attention: wrong shape of the attention mask; expected [2, 3, 3], got [2, 3, 4]"
    );
    assert_eq!(
        failed(own().mask_add(Tensor::zeros([2, 3, 3, 3], CPU))),
        "multi_head_attention: wrong shape of the additive mask; expected [2, 2, 3, 3], got [2, 3, 3, 3]"
    );
    let mut cache = MhaCache::autoregressive(4);
    drop(layer.forward_cache(own(), &mut cache));
    assert_eq!(
        panics(|| layer.forward_cache(own(), &mut cache)),
        "multi_head_attention: the cache is full; expected at most 4 positions, got 3 cached and 3 more. Make the \
         cache with a larger capacity"
    );
    assert_eq!(
        panics(|| layer.forward_cache(MhaInput::self_attn(x(3, 1, 4)), &mut cache)),
        "multi_head_attention: wrong batch size for the cache; expected 2, got 3"
    );
    drop(layer.forward_cache(MhaInput::self_attn(x(2, 1, 4)), &mut cache));
    assert_eq!(cache.len(), 4);
    let encoder: TransformerEncoder<B> = TransformerEncoderConfig::new(4, 8, 2, 2).init(CPU);
    let mask = TransformerEncoderInput::new(x(2, 3, 4)).mask_pad(Tensor::zeros([3, 2], CPU));
    assert_eq!(
        panics(|| encoder.forward(mask)),
        "transformer_encoder: wrong shape of the padding mask; expected [2, 3], got [3, 2]"
    );
    let mut other = TransformerEncoderConfig::new(4, 8, 2, 1).init::<B>(CPU).new_autoregressive_cache(4);
    assert_eq!(
        panics(
            || encoder.forward_autoregressive_inference(TransformerEncoderInput::new(x(2, 3, 4)), &mut other)
        ),
        "transformer_encoder: the cache is of 1 layers; expected 2"
    );
    let decoder: TransformerDecoder<B> = TransformerDecoderConfig::new(4, 8, 2, 1).init(CPU);
    assert_eq!(
        panics(|| decoder.forward(TransformerDecoderInput::new(x(2, 3, 4), x(2, 3, 6)))),
        "transformer_decoder: wrong last dimension of the memory; expected [batch, length, 4], got [2, 3, 6]"
    );
}

#[test]
fn nn_030_positional_encoding_adds_sines_and_cosines() {
    let layer =
        PositionalEncodingConfig::new(4).with_max_sequence_size(3).with_max_timescale(100).init::<B>(CPU);
    let row = |p: f64| [p.sin(), p.cos(), (p / 10.0).sin(), (p / 10.0).cos()];
    nearly(layer.forward(Tensor::zeros([1, 3, 4], CPU)), [[row(0.0), row(1.0), row(2.0)]]);
    nearly(layer.apply(Tensor::zeros([1, 1, 4], CPU), 2), [[row(2.0)]]);
    assert_eq!(layer.num_params(), 0);
    assert_eq!(
        panics(|| layer.apply(Tensor::zeros([1, 2, 4], CPU), 2)),
        "positional_encoding: the sequence is too long; expected at most 3 positions (max_sequence_size), got 2 from \
         2 on"
    );
    assert_eq!(
        panics(|| layer.forward(Tensor::zeros([1, 2, 5], CPU))),
        "positional_encoding: wrong last dimension of the input; expected [.., 4], got [1, 2, 5]"
    );
}

#[test]
fn nn_031_rotary_encoding_turns_pairs_by_their_position() {
    let config = RotaryEncodingConfig::new(8, 4).with_theta(100.0);
    let x = float::<2>([[1.0, 0.0, 0.0, 2.0], [1.0, 0.0, 0.0, 2.0]]);
    let row = |p: f64| [p.cos(), p.sin(), -2.0 * (p / 10.0).sin(), 2.0 * (p / 10.0).cos()];
    let layer = config.init::<B>(CPU);
    nearly(layer.forward(x.clone()), [row(0.0), row(1.0)]);
    nearly(layer.apply(x.clone(), 5), [row(5.0), row(6.0)]);
    let slower = config.init_with_frequency_scaling::<B>(&|frequency| frequency / 2.0, CPU);
    nearly(slower.apply(x.clone(), 3), [row(1.5), row(2.0)]);
    // Pairs of the first and the second half: the same angles for elements 0 and 2, 1 and 3.
    let halves = config.clone().with_interleaved(false).init::<B>(CPU);
    let p = 3.0_f64;
    let turned = [p.cos(), -2.0 * (p / 10.0).sin(), p.sin(), 2.0 * (p / 10.0).cos()];
    nearly(halves.apply(x.clone().narrow(0, 0, 1), 3), [turned]);
    // Products depend on the distance alone.
    let dot = |a, b| (layer.apply(x.clone(), a) * layer.apply(x.clone(), b)).sum().into_scalar();
    assert!((dot(0, 2) - dot(4, 6)).abs() < 1e-5);
    assert_eq!(
        panics(|| layer.apply(x.clone(), 7)),
        "rotary_encoding: the sequence is too long; expected at most 8 positions (max_sequence_length), got 2 from 7 on"
    );
    assert_eq!(
        panics(|| layer.forward(Tensor::<B, 2>::zeros([2, 6], CPU))),
        "rotary_encoding: wrong last dimension of the input; expected [.., 4], got [2, 6]"
    );
}

#[test]
fn nn_032_position_wise_feed_forward_takes_any_rank() {
    fn forward<Bk: Backend, const D: usize>(
        layer: &PositionWiseFeedForward<Bk>,
        x: Tensor<Bk, D>,
    ) -> Tensor<Bk, D> {
        layer.forward(x)
    }
    let config = PositionWiseFeedForwardConfig::new(2, 3)
        .with_activation(FeedForwardActivation::Relu)
        .with_bias(false);
    let layer = config.clone().with_initializer(Initializer::Constant { value: 2.0 }).init::<B>(CPU);
    // Each hidden element is 2 (1 + 2), each output the sum of three of them times 2.
    exactly(forward(&layer, float::<1>([1.0, 2.0])), [36.0, 36.0]);
    exactly(forward(&layer, float::<3>([[[1.0, 2.0]], [[-1.0, -2.0]]])), [[[36.0, 36.0]], [[0.0, 0.0]]]);
    let gated = config.with_gated(true).with_initializer(Initializer::Ones).init::<B>(CPU);
    exactly(forward(&gated, float::<2>([[1.0, 2.0]])), [[27.0, 27.0]]);
}

#[test]
fn x_201_cross_attention_reads_a_context_of_another_width() {
    let config = CrossAttentionConfig::new(2, 3, 1).with_bias(false).with_initializer(Initializer::Zeros);
    let layer: CrossAttention<B> = config.init(CPU);
    let value = Linear::new(Param::from_data([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], CPU), None);
    let output = Linear::new(Param::from_data([[1.0, 0.0], [0.0, 1.0]], CPU), None);
    let layer = CrossAttention { attention: MultiHeadAttention { value, output, ..layer.attention } };
    let context = || float::<3>([[[1.0, 2.0, 3.0], [3.0, 6.0, 5.0]]]);
    let query = || Tensor::ones([1, 2, 2], CPU);
    nearly(layer.forward(query(), context(), None), [[[6.0, 8.0]; 2]]);
    let pad = || Some(bool([[false, true]]));
    nearly(layer.forward(query(), context(), pad()), [[[4.0, 5.0]; 2]]);
    // The cache has the context of the first call.
    let mut cache = layer.new_cache();
    nearly(layer.forward_cache(query(), context(), pad(), &mut cache), [[[4.0, 5.0]; 2]]);
    nearly(layer.forward_cache(query(), Tensor::zeros([1, 2, 3], CPU), None, &mut cache), [[[6.0, 8.0]; 2]]);
    let config = CrossAttentionConfig::new(4, 3, 2).with_n_key_value_heads(Some(1)).with_quiet_softmax(true);
    let quiet: CrossAttention<NdArray<f64>> = config.init(CPU);
    let (x, context, mut cache) = (random([2, 3, 4]), random([2, 5, 3]), quiet.new_cache());
    let pad = || Some(Tensor::from_data([[false, false, false, true, true], [false; 5]], CPU));
    decodes(quiet.forward(x.clone(), context.clone(), pad()), &[1, 2], |start, count| {
        quiet.forward_cache(x.clone().narrow(1, start, count), context.clone(), pad(), &mut cache)
    });
    assert_eq!(
        panics(|| layer.forward(query(), Tensor::zeros([1, 2, 4], CPU), None)),
        "cross_attention: wrong last dimension of the key; expected [batch, length, 3], got [1, 2, 4]"
    );
}

#[test]
fn x_201_grouped_query_attention_is_attention_with_repeated_heads() {
    let config = MultiHeadAttentionConfig::new(8, 4);
    let grouped = config.clone().with_n_key_value_heads(Some(2)).init::<NdArray<f64>>(CPU);
    assert_eq!(grouped.key.weight.dims(), [8, 4]);
    let repeated = |linear: &Linear<NdArray<f64>>| {
        let weight = linear.weight.val().reshape([8, 2, 1, 2]).repeat_dim(2, 2).reshape([8, 8]);
        let bias =
            linear.bias.as_ref().expect("a bias").val().reshape([2, 1, 2]).repeat_dim(1, 2).reshape([8]);
        Linear::new(Param::from_tensor(weight), Some(Param::from_tensor(bias)))
    };
    let full = MultiHeadAttention {
        query: grouped.query.clone(),
        key: repeated(&grouped.key),
        value: repeated(&grouped.value),
        output: grouped.output.clone(),
        ..config.init(CPU)
    };
    let input = MhaInput::self_attn(random([2, 5, 8])).causal();
    let (few, many) = (grouped.forward(input.clone()).context, full.forward(input).context);
    assert!(few.all_close(many, Some(0.0), Some(1e-12)));
}

#[test]
fn x_211_configs_of_attention_refuse_sizes_that_cannot_be() {
    fn refused<T, E: ToString>(result: Result<T, E>, message: &str) {
        assert_eq!(result.err().expect(message).to_string(), message);
    }
    let config = MultiHeadAttentionConfig::new(6, 4);
    refused(
        config.try_init::<B>(CPU),
        "MultiHeadAttentionConfig: invalid `n_heads`; expected a divisor of d_model, 6, got 4",
    );
    let config = MultiHeadAttentionConfig::new(8, 4).with_n_key_value_heads(Some(3));
    refused(
        config.try_init::<B>(CPU),
        "MultiHeadAttentionConfig: invalid `n_key_value_heads`; expected a divisor of n_heads, 4, got 3",
    );
    let config = MultiHeadAttentionConfig::new(8, 4).with_d_key(Some(0));
    refused(
        config.try_init::<B>(CPU),
        "MultiHeadAttentionConfig: invalid `d_key`; expected at least 1, got 0",
    );
    let config = CrossAttentionConfig::new(8, 0, 4);
    refused(
        config.try_init::<B>(CPU),
        "CrossAttentionConfig: invalid `d_context`; expected at least 1, got 0",
    );
    let config = TransformerEncoderConfig::new(8, 16, 0, 1);
    refused(
        config.try_init::<B>(CPU),
        "TransformerEncoderConfig: invalid `n_heads`; expected at least 1, got 0",
    );
    let config = TransformerEncoderConfig::new(8, 16, 2, 1).with_dropout(1.5);
    refused(
        config.try_init::<B>(CPU),
        "TransformerEncoderConfig: invalid `dropout`; expected a number in [0, 1], got 1.5",
    );
    let config = TransformerDecoderConfig::new(8, 16, 2, 0);
    refused(
        config.try_init::<B>(CPU),
        "TransformerDecoderConfig: invalid `n_layers`; expected at least 1, got 0",
    );
    let config = PositionWiseFeedForwardConfig::new(8, 0);
    refused(
        config.try_init::<B>(CPU),
        "PositionWiseFeedForwardConfig: invalid `d_ff`; expected at least 1, got 0",
    );
    let config = PositionalEncodingConfig::new(5);
    refused(
        config.try_init::<B>(CPU),
        "PositionalEncodingConfig: invalid `d_model`; expected an even number of at least 2, got 5",
    );
    let config = RotaryEncodingConfig::new(8, 4).with_theta(0.0);
    refused(
        config.try_init::<B>(CPU),
        "RotaryEncodingConfig: invalid `theta`; expected a finite number above 0, got 0.0",
    );
}
