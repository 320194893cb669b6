use crate::LmError;
use crate::tokenizer::Tokenizer;
use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::{ApproximateTokEnv, TokRxInfo, TokTrie};
use llguidance::{Matcher, ParserFactory};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt::{Debug, Formatter};
use std::sync::Arc;

/// At most one space or line between the parts of a value: a model that is not sure could write them without
/// end.
const WHITESPACE: &str = r"[ \n]?";

/// Compiles JSON schemas to constraints on the tokens of a vocabulary.
pub struct SchemaCompiler {
    factory: ParserFactory,
}

impl SchemaCompiler {
    /// Sorts the vocabulary, which takes a while for a large one.
    pub fn new(tokenizer: &Tokenizer) -> Result<Self, LmError> {
        let Some(end) = tokenizer.end_tokens().next() else {
            return Err(schema_error("the tokenizer has no end token"));
        };
        let size = tokenizer.vocabulary_size();
        let mut known: HashSet<Vec<u8>> = HashSet::new();
        let words: Vec<Vec<u8>> = (0..size as u32)
            .map(|token| match tokenizer.token_bytes(token) {
                // No text has the mark of a special token.
                _ if tokenizer.is_end(token) => {
                    let name = format!("<{token}>");
                    [&[TokTrie::SPECIAL_TOKEN_MARKER], name.as_bytes()].concat()
                }
                // Among tokens with the same bytes only the first counts.
                bytes if !bytes.is_empty() && known.insert(bytes.clone()) => bytes,
                _ => Vec::new(),
            })
            .collect();
        let trie = TokTrie::from(&TokRxInfo::new(size as u32, end), &words);
        let environment = Arc::new(ApproximateTokEnv::new(trie));
        let mut factory = ParserFactory::new_simple(&(environment as _)).map_err(schema_error)?;
        factory.quiet();
        Ok(SchemaCompiler { factory })
    }

    /// Compiles a schema.
    pub fn compile(&self, schema: &Value) -> Result<JsonConstraint, LmError> {
        let mut schema = schema.clone();
        let Some(fields) = schema.as_object_mut() else {
            return Err(schema_error("expected an object"));
        };
        fields.insert("x-guidance".to_string(), json!({"whitespace_pattern": WHITESPACE}));
        let parser = self.factory.create_parser(TopLevelGrammar::from_json_schema(schema));
        Ok(JsonConstraint(Matcher::new(Ok(parser.map_err(schema_error)?))))
    }
}

impl Debug for SchemaCompiler {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("SchemaCompiler")
    }
}

/// The tokens that may come next in a text of a JSON schema.
pub struct JsonConstraint(Matcher);

impl JsonConstraint {
    /// Forbids the tokens that cannot come next.
    pub fn mask(&mut self, logits: &mut [f32]) -> Result<(), LmError> {
        let allowed = self.0.compute_mask_or_eos().map_err(schema_error)?;
        for (token, logit) in logits.iter_mut().enumerate() {
            if token >= allowed.len() || !allowed.get(token) {
                *logit = f32::NEG_INFINITY;
            }
        }
        Ok(())
    }

    /// Adds a token, and returns whether the text is complete.
    pub fn accept(&mut self, token: u32) -> Result<bool, LmError> {
        self.0.consume_token(token).map_err(schema_error)?;
        Ok(self.0.is_stopped())
    }
}

impl Debug for JsonConstraint {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("JsonConstraint")
    }
}

fn schema_error(cause: impl std::fmt::Display) -> LmError {
    let cause: String = cause.to_string().chars().take(500).collect();
    LmError::Schema { cause }
}
