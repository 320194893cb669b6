use crate::LmError;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, Value, context};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::sync::Arc;

/// Instructions of a template: enough for long chats, and the end of a template that loops.
const FUEL: u64 = 5_000_000;
/// Largest prompt that a template writes.
const MOST_BYTES: usize = 16 << 20;
const NAME: &str = "chat";

/// A message of a chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Author of the message: `system`, `user` or `assistant`.
    pub role: String,
    /// Text of the message.
    pub content: String,
}

impl ChatMessage {
    /// Creates a message of `role`.
    pub fn new(role: impl Into<String>, content: impl Into<String>) -> Self {
        ChatMessage { role: role.into(), content: content.into() }
    }
}

/// The Jinja template by which a model was trained to read chats. Its run time and what it writes are
/// limited.
///
/// ```
/// use burn::lm::{ChatMessage, ChatTemplate};
///
/// let source = "{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}{% endfor %}";
/// let template = ChatTemplate::new(source, "<s>", "</s>")?;
/// assert_eq!(template.render(&[ChatMessage::new("user", " Hi ")], true)?, "<s><user>Hi");
/// # Ok::<(), burn::lm::LmError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ChatTemplate {
    environment: Arc<Environment<'static>>,
    bos_token: String,
    eos_token: String,
}

impl ChatTemplate {
    /// Compiles a template.
    ///
    /// # Errors
    /// The template has a syntax error.
    pub fn new(source: &str, bos_token: &str, eos_token: &str) -> Result<Self, LmError> {
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.map_err(template_error)?);
        environment.set_fuel(Some(FUEL));
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_function("raise_exception", |text: String| -> Result<String, Error> {
            Err(Error::new(ErrorKind::InvalidOperation, text))
        });
        environment.add_template_owned(NAME, source.to_string()).map_err(template_error)?;
        let (bos_token, eos_token) = (bos_token.to_string(), eos_token.to_string());
        Ok(ChatTemplate { environment: Arc::new(environment), bos_token, eos_token })
    }

    /// Writes messages as a prompt; with `add_generation_prompt` it ends where the answer of the model
    /// begins.
    ///
    /// # Errors
    /// The template refuses the messages, fails, runs too long, or writes more than 16 MiB.
    pub fn render(&self, messages: &[ChatMessage], add_generation_prompt: bool) -> Result<String, LmError> {
        let template = self.environment.get_template(NAME).map_err(template_error)?;
        let messages = messages.iter().map(|ChatMessage { role, content }| {
            Value::from_pairs([("role", role.as_str()), ("content", content.as_str())])
        });
        let context = context! {
            messages => messages.collect::<Vec<Value>>(),
            add_generation_prompt => add_generation_prompt,
            bos_token => self.bos_token.as_str(),
            eos_token => self.eos_token.as_str(),
        };
        let mut text = LimitedText(Vec::new());
        template.render_captured_to(context, &mut text).map_err(template_error)?;
        String::from_utf8(text.0).map_err(|cause| LmError::Template { cause: cause.to_string() })
    }
}

/// A text of limited size.
struct LimitedText(Vec<u8>);

impl Write for LimitedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_BYTES {
            return Err(io::Error::other(format!("the prompt has more than {MOST_BYTES} bytes")));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn template_error(error: Error) -> LmError {
    LmError::Template { cause: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::{ChatMessage, ChatTemplate};

    fn error(source: &str) -> String {
        let template = ChatTemplate::new(source, "", "");
        template.and_then(|template| template.render(&[], true)).unwrap_err().to_string()
    }

    #[test]
    fn templates_that_fail_or_loop_are_errors() {
        assert!(error("{% for x in %}").contains("syntax error"));
        assert!(error("{{ raise_exception('no system role') }}").contains("no system role"));
        let nested = "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}";
        assert!(error(nested).contains("fuel"), "{}", error(nested));
        let long = "{% for a in range(40000) %}{{ 'x' * 1000 }}{% endfor %}";
        assert!(!error(long).is_empty());
    }

    #[test]
    fn blocks_take_their_lines_and_python_methods_work() {
        let source = "{% for m in messages %}\n    {% if m['role'] == 'user' %}\n[{{ m['content'].strip() }}]\n    {% endif %}\n{% endfor %}";
        let template = ChatTemplate::new(source, "", "").unwrap();
        let messages = [ChatMessage::new("user", " a "), ChatMessage::new("system", "b")];
        assert_eq!(template.render(&messages, false).unwrap(), "[a]\n");
    }
}
