use crate::fixture::{folder, numbers, tokens};
use burn_lm::{ChatMessage, Tokenizer};
use std::fs;

/// Compares with the tokens of a reference, and puts them together again.
fn check(name: &str, tokenizer: &Tokenizer) {
    let expected = tokens(name);
    let texts = expected["texts"].as_array().unwrap();
    assert!(texts.len() > 4);
    for (text, tokens) in texts.iter().zip(expected["tokens"].as_array().unwrap()) {
        let (text, tokens) = (text.as_str().unwrap(), numbers(tokens));
        assert_eq!(tokenizer.encode(text, true).unwrap(), tokens, "{name}: {text:?}");
        let plain = text.replace("<|user|>", "").replace("<|end|>", "");
        // SentencePiece has a space in front of every text.
        assert_eq!(tokenizer.decode(&tokens[1..]).trim_start(), plain.trim_start(), "{name}");
    }
}

#[test]
fn x_602_byte_level_vocabulary_of_gguf_gives_the_tokens_of_tokenizers() {
    check("byte_level", &Tokenizer::from_gguf(folder("chat.gguf")).unwrap());
}

#[test]
fn x_602_tokenizer_json_gives_the_tokens_of_tokenizers() {
    check("byte_level", &Tokenizer::from_folder(folder("chat")).unwrap());
}

#[test]
fn x_602_pair_vocabulary_of_gguf_gives_the_tokens_of_sentence_piece() {
    check("bpe", &Tokenizer::from_gguf(folder("bpe.gguf")).unwrap());
}

#[test]
fn x_602_unigram_vocabulary_of_gguf_gives_the_tokens_of_sentence_piece() {
    check("unigram", &Tokenizer::from_gguf(folder("unigram.gguf")).unwrap());
}

#[test]
fn chat_template_of_file_and_folder_writes_what_transformers_writes() {
    let expected = tokens("chat");
    let messages: Vec<ChatMessage> = serde_json::from_value(expected["messages"].clone()).unwrap();
    let file = Tokenizer::from_gguf(folder("chat.gguf")).unwrap();
    let folder = Tokenizer::from_folder(folder("chat")).unwrap();
    for tokenizer in [&file, &folder] {
        let text = tokenizer.chat_template().unwrap().render(&messages, true).unwrap();
        assert_eq!(text, expected["text"].as_str().unwrap());
        let tokens = tokenizer.encode_chat(&messages).unwrap();
        assert_eq!(tokens, tokenizer.encode(&text, false).unwrap());
        assert!(tokenizer.is_end(2) && !tokenizer.is_end(5));
        // Special tokens have no text.
        assert_eq!(tokenizer.decode(&[1, 2, 3]), "");
    }
}

#[test]
fn damaged_tokenizers_are_errors_with_the_name_of_the_file() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("tokenizer.json");
    fs::write(&path, "{\"model\": 3}").unwrap();
    let error = Tokenizer::from_folder(temporary.path()).unwrap_err().to_string();
    assert!(error.contains("tokenizer.json"), "{error}");
    // A comma that is missing inside of the decoder, and a normalizer without its table.
    let decoder = r#"{"model":{"type":"BPE","vocab":{},"merges":[]},"decoder":{"type":"Fuse" "a":1}}"#;
    let normalizer = r#"{"model":{"type":"BPE","vocab":{},"merges":[]},"normalizer":{"type":"Precompiled"}}"#;
    for text in [decoder, normalizer] {
        fs::write(&path, text).unwrap();
        let error = Tokenizer::from_folder(temporary.path()).unwrap_err().to_string();
        assert!(error.contains("tokenizer.json"), "{error}");
    }
    let bytes = fs::read(folder("chat.gguf")).unwrap();
    let path = temporary.path().join("cut.gguf");
    for length in (0..bytes.len()).step_by(997) {
        fs::write(&path, &bytes[..length]).unwrap();
        assert!(Tokenizer::from_gguf(&path).is_err());
    }
    // A file without a vocabulary.
    let error = Tokenizer::from_gguf(folder("llama.gguf")).unwrap_err().to_string();
    assert!(error.contains("tokenizer.ggml.tokens") && error.contains("llama.gguf"), "{error}");
}
