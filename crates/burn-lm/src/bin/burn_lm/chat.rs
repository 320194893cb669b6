use crate::arguments::RunArguments;
use crate::{CommandResult, load};
use burn_core::tensor::Backend;
use burn_lm::{
    ChatMessage, EngineOptions, GenerationEngine, GenerationEvent, GenerationRequest, SamplingOptions,
};
use std::io::{self, BufRead, IsTerminal, Write};

/// Continues a prompt, or answers the lines of the standard input until it ends.
pub fn run<B: Backend>(arguments: &RunArguments) -> CommandResult {
    let generator = load::<B>(&arguments.model)?;
    let context = arguments.context.min(generator.model.config.context_length);
    let options = EngineOptions::new().with_cache_positions(context).with_max_sequences(1);
    let mut engine = GenerationEngine::new(generator, options)?;
    if let Some(prompt) = &arguments.prompt {
        let tokens = engine.generator().tokenizer.encode(prompt, true)?;
        answer(&mut engine, tokens, arguments)?;
        return Ok(());
    }
    let mut messages: Vec<ChatMessage> = Vec::new();
    messages.extend(arguments.system.iter().map(|text| ChatMessage::new("system", text)));
    let interactive = io::stdin().is_terminal();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        messages.push(ChatMessage::new("user", line));
        let tokens = engine.generator().tokenizer.encode_chat(&messages)?;
        // The pages of the turns before are in the cache.
        let text = answer(&mut engine, tokens, arguments)?;
        messages.push(ChatMessage::new("assistant", text));
        if interactive {
            println!();
        }
    }
    Ok(())
}

fn answer<B: Backend>(
    engine: &mut GenerationEngine<B>,
    prompt: Vec<u32>,
    arguments: &RunArguments,
) -> Result<String, Box<dyn std::error::Error>> {
    let sampling = SamplingOptions::new()
        .with_temperature(arguments.temperature)
        .with_top_k(arguments.top_k)
        .with_top_p(arguments.top_p)
        .with_seed(arguments.seed);
    let left = engine.context_length().saturating_sub(prompt.len());
    let max_tokens = arguments.max_tokens.min(left.max(1));
    engine.submit(GenerationRequest::new(prompt, max_tokens).with_sampling(sampling))?;
    let (mut answer, mut out) = (String::new(), io::stdout().lock());
    while !engine.is_idle() {
        for (_, event) in engine.step() {
            let text = match event {
                GenerationEvent::Token(token) => token.text,
                GenerationEvent::Finished { text, .. } => text,
                GenerationEvent::Failed(error) => return Err(error.into()),
            };
            out.write_all(text.as_bytes())?;
            out.flush()?;
            answer.push_str(&text);
        }
    }
    writeln!(out)?;
    Ok(answer)
}
