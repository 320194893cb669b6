use crate::arguments::PerplexityArguments;
use crate::{CommandResult, load};
use burn_core::tensor::Backend;
use burn_lm::LmError;

/// Prints the perplexity of a file of UTF-8 text.
pub fn run<B: Backend>(arguments: &PerplexityArguments) -> CommandResult {
    let generator = load::<B>(&arguments.model)?;
    let path = arguments.text.display().to_string();
    let fail = |cause: String| LmError::File { path: path.clone(), cause };
    let bytes = std::fs::read(&arguments.text).map_err(|cause| fail(cause.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|cause| fail(format!("not UTF-8: {cause}")))?;
    let mut tokens = generator.tokenizer.encode(&text, true)?;
    tokens.truncate(arguments.tokens.unwrap_or(usize::MAX));
    let perplexity = match arguments.cache_dtype {
        Some(dtype) => generator.perplexity_with_cache(&tokens, arguments.window, dtype)?,
        None => generator.perplexity(&tokens, arguments.window)?,
    };
    println!("perplexity of {} tokens: {perplexity:.4}", tokens.len());
    Ok(())
}
