//! Language models from files.

use std::path::{Path, PathBuf};

fn model() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/burn-lm/tests/fixtures/chat.gguf")
}

#[test]
fn text_from_a_file() -> Result<(), burn::lm::LmError> {
    let path = model();
    // ANCHOR: generate
    use burn::backend::NdArray;
    use burn::lm::{GenerationRequest, SamplingOptions, TextGenerator};

    let generator = TextGenerator::<NdArray>::from_path(&path, &Default::default())?;
    let prompt = generator.tokenizer.encode("The capital of France is", true)?;
    let sampling = SamplingOptions::new().with_temperature(0.7).with_top_p(Some(0.9)).with_seed(1);
    let request =
        GenerationRequest::new(prompt, 20).with_sampling(sampling).with_stop(vec!["\n\n".to_string()]);
    for token in generator.generate(request)? {
        print!("{}", token?.text);
    }
    // ANCHOR_END: generate
    Ok(())
}

#[test]
fn chat_with_a_file() -> Result<(), burn::lm::LmError> {
    use burn::backend::NdArray;
    let generator = burn::lm::TextGenerator::<NdArray>::from_path(model(), &Default::default())?;
    // ANCHOR: chat
    use burn::lm::{ChatMessage, GenerationRequest};

    let messages = [ChatMessage::new("user", "Which rivers flow through Paris?")];
    let prompt = generator.tokenizer.encode_chat(&messages)?;
    let answer = generator.generate(GenerationRequest::new(prompt, 40))?.into_text()?;
    // ANCHOR_END: chat
    assert!(answer.len() < 4000);
    Ok(())
}

#[test]
fn several_texts_at_once() -> Result<(), burn::lm::LmError> {
    use burn::backend::NdArray;
    let generator = burn::lm::TextGenerator::<NdArray>::from_path(model(), &Default::default())?;
    // ANCHOR: engine
    use burn::lm::{EngineOptions, GenerationEngine, GenerationEvent, GenerationRequest};

    let options = EngineOptions::new().with_cache_positions(512).with_max_sequences(4);
    let mut engine = GenerationEngine::new(generator, options)?;
    for text in ["One", "Two", "Three"] {
        let prompt = engine.generator().tokenizer.encode(text, true)?;
        engine.submit(GenerationRequest::new(prompt, 10))?;
    }
    let mut finished = 0;
    while !engine.is_idle() {
        for (_request, event) in engine.step() {
            match event {
                GenerationEvent::Token(token) => print!("{}", token.text),
                GenerationEvent::Finished { .. } => finished += 1,
                GenerationEvent::Failed(error) => return Err(error),
            }
        }
    }
    // ANCHOR_END: engine
    assert_eq!(finished, 3);
    Ok(())
}

#[test]
fn logits_of_a_file() -> Result<(), burn::lm::LmError> {
    let path = model();
    // ANCHOR: model
    use burn::backend::NdArray;
    use burn::lm::{KvCache, LanguageModel};
    use burn::tensor::{Int, Tensor};

    let device = Default::default();
    let model = LanguageModel::<NdArray>::from_gguf(&path, &device)?;
    // All positions at once: [1, 3, vocabulary size].
    let logits = model.forward(Tensor::<NdArray, 2, Int>::from_data([[5, 6, 7]], &device))?;

    // The same in two steps with a cache; rows are positions.
    let mut cache = KvCache::new(&model, 64)?;
    let sequence = cache.start(&[5, 6, 7], 32)?;
    model.decode(&[(sequence, &[5, 6])], &mut cache)?;
    let last = model.logits(model.decode(&[(sequence, &[7])], &mut cache)?);
    assert!(last.all_close(logits.narrow(1, 2, 1).flatten::<2>(0, 1), None, Some(1e-4)));
    // ANCHOR_END: model
    Ok(())
}

#[test]
fn steps_that_a_gpu_repeats() -> Result<(), burn::lm::LmError> {
    let path = model();
    // ANCHOR: step
    use burn::backend::NdArray;
    use burn::lm::{KvCache, LanguageModel};

    let model = LanguageModel::<NdArray>::from_gguf(&path, &Default::default())?;
    let mut cache = KvCache::new(&model, 64)?;
    let sequence = cache.start(&[5, 6, 7], 32)?;
    let mut decoder = model.step_decoder();
    let mut hidden = decoder.decode(&[(sequence, &[5, 6, 7])], &mut cache)?.narrow(0, 2, 1);
    let mut tokens = Vec::new();
    for _token in 0..10 {
        let next = model.logits(hidden).argmax(1).into_data().to_f64()[0] as u32;
        tokens.push(next);
        hidden = decoder.decode(&[(sequence, &[next])], &mut cache)?;
    }
    // ANCHOR_END: step
    assert_eq!(cache.len(sequence), 13);
    Ok(())
}
