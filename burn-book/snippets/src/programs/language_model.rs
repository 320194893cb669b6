// ANCHOR: program
// cargo add --path ../burn/crates/burn --features lm

use burn::backend::NdArray;
use burn::lm::{GenerationRequest, LmError, SamplingOptions, TextGenerator};

fn main() -> Result<(), LmError> {
    let generator = TextGenerator::<NdArray>::from_path("chat.gguf", &Default::default())?;
    let prompt = generator.tokenizer.encode("The capital of France is", true)?;
    let sampling = SamplingOptions::new().with_temperature(0.7).with_top_p(Some(0.9)).with_seed(1);
    let request = GenerationRequest::new(prompt, 20).with_sampling(sampling);

    let mut tokens = 0;
    for token in generator.generate(request)? {
        // A chat program prints `token.text` here, while the next token is computed.
        let _text = token?.text;
        tokens += 1;
    }
    println!("{tokens} tokens");
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_language_models() {
    crate::page_output::page_prints!("language-models/README.md", "crates/burn-lm/tests/fixtures/chat.gguf");
}
