use crate::fixture::{B, folder, numbers, tokens};
use burn_core::tensor::DType;
use burn_core::tensor::quantization::BlockFormat;
use burn_lm::{
    CacheDtype, EngineOptions, FinishReason, GenerationEngine, GenerationEvent, GenerationRequest,
    LanguageModelConfig, LmError, RequestId, SamplingOptions, TextGenerator, Tokenizer,
};
use std::collections::BTreeMap;

pub fn generator() -> TextGenerator<B> {
    TextGenerator::from_path(folder("chat"), &Default::default()).unwrap()
}

fn greedy() -> (Vec<u32>, Vec<u32>) {
    let expected = tokens("greedy");
    (numbers(&expected["prompt"]), numbers(&expected["tokens"]))
}

/// Runs an engine until it is idle; the tokens of each request, and why it ended.
fn run(engine: &mut GenerationEngine<B>) -> BTreeMap<RequestId, (Vec<u32>, Option<FinishReason>)> {
    let mut found: BTreeMap<RequestId, (Vec<u32>, Option<FinishReason>)> = BTreeMap::new();
    while !engine.is_idle() {
        for (id, event) in engine.step() {
            let entry = found.entry(id).or_default();
            match event {
                GenerationEvent::Token(token) => entry.0.push(token.id),
                GenerationEvent::Finished { reason, .. } => entry.1 = Some(reason),
                GenerationEvent::Failed(error) => panic!("{error}"),
            }
        }
    }
    found
}

#[test]
fn x_603_greedy_tokens_are_those_of_transformers() {
    let (prompt, expected) = greedy();
    for path in ["chat", "chat.gguf"] {
        let generator = TextGenerator::<B>::from_path(folder(path), &Default::default()).unwrap();
        let request = GenerationRequest::new(prompt.clone(), expected.len()).with_ignore_end(true);
        let mut generation = generator.generate(request).unwrap();
        let tokens: Vec<_> = generation.by_ref().map(Result::unwrap).collect();
        assert_eq!(tokens.iter().map(|token| token.id).collect::<Vec<_>>(), expected, "{path}");
        let (reason, usage) = generation.finish().unwrap();
        assert_eq!(reason, FinishReason::Length);
        assert_eq!((usage.prompt_tokens, usage.generated_tokens), (prompt.len(), expected.len()));
        let text: String = tokens.iter().map(|token| token.text.as_str()).collect();
        assert_eq!(text, generator.tokenizer.decode(&expected));
    }
}

#[test]
fn x_603_sequences_that_come_and_go_get_the_tokens_they_get_alone() {
    let generator = generator();
    let texts = [
        "It is a truth",
        "of the",
        "My dear Mr. Bennet, have you heard that",
        "It is a truth universally",
        "x",
    ];
    let request = |text: &str, count: usize| {
        let prompt = generator.tokenizer.encode(text, true).unwrap();
        let sampling = SamplingOptions::new().with_temperature(0.8).with_seed(count as u64);
        GenerationRequest::new(prompt, count).with_sampling(sampling).with_ignore_end(true)
    };
    let alone: Vec<Vec<u32>> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| {
            let generation = generator.generate(request(text, 5 + 3 * index)).unwrap();
            generation.map(|token| token.unwrap().id).collect()
        })
        .collect();
    // Fewer slots than requests, and prompts in pieces of 7 tokens.
    let options = EngineOptions::new().with_cache_positions(192).with_max_sequences(3).with_prefill_tokens(7);
    let mut engine = GenerationEngine::new(generator.clone(), options).unwrap();
    let ids: Vec<RequestId> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| engine.submit(request(text, 5 + 3 * index)).unwrap())
        .collect();
    let found = run(&mut engine);
    for (id, expected) in ids.iter().zip(alone) {
        assert_eq!(found[id], (expected, Some(FinishReason::Length)));
    }
}

#[test]
fn x_603_cancelled_requests_free_their_memory() {
    let generator = generator();
    let options = EngineOptions::new().with_cache_positions(128).with_max_sequences(4);
    let mut engine = GenerationEngine::new(generator, options).unwrap();
    let request = || GenerationRequest::new(vec![5, 6, 7], 90).with_ignore_end(true);
    let first = engine.submit(request()).unwrap();
    let second = engine.submit(request()).unwrap();
    let third = engine.submit(request()).unwrap();
    // There is room for one of them.
    engine.step();
    assert_eq!(engine.load(), (1, 2));
    for id in [second, first] {
        let event = engine.cancel(id).unwrap();
        assert!(matches!(event, GenerationEvent::Finished { reason: FinishReason::Cancelled, .. }));
        assert!(engine.cancel(id).is_none());
    }
    let found = run(&mut engine);
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), [third]);
    assert_eq!(found[&third].0.len(), 90);
}

