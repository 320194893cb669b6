use crate::arguments::{BenchArguments, ModelShape};
use crate::{CommandResult, load};
use burn_core::tensor::quantization::{BlockFormat, PackedBlocks};
use burn_core::tensor::{Backend, Tensor, TensorData};
use burn_lm::{KvCache, LanguageModel, LanguageModelConfig, LmError};
use std::time::Instant;

/// Measures prefill and decoding with tokens that depend on nothing but their position.
pub fn run<B: Backend>(arguments: &BenchArguments) -> CommandResult {
    let start = Instant::now();
    let model = &model::<B>(arguments)?;
    println!("load: {:.2} s", start.elapsed().as_secs_f64());
    let BenchArguments { prompt_tokens, decode_tokens, sequences, .. } = *arguments;
    let vocabulary = model.config.vocabulary_size;
    let (mut prefill, mut decode) = (Vec::new(), Vec::new());
    let length = prompt_tokens + decode_tokens;
    let positions = sequences * length.next_multiple_of(32);
    let mut cache = match arguments.cache_dtype {
        Some(dtype) => KvCache::with_dtype(model, positions, dtype)?,
        None => KvCache::new(model, positions)?,
    };
    // As in a server, steps that a device repeats are recorded once: in the first round.
    let mut decoder = model.step_decoder();
    for round in 0..arguments.repeat.max(1) {
        let prompts: Vec<Vec<u32>> = (0..sequences)
            .map(|sequence| {
                let token =
                    |position| (7 + 31 * position + 1009 * (sequence + round * sequences)) % vocabulary;
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
            last.extend(next.iter::<i64>().map(|token| (sequence, token as u32)));
        }
        prefill.push((prompt_tokens * sequences) as f64 / seconds);
        let start = Instant::now();
        for tokens in decoder.greedy_rows(&last, decode_tokens, &mut cache) {
            tokens?;
        }
        decode.push((decode_tokens * sequences) as f64 / start.elapsed().as_secs_f64());
        last.iter().for_each(|(sequence, _)| cache.finish(*sequence));
    }
    println!("prefill of {prompt_tokens} tokens: {:.1} tokens/s", median(prefill));
    let at = format!("decode of {decode_tokens} tokens after {prompt_tokens}, {sequences} sequences");
    println!("{at}: {:.1} tokens/s", median(decode));
    Ok(())
}

fn model<B: Backend>(arguments: &BenchArguments) -> Result<LanguageModel<B>, LmError> {
    let device = Default::default();
    match (&arguments.model, arguments.shape) {
        (Some(path), _) if arguments.dequantize => LanguageModel::from_gguf_dequantized(path, &device),
        (Some(path), _) => Ok(load::<B>(path)?.model),
        (None, Some(ModelShape::Llama1B) | None) => {
            let model = LanguageModelConfig::new(128_256, 2048, 16, 32, 8192)
                .with_n_key_value_heads(Some(8))
                .with_context_length(4096)
                .with_tied_embeddings(true)
                .init(&device)?;
            Ok(as_files(model, arguments.q4_k))
        }
    }
}

/// The weights as a file has them: rows of outputs, or blocks of `Q4_K` with numbers that follow from their
/// position.
fn as_files<B: Backend>(mut model: LanguageModel<B>, in_blocks: bool) -> LanguageModel<B> {
    if in_blocks {
        model.embedding.weight = model.embedding.weight.map(|weight| q4_k(weight, false));
    }
    for block in &mut model.blocks {
        let (attention, feed_forward) = (&mut block.attention, &mut block.feed_forward);
        let linears = [&mut attention.query, &mut attention.key, &mut attention.value, &mut attention.output];
        let others = [&mut feed_forward.up, &mut feed_forward.down];
        for linear in linears.into_iter().chain(others).chain(&mut feed_forward.gate) {
            linear.weight = linear.weight.clone().map(|weight| match in_blocks {
                true => q4_k(weight, true),
                false => by_outputs(weight),
            });
        }
    }
    model
}

/// `weight`, `[inputs, outputs]`, as the transpose of what is in memory.
fn by_outputs<B: Backend>(weight: Tensor<B, 2>) -> Tensor<B, 2> {
    let [inputs, outputs] = weight.dims();
    weight.transpose().reshape([inputs * outputs]).reshape([outputs, inputs]).transpose()
}

/// Blocks of `weight`, `[rows, columns]`, or of its transpose.
fn q4_k<B: Backend>(weight: Tensor<B, 2>, transposed: bool) -> Tensor<B, 2> {
    let format = BlockFormat::Q4K;
    let [rows, columns] = if transposed { weight.clone().transpose().dims() } else { weight.dims() };
    let row = format.row_bytes(columns).expect("columns are multiples of 256");
    let byte = |i: usize| (i as u32).wrapping_mul(0x9E37_79B9).to_le_bytes()[2];
    let mut bytes: Vec<u8> = (0..rows * row).map(byte).collect();
    for block in bytes.chunks_mut(format.bytes()) {
        // Both scales are 2^-10 in half precision.
        block[..4].copy_from_slice(&[0, 0x14, 0, 0x14]);
    }
    let blocks = TensorData::new(bytes, [rows, row]);
    let packed = PackedBlocks { blocks, format, transposed: false, dtype: weight.dtype() };
    let packed = Tensor::from_blocks(packed, &weight.device());
    if transposed { packed.transpose() } else { packed }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
