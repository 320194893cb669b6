//! The program with a small transformer on the chapters inside of it.

#[path = "../examples/text-generation.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod program;

use burn::backend::NdArray;
use burn::tensor::{Int, Tensor, TensorData, Tolerance};
use clap::Parser;
use text_generation::corpus::Corpus;
use text_generation::tokenizer::SubwordTokenizer;

#[test]
fn ex_016_a_transformer_predicts_unseen_text_better_than_counting_and_writes() {
    let folder = tempfile::tempdir().unwrap();
    let artifacts = folder.path().to_str().unwrap();
    let prompts = ["--prompt", "The whale", "--prompt", "I"];
    let arguments = [&["text-generation", "--small", "--artifacts", artifacts][..], &prompts].concat();
    let (outcome, samples) = program::train_and_write(&program::Args::parse_from(arguments)).unwrap();
    // The baselines of the README.
    assert!(outcome.perplexity < outcome.bigram && outcome.bigram < outcome.unigram, "{outcome:?}");
    assert!(outcome.test_tokens > 5_000, "{outcome:?}");
    for file in ["config.json", "tokenizer.json", "model.mpk", "valid/epoch-2/Perplexity.log"] {
        assert!(folder.path().join(file).is_file(), "{file} is missing");
    }
    for (sample, prompt) in samples.iter().zip(["The whale", "I"]) {
        assert!(sample.starts_with(prompt) && sample.len() > prompt.len() + 20, "{samples:?}");
    }

    // Token by token with the cache of keys and values, the logits are those of the whole text at once.
    let tokens = outcome.tokenizer.encode("Call me Ishmael. Some years ago").unwrap();
    let ids: Vec<i64> = tokens.iter().map(|&token| token as i64).collect();
    let ids =
        Tensor::<NdArray, 2, Int>::from_data(TensorData::new(ids, [1, tokens.len()]), &Default::default());
    let whole = outcome.model.forward(ids.clone());
    let mut cache = outcome.model.new_cache(tokens.len());
    for (place, token) in ids.iter_dim(1).enumerate() {
        let next = outcome.model.next(token, &mut cache).into_data();
        let expected = whole.clone().narrow(1, place, 1).squeeze_dim::<2>(1).into_data();
        next.assert_approx_eq::<f32>(&expected, Tolerance::absolute(1e-3));
    }
}

#[test]
fn the_tokenizer_loses_nothing() {
    let corpus = Corpus::moby_dick().unwrap();
    let tokenizer = SubwordTokenizer::train(&corpus.train[..20_000], 300).unwrap();
    for text in [&corpus.test[..1000], "naïve — «Ωmega» 🐋\n\n\tend "] {
        let tokens = tokenizer.encode(text).unwrap();
        assert_eq!(tokenizer.decode(&tokens).unwrap(), text);
        assert!(tokens.iter().all(|&token| token < tokenizer.vocabulary()));
    }
}

#[test]
fn texts_that_are_too_short_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("short.txt");
    std::fs::write(&path, "One.\n\nTwo.\n\nThree.").unwrap();
    let (file, artifacts) = (path.to_str().unwrap(), folder.path().to_str().unwrap());
    let run = |file: &str| {
        let arguments = ["text-generation", "--small", "--file", file, "--artifacts", artifacts];
        program::train_and_write(&program::Args::parse_from(arguments)).unwrap_err().to_string()
    };
    assert!(run(file).contains("expected more than 32"), "{}", run(file));
    assert!(run("nowhere.txt").starts_with("nowhere.txt: "), "{}", run("nowhere.txt"));
}