#[test]
fn x_604_stop_strings_and_end_tokens_end_a_text() {
    let generator = generator();
    let (prompt, expected) = greedy();
    let text = generator.tokenizer.decode(&expected);
    // A stop string from the middle of the text, over several tokens.
    let middle = text.char_indices().nth(text.chars().count() / 2).unwrap().0;
    let stop: String = text[middle..].chars().take(5).collect();
    let request =
        GenerationRequest::new(prompt.clone(), 24).with_ignore_end(true).with_stop(vec![stop.clone()]);
    let mut generation = generator.generate(request).unwrap();
    let found: String = generation.by_ref().map(|token| token.unwrap().text).collect();
    assert_eq!(found, text[..text.find(&stop).unwrap()]);
    assert_eq!(generation.finish().unwrap().0, FinishReason::Stop);
    // A bias makes the end token the most likely one.
    let sampling = SamplingOptions::new().with_logit_bias(vec![(2, 1000.0)]);
    let request = GenerationRequest::new(prompt, 24).with_sampling(sampling);
    let mut generation = generator.generate(request).unwrap();
    assert!(generation.next().is_none());
    assert_eq!(generation.finish().unwrap().0, FinishReason::Stop);
}

#[test]
fn requests_that_cannot_be_served_are_errors() {
    let generator = generator();
    let options = EngineOptions::new().with_cache_positions(64);
    let mut engine = GenerationEngine::new(generator.clone(), options).unwrap();
    let error = engine.submit(GenerationRequest::new(vec![5; 60], 5)).unwrap_err();
    assert!(matches!(&error, LmError::Prompt { cause } if cause.contains("at most 64 together")), "{error}");
    assert!(engine.submit(GenerationRequest::new(vec![], 5)).is_err());
    assert!(engine.submit(GenerationRequest::new(vec![5], 0)).is_err());
    assert!(engine.submit(GenerationRequest::new(vec![320], 5)).is_err());
    assert!(engine.submit(GenerationRequest::new(vec![5], usize::MAX)).is_err());
    assert!(engine.is_idle());
    assert!(generator.generate(GenerationRequest::new(vec![5; 300], 5)).is_err());
    let too_large = EngineOptions::new().with_cache_positions(usize::MAX / 2);
    assert!(GenerationEngine::new(generator, too_large).is_err());
}

#[test]
fn perplexity_is_that_of_the_softmax_of_the_logits() {
    use burn_core::tensor::{Int, Tensor, TensorData};
    let generator = generator();
    let (tokens, _) = greedy();
    let found = generator.perplexity(&tokens, 64).unwrap();
    let ids: Vec<i64> = tokens.iter().map(|token| i64::from(*token)).collect();
    let data = TensorData::new(ids, [1, tokens.len()]);
    let logits = generator.model.forward(Tensor::<B, 2, Int>::from_data(data, &Default::default())).unwrap();
    let logits = logits.into_data().to_f64();
    let mut sum = 0.0;
    for (row, target) in logits.chunks(320).zip(&tokens[1..]) {
        let total: f64 = row.iter().map(|logit| logit.exp()).sum();
        sum += total.ln() - row[*target as usize];
    }
    let expected = (sum / (tokens.len() - 1) as f64).exp();
    assert!((found / expected - 1.0).abs() < 1e-5, "{found} {expected}");
    let vector = generator.embed(&tokens).unwrap();
    let length: f32 = vector.iter().map(|x| x * x).sum();
    assert!(vector.len() == 16 && (length - 1.0).abs() < 1e-5);
}

