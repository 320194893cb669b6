use crate::fixture::{B, FAMILIES, check, load};
use burn_core::tensor::activation::log_softmax;
use burn_core::tensor::quantization::BlockFormat;
use burn_core::tensor::{DType, Tensor, TensorData};
use burn_lm::{CacheDtype, KvCache, LanguageModel, LanguageModelConfig, LmError, SequenceId};

#[test]
fn x_603_prefill_in_pieces_and_single_tokens_give_the_same_logits() {
    for name in FAMILIES {
        let fixture = load(name);
        let mut cache = KvCache::new(&fixture.model, 64).unwrap();
        let sequence = cache.start(&fixture.tokens, fixture.tokens.len()).unwrap();
        let mut logits: Vec<f32> = Vec::new();
        let pieces = [0..7, 7..15, 15..19, 19..20, 20..21, 21..22];
        for piece in pieces {
            let tokens = &fixture.tokens[piece];
            let hidden = fixture.model.decode(&[(sequence, tokens)], &mut cache).unwrap();
            logits.extend(fixture.model.logits(hidden).into_data().to_vec::<f32>().unwrap());
        }
        check(name, &logits, &fixture.logits);
    }
}

#[test]
fn keys_and_values_of_half_precision_move_logits_by_their_rounding() {
    for name in FAMILIES {
        let fixture = load(name);
        let largest = fixture.logits.iter().fold(1.0_f32, |most, x| most.max(x.abs()));
        // Keys and values are rounded by a part in 2^11, and by one in 2^8.
        for (dtype, part) in [(DType::F16, 4e-3), (DType::BF16, 3.2e-2)] {
            let mut cache = KvCache::with_dtype(&fixture.model, 64, dtype).unwrap();
            let sequence = cache.start(&fixture.tokens, fixture.tokens.len()).unwrap();
            let mut logits: Vec<f32> = Vec::new();
            for piece in [0..12, 12..17, 17..19, 19..20, 20..21, 21..22] {
                let steps = [(sequence, &fixture.tokens[piece])];
                let hidden = fixture.model.decode(&steps, &mut cache).unwrap();
                assert_eq!(hidden.dtype(), DType::F32);
                logits.extend(fixture.model.logits(hidden).into_data().to_vec::<f32>().unwrap());
            }
            let pairs = logits[logits.len() - fixture.logits.len()..].iter().zip(&fixture.logits);
            let moved = pairs.fold(0.0_f32, |most, (x, y)| most.max((x - y).abs()));
            assert!(moved > 1e-6 && moved <= part * largest, "{name} {dtype}: {moved} of {largest}");
        }
        assert!(KvCache::with_dtype(&fixture.model, 64, DType::I32).is_err());
    }
}

#[test]
fn x_603_sequences_in_one_call_do_not_see_each_other() {
    for name in ["gemma2", "gpt2", "mistral"] {
        let fixture = load(name);
        let mut cache = KvCache::new(&fixture.model, 256).unwrap();
        let others: Vec<u32> = fixture.tokens.iter().rev().copied().collect();
        let first = cache.start(&others, 40).unwrap();
        let second = cache.start(&fixture.tokens, 40).unwrap();
        let third = cache.start(&others[..3], 40).unwrap();
        let model = &fixture.model;
        model.decode(&[(first, &others[..9]), (second, &fixture.tokens[..12])], &mut cache).unwrap();
        let steps = [(third, &others[..3]), (second, &fixture.tokens[12..]), (first, &others[9..10])];
        let hidden = model.decode(&steps, &mut cache).unwrap();
        let rows = hidden.narrow(0, 3 + 10 - 3, 3);
        check(name, &model.logits(rows).into_data().to_vec().unwrap(), &fixture.logits);
        assert_eq!([first, second, third].map(|sequence| cache.len(sequence)), [10, 22, 3]);
    }
}

