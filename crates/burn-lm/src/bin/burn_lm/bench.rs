use crate::arguments::BenchArguments;
use crate::{B, CommandResult, load};
use burn_lm::{KvCache, LanguageModel, LmError};
use std::time::Instant;

/// Measures prefill and decoding with tokens that depend on nothing but their position.
pub fn run(arguments: &BenchArguments) -> CommandResult {
    let start = Instant::now();
    let model = &match arguments.dequantize {
        true => LanguageModel::<B>::from_gguf_dequantized(&arguments.model, &Default::default())?,
        false => load(&arguments.model)?.model,
    };
    println!("load: {:.2} s", start.elapsed().as_secs_f64());
    let BenchArguments { prompt_tokens, decode_tokens, sequences, .. } = *arguments;
    let vocabulary = model.config.vocabulary_size;
    let (mut prefill, mut decode) = (Vec::new(), Vec::new());
    for round in 0..arguments.repeat.max(1) {
        let length = prompt_tokens + decode_tokens;
        let mut cache = KvCache::new(model, sequences * length.next_multiple_of(32))?;
        let prompts: Vec<Vec<u32>> = (0..sequences)
            .map(|sequence| {
                let token = |position| (7 + 31 * position + 1009 * (sequence + round)) % vocabulary;
                (0..prompt_tokens).map(|position| token(position) as u32).collect()
            })
            .collect();
        let mut last = Vec::new();
        let mut seconds = 0.0;
        for prompt in &prompts {
            let sequence = cache.start(prompt, length)?;
            let start = Instant::now();
            let hidden = model.decode(&[(sequence, prompt)], &mut cache)?;
            let next = model.logits(hidden.narrow(0, prompt_tokens - 1, 1)).argmax(1).into_data();
            seconds += start.elapsed().as_secs_f64();
            last.push((sequence, next.iter::<i64>().map(|token| token as u32).collect::<Vec<u32>>()));
        }
        prefill.push((prompt_tokens * sequences) as f64 / seconds);
        let start = Instant::now();
        for _token in 0..decode_tokens {
            let steps: Vec<_> = last.iter().map(|(sequence, tokens)| (*sequence, &tokens[..])).collect();
            let hidden = model.decode(&steps, &mut cache)?;
            let next = model.logits(hidden).argmax(1).try_into_data().map_err(LmError::from)?;
            for ((_, tokens), next) in last.iter_mut().zip(next.iter::<i64>()) {
                tokens[0] = next as u32;
            }
        }
        decode.push((decode_tokens * sequences) as f64 / start.elapsed().as_secs_f64());
    }
    println!("prefill of {prompt_tokens} tokens: {:.1} tokens/s", median(prefill));
    let at = format!("decode of {decode_tokens} tokens after {prompt_tokens}, {sequences} sequences");
    println!("{at}: {:.1} tokens/s", median(decode));
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
