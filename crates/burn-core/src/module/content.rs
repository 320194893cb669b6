use super::DisplaySettings;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{Debug, Display};

/// Printable content of a module: its name, its attributes, its number of parameters.
#[derive(Clone, Debug, Default)]
pub struct Content {
    settings: DisplaySettings,
    /// Whether only the name and the number of parameters are printed, without attributes.
    head_only: bool,
    type_name: String,
    text: Option<String>,
    attributes: Vec<(String, String)>,
    num_params: usize,
}

impl Content {
    pub(super) fn new(settings: DisplaySettings) -> Self {
        Content { settings, ..Self::default() }
    }

    pub(super) fn head(settings: DisplaySettings) -> Self {
        Content { settings, head_only: true, ..Self::default() }
    }

    /// Returns the settings that apply where the content is printed.
    pub fn settings(&self) -> &DisplaySettings {
        &self.settings
    }

    /// Adds an attribute.
    #[must_use]
    pub fn add(self, name: &str, value: &(impl Display + ?Sized)) -> Self {
        self.push(name, &|| value.to_string())
    }

    /// Adds an attribute in its `Debug` form, for lists and options.
    #[must_use]
    pub fn add_debug(self, name: &str, value: &(impl Debug + ?Sized)) -> Self {
        self.push(name, &|| format!("{value:?}"))
    }

    pub(super) fn push(mut self, name: &str, value: &dyn Fn() -> String) -> Self {
        if !self.head_only {
            self.attributes.push((name.to_string(), value()));
        }
        self
    }

    /// Returns this content, as `custom_content` returns it.
    pub fn optional(self) -> Option<Self> {
        Some(self)
    }

    /// Sets the name of the type.
    #[must_use]
    pub fn set_type(mut self, name: &str) -> Self {
        self.type_name = name.to_string();
        self
    }

    /// Sets a text in place of a name and attributes.
    #[must_use]
    pub fn set_text(mut self, text: String) -> Self {
        self.text = Some(text);
        self
    }

    /// Sets the `Debug` form of `value` in place of a name and attributes.
    #[must_use]
    pub fn set_debug(self, value: &dyn Debug) -> Self {
        self.set_text(format!("{value:?}"))
    }

    /// Sets the number of parameters; it is counted only if it is printed.
    #[must_use]
    pub fn set_num_params(mut self, count: impl FnOnce() -> usize) -> Self {
        if self.settings.shows_num_parameters() {
            self.num_params = count();
        }
        self
    }

    /// Takes name, parameters and text of `head` where this content has none.
    pub(super) fn with_head(mut self, head: Content) -> Self {
        if self.type_name.is_empty() {
            self.type_name = head.type_name;
        }
        if self.num_params == 0 {
            self.num_params = head.num_params;
        }
        self.text = self.text.or(head.text);
        self
    }

    pub(super) fn with_attributes(mut self, more: Content) -> Self {
        self.attributes.splice(0..0, more.attributes);
        self
    }

    pub(super) fn render(self) -> String {
        let Content { settings, type_name, text, mut attributes, num_params, .. } = self;
        if let (Some(text), true) = (text, attributes.is_empty()) {
            return text;
        }
        if num_params > 0 {
            attributes.push(("params".to_string(), num_params.to_string()));
        }
        if attributes.is_empty() {
            return type_name;
        }
        block(&settings, &type_name, attributes.into_iter())
    }
}

/// Formats `Name {a: 1, b: 2}`, or one line per attribute.
pub(super) fn block(
    settings: &DisplaySettings,
    name: &str,
    attributes: impl Iterator<Item = (String, String)>,
) -> String {
    let space = if name.is_empty() { "" } else { " " };
    let mut text = format!("{name}{space}{{");
    if settings.has_new_line_after_attribute() {
        let indent = format!("\n{}", " ".repeat(settings.indentation_size()));
        for (name, value) in attributes {
            text += &format!("{indent}{name}: {}", value.replace('\n', &indent));
        }
        text += "\n}";
    } else {
        let attributes: Vec<String> = attributes.map(|(name, value)| format!("{name}: {value}")).collect();
        text += &attributes.join(", ");
        text += "}";
    }
    text
}