#[test]
fn x_603_a_shared_prefix_is_not_computed_again() {
    let fixture = load("qwen3");
    let model = &fixture.model;
    let mut cache = KvCache::new(model, 192).unwrap();
    let prompt: Vec<u32> = (0..42).map(|position| 3 + position * 7 % 40).collect();
    let alone = cache.start(&prompt, 48).unwrap();
    let hidden = model.decode(&[(alone, &prompt)], &mut cache).unwrap();
    let expected = model.logits(hidden.narrow(0, 41, 1)).into_data().to_vec::<f32>().unwrap();
    // While the first sequence runs, and after it has ended.
    for _turn in 0..2 {
        let shared = cache.start(&prompt, 48).unwrap();
        assert_eq!(cache.len(shared), 32);
        let hidden = model.decode(&[(shared, &prompt[32..])], &mut cache).unwrap();
        check("qwen3", &model.logits(hidden).into_data().to_vec().unwrap(), &expected);
        cache.finish(shared);
        cache.finish(alone);
    }
    // Other tokens share nothing.
    let mut other = prompt.clone();
    other[0] += 1;
    let other = cache.start(&other, 48).unwrap();
    assert_eq!(cache.len(other), 0);
}

#[test]
fn x_603_a_full_cache_and_wrong_calls_are_errors_that_change_nothing() {
    let fixture = load("llama");
    let model = &fixture.model;
    let mut cache = KvCache::new(model, 64).unwrap();
    let first = cache.start(&[3, 4], 40).unwrap();
    let error = cache.start(&[3], 1).unwrap_err();
    assert!(matches!(error, LmError::CacheFull { needed: 32, free: 0 }), "{error}");
    let error = cache.start(&[3; 65], 65).unwrap_err().to_string();
    assert!(error.contains("64") && error.contains("65"), "{error}");
    assert!(cache.start(&[], 4).is_err());
    let error = model.decode(&[(first, &[3, 48])], &mut cache).unwrap_err().to_string();
    assert!(error.contains("expected tokens below 48, got 48"), "{error}");
    assert!(model.decode(&[(first, &[3; 41])], &mut cache).is_err());
    assert!(model.decode(&[(first, &[3]), (first, &[3])], &mut cache).is_err());
    assert!(model.decode(&[], &mut cache).is_err());
    assert_eq!(cache.len(first), 0);
    cache.finish(first);
    assert!(model.decode(&[(first, &[3])], &mut cache).is_err());
    assert_eq!(cache.available(), 64);
}

#[test]
fn truncated_sequences_continue_as_if_the_rest_had_not_been() {
    let fixture = load("gemma3");
    let (model, tokens) = (&fixture.model, &fixture.tokens);
    let mut cache = KvCache::new(model, 64).unwrap();
    let sequence = cache.start(tokens, 64).unwrap();
    model.decode(&[(sequence, &tokens[..10])], &mut cache).unwrap();
    model.decode(&[(sequence, &[7; 30])], &mut cache).unwrap();
    cache.truncate(sequence, 10).unwrap();
    let hidden = model.decode(&[(sequence, &tokens[10..])], &mut cache).unwrap();
    check("gemma3", &model.logits(hidden).into_data().to_vec().unwrap(), &fixture.logits);
    // The page that was written again is found under its new tokens alone.
    assert!(cache.truncate(sequence, 23).is_err());
}