#[test]
fn x_604_speculative_decoding_gives_the_text_of_the_model_alone() {
    let generator = generator();
    let (prompt, _) = greedy();
    // One draft proposes what the model chooses, the other one has random weights.
    let other = LanguageModelConfig::new(320, 8, 1, 2, 8).init::<B>(&Default::default()).unwrap();
    let cases = [(&generator.model, 0.0), (&generator.model, 1.5), (&other, 0.0), (&other, 0.7)];
    for (draft, temperature) in cases {
        for proposals in [1, 4] {
            let sampling = SamplingOptions::new().with_temperature(temperature).with_seed(3);
            let request = || {
                let request = GenerationRequest::new(prompt.clone(), 70).with_ignore_end(true);
                request.with_sampling(sampling.clone())
            };
            let ids = |token: Result<burn_lm::Token, LmError>| token.unwrap().id;
            let expected: Vec<u32> = generator.generate(request()).unwrap().map(ids).collect();
            let mut found = generator.generate_with_draft(request(), draft, proposals).unwrap();
            assert_eq!(found.by_ref().map(ids).collect::<Vec<u32>>(), expected);
            assert_eq!(found.finish().unwrap().0, FinishReason::Length);
            let (proposed, accepted) = found.proposals();
            assert!(accepted <= proposed);
            if temperature == 0.0 && std::ptr::eq(draft, &generator.model) {
                assert_eq!(proposed, accepted);
                assert!(accepted >= 70 * proposals / (proposals + 1) - proposals);
            }
        }
    }
    let other = LanguageModelConfig::new(300, 8, 1, 2, 8).init::<B>(&Default::default()).unwrap();
    let error =
        generator.generate_with_draft(GenerationRequest::new(prompt, 4), &other, 2).map(drop).unwrap_err();
    assert!(error.to_string().contains("a vocabulary of 320"), "{error}");
}

#[test]
fn speculative_decoding_keeps_keys_of_both_models_in_the_dtype_that_was_chosen() {
    let model = |d_model: usize| {
        let config = LanguageModelConfig::new(320, d_model, 2, 2, 32);
        config.init::<B>(&Default::default()).unwrap()
    };
    let tokenizer = Tokenizer::from_folder(folder("chat")).unwrap();
    // Heads of 32 elements, which are whole blocks; those of the draft are whole blocks, or are not.
    let (generator, drafts) = (TextGenerator::new(model(64), tokenizer).unwrap(), [model(64), model(16)]);
    let (prompt, _) = greedy();
    let request = || GenerationRequest::new(prompt.clone(), 40).with_ignore_end(true);
    let dtypes: [CacheDtype; 2] = [DType::BF16.into(), BlockFormat::Q8_0.into()];
    for dtype in dtypes {
        let options = EngineOptions::new().with_cache_positions(256).with_cache_dtype(Some(dtype));
        let mut engine = GenerationEngine::new(generator.clone(), options).unwrap();
        let id = engine.submit(request()).unwrap();
        let expected = run(&mut engine).remove(&id).unwrap().0;
        for draft in &drafts {
            let found = generator.generate_with_draft_and_cache(request(), draft, 3, dtype);
            if dtype == BlockFormat::Q8_0.into() && std::ptr::eq(draft, &drafts[1]) {
                let error = found.map(drop).unwrap_err().to_string();
                assert!(error.contains("Q8_0) for heads of 8"), "{error}");
                continue;
            }
            let found: Vec<u32> = found.unwrap().map(|token| token.unwrap().id).collect();
            assert_eq!(found, expected, "{dtype:?}");
        }
    }
}

#[test]
fn x_604_texts_are_bound_to_a_json_schema() {
    let generator = generator();
    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            "name": {"enum": ["Bennet", "Long"]},
            "age": {"type": "integer", "minimum": 0, "maximum": 99},
            "rooms": {"type": "array", "items": {"type": "boolean"}, "maxItems": 2},
        },
        "required": ["name", "age", "rooms"],
        "additionalProperties": false,
    });
    // The model has random weights, so nothing but the schema makes its text JSON.
    for seed in 0..8 {
        let sampling = SamplingOptions::new().with_temperature(2.0).with_seed(seed);
        let request = GenerationRequest::new(vec![1, 50, 60], 200).with_sampling(sampling);
        let mut generation = generator.generate(request.with_json_schema(schema.clone())).unwrap();
        let text: String = generation.by_ref().map(|token| token.unwrap().text).collect();
        assert_eq!(generation.finish().unwrap().0, FinishReason::Stop);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"));
        assert!(["Bennet", "Long"].contains(&value["name"].as_str().unwrap()), "{text}");
        assert!(value["age"].as_u64().unwrap() < 100, "{text}");
        let rooms = value["rooms"].as_array().unwrap();
        assert!(rooms.len() < 3 && rooms.iter().all(|room| room.is_boolean()), "{text}");
        assert_eq!(value.as_object().unwrap().len(), 3, "{text}");
    }
    for schema in [serde_json::json!({"type": "animal"}), serde_json::json!("text")] {
        let request = GenerationRequest::new(vec![1], 9).with_json_schema(schema);
        let error = generator.generate(request).map(drop).unwrap_err();
        assert!(matches!(error, LmError::Schema { .. }), "{error}");
    }
}