/// Models with heads of whole blocks, by what they do with the keys.
fn with_blocks() -> [(&'static str, LanguageModel<B>); 3] {
    let config = LanguageModelConfig::new(50, 128, 3, 4, 96).with_n_key_value_heads(Some(2));
    let config = config.with_context_length(256);
    let window = config.clone().with_sliding_window(Some(40)).with_window_layers(vec![0, 2]);
    let cap = window.clone().with_attention_soft_cap(Some(2.0));
    [("plain", config), ("window", window), ("cap", cap)]
        .map(|(name, config)| (name, config.init(&Default::default()).unwrap()))
}

/// The log probabilities of all positions of a text, decoded in steps of these sizes.
fn decoded(
    model: &LanguageModel<B>,
    tokens: &[u32],
    (cache, sequence): (&mut KvCache<B>, SequenceId),
    sizes: &[usize],
) -> Vec<f32> {
    let (mut logs, mut sizes) = (Vec::new(), sizes.iter().cycle());
    while cache.len(sequence) < tokens.len() {
        let done = cache.len(sequence);
        let end = (done + sizes.next().unwrap()).min(tokens.len());
        let hidden = model.decode(&[(sequence, &tokens[done..end])], cache).unwrap();
        logs.extend(log_softmax(model.logits(hidden), 1).into_data().to_vec::<f32>().unwrap());
    }
    logs
}

fn text(length: usize) -> Vec<u32> {
    (0..length as u32).map(|position| (3 + position * position * 7) % 50).collect()
}

fn largest_difference(left: &[f32], right: &[f32]) -> f32 {
    assert_eq!(left.len(), right.len());
    left.iter().zip(right).fold(0.0, |most, (x, y)| most.max((x - y).abs()))
}

#[test]
fn x_603_keys_and_values_of_8_bits_move_log_probabilities_by_their_rounding() {
    for (name, model) in with_blocks() {
        let tokens = text(120);
        let [exact, rounded] = [CacheDtype::from(DType::F32), BlockFormat::Q8_0.into()].map(|dtype| {
            let mut cache = KvCache::with_dtype(&model, 128, dtype).unwrap();
            let sequence = cache.start(&tokens, 128).unwrap();
            decoded(&model, &tokens, (&mut cache, sequence), &[30, 8, 1, 1, 3, 1])
        });
        let moved = largest_difference(&exact, &rounded);
        assert!(moved > 1e-5 && moved < 0.02, "{name}: {moved}");
    }
}

#[test]
fn x_603_greedy_tokens_of_8_bits_are_those_of_f32_where_they_are_clear() {
    for (name, model) in with_blocks() {
        let mut cache = KvCache::new(&model, 96).unwrap();
        let (mut tokens, mut margins) = (text(20), Vec::new());
        let sequence = cache.start(&tokens, 96).unwrap();
        while tokens.len() < 90 {
            let new = tokens[cache.len(sequence)..].to_vec();
            let hidden = model.decode(&[(sequence, &new)], &mut cache).unwrap();
            let last = hidden.narrow(0, new.len() - 1, 1);
            let logits = model.logits(last).into_data().to_vec::<f32>().unwrap();
            let mut order: Vec<u32> = (0..50).collect();
            order.sort_by(|x, y| logits[*y as usize].total_cmp(&logits[*x as usize]));
            margins.push(logits[order[0] as usize] - logits[order[1] as usize]);
            tokens.push(order[0]);
        }
        let mut cache = KvCache::with_dtype(&model, 96, BlockFormat::Q8_0).unwrap();
        let sequence = cache.start(&tokens, 96).unwrap();
        let logs = decoded(&model, &tokens, (&mut cache, sequence), &[20, 1, 1, 1]);
        let rows = logs[19 * 50..].chunks(50).zip(&tokens[20..]).zip(margins);
        let clear: Vec<_> = rows.filter(|(_, margin)| *margin > 0.01).collect();
        assert!(clear.len() > 35, "{name}: {}", clear.len());
        for ((row, token), margin) in clear {
            let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            assert_eq!(row[*token as usize], largest, "{name}: {margin}");
        }
    }
}

#[test]
fn x_603_pages_of_8_bits_are_scattered_shared_and_written_again() {
    const SIZES: [usize; 7] = [20, 5, 8, 1, 7, 13, 2];
    for (name, model) in with_blocks() {
        let tokens = text(100);
        let dtype = BlockFormat::Q8_0;
        let mut cache = KvCache::with_dtype(&model, 16 * 32, dtype).unwrap();
        let near = |cache: &mut KvCache<B>, expected: &[f32], what: &str| {
            let sequence = cache.start(&tokens, 128).unwrap();
            let shared = cache.len(sequence);
            let found = decoded(&model, &tokens, (cache, sequence), &SIZES);
            // A number next to the middle of two codes may become either.
            let moved = largest_difference(&found, &expected[shared * 50..]);
            assert!(moved < 5e-3, "{name}, {what}: {moved}");
            (sequence, shared)
        };
        let sequence = cache.start(&tokens, 128).unwrap();
        let expected = decoded(&model, &tokens, (&mut cache, sequence), &SIZES);
        assert_eq!(near(&mut cache, &expected, "shared").1, 96);
        // After the end of the first pages, other tokens follow, and then the text again.
        let own = cache.start(&[1, 2], 64).unwrap();
        model.decode(&[(own, &[1, 2])], &mut cache).unwrap();
        model.decode(&[(own, &tokens[..50])], &mut cache).unwrap();
        cache.truncate(own, 2).unwrap();
        model.decode(&[(own, &tokens[7..30])], &mut cache).unwrap();
        let again: Vec<u32> = [1, 2].iter().chain(&tokens[7..30]).copied().collect();
        let mut fresh = KvCache::with_dtype(&model, 64, dtype).unwrap();
        let alone = fresh.start(&again, 64).unwrap();
        let last = |cache: &mut KvCache<B>, sequence| {
            let hidden = model.decode(&[(sequence, &[9])], cache).unwrap();
            log_softmax(model.logits(hidden), 1).into_data().to_vec::<f32>().unwrap()
        };
        decoded(&model, &again, (&mut fresh, alone), &[2, 23]);
        let (rewritten, alone) = (last(&mut cache, own), last(&mut fresh, alone));
        assert!(largest_difference(&rewritten, &alone) < 5e-3, "{name}, truncated");

        let mut cache = KvCache::with_dtype(&model, 16 * 32, dtype).unwrap();
        let others: Vec<SequenceId> = (0..16).map(|first| cache.start(&[first], 32).unwrap()).collect();
        others.iter().step_by(2).for_each(|other| cache.finish(*other));
        assert_eq!(near(&mut cache, &expected, "scattered").1, 0);
    }
}

#[test]
fn heads_that_are_no_whole_blocks_are_an_error_that_says_so() {
    let model = load("llama").model;
    let error = KvCache::with_dtype(&model, 64, BlockFormat::Q8_0).unwrap_err().to_string();
    assert!(error.contains("multiple of 32") && error.contains("heads of 4"), "{error}");
    let (_, model) = &with_blocks()[0];
    let error = KvCache::with_dtype(model, 64, BlockFormat::Q4_0).unwrap_err().to_string();
    assert!(error.contains("Q4_0"), "{error}");
}

/// Decodes a text over pages that are no neighbours, and compares with the logits of the whole text.
fn check_scattered(name: &str, model: &LanguageModel<B>, length: usize) {
    let vocabulary = model.config.vocabulary_size;
    let tokens: Vec<u32> = (0..length).map(|position| ((3 + position * 7) % vocabulary) as u32).collect();
    let ids: Vec<i64> = tokens.iter().map(|token| i64::from(*token)).collect();
    let whole = Tensor::from_data(TensorData::new(ids, [1, length]), &model.device());
    let expected = model.forward(whole).unwrap().into_data().to_vec::<f32>().unwrap();
    let mut cache = KvCache::new(model, 16 * 32).unwrap();
    let others: Vec<SequenceId> = (0..16).map(|first| cache.start(&[first], 32).unwrap()).collect();
    others.iter().step_by(2).for_each(|other| cache.finish(*other));
    let sequence = cache.start(&tokens, length).unwrap();
    // Up to eight tokens are read page by page; steps end within pages and at their ends.
    let (mut done, mut sizes) = (0, [20, 5, 8, 1, 1, 8, 7, 1, 13, 1, 2, 3].into_iter().cycle());
    while done < length {
        let end = (done + sizes.next().unwrap()).min(length);
        let hidden = model.decode(&[(sequence, &tokens[done..end])], &mut cache).unwrap();
        let logits = model.logits(hidden).into_data().to_vec::<f32>().unwrap();
        check(name, &logits, &expected[done * vocabulary..end * vocabulary]);
        done = end;
    }
}

#[test]
fn x_605_decoding_over_scattered_pages_gives_the_logits_of_the_whole_sequence() {
    for name in FAMILIES {
        let fixture = load(name);
        // The dynamic and long scalings of positions depend on the length of the text.
        if fixture.model.config.context_length >= 64 && name != "phi3-longrope" {
            check_scattered(name, &fixture.model, 64);
        }
    }
    let config = || LanguageModelConfig::new(50, 32, 3, 4, 48).with_context_length(256);
    let grouped = config().with_n_key_value_heads(Some(2));
    let window = grouped.clone().with_sliding_window(Some(40)).with_window_layers(vec![0, 2]);
    let cap = window.clone().with_attention_soft_cap(Some(2.0));
    for (name, config) in [("plain", config()), ("grouped", grouped), ("window", window), ("cap", cap)] {
        check_scattered(name, &config.init(&Default::default()).unwrap(), 200);
    }
}
