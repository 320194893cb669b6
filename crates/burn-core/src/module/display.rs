use super::DisplaySettings;
use super::content::{Content, block};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{Formatter, Result};

/// Default printed content of a module, as the derive writes it: name, fields, number of parameters.
pub trait ModuleDisplayDefault {
    /// Adds name, fields and number of parameters to `content`.
    fn content(&self, content: Content) -> Option<Content>;
}

/// Display of a module. Implement it yourself with `#[module(custom_display)]`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::module::{Content, DisplaySettings, Initializer, Module, ModuleDisplay, Param};
/// use burn::tensor::{Backend, Tensor};
///
/// #[derive(Module, Debug)]
/// #[module(custom_display)]
/// struct Affine<B: Backend> {
///     weight: Param<Tensor<B, 2>>,
/// }
///
/// impl<B: Backend> ModuleDisplay for Affine<B> {
///     fn custom_settings(&self) -> Option<DisplaySettings> {
///         DisplaySettings::new().with_new_line_after_attribute(false).optional()
///     }
///     fn custom_content(&self, content: Content) -> Option<Content> {
///         let [inputs, outputs] = self.weight.dims();
///         content.add("inputs", &inputs).add("outputs", &outputs).optional()
///     }
/// }
///
/// let affine: Affine<NdArray> = Affine { weight: Initializer::Ones.init([2, 3], &Default::default()) };
/// assert_eq!(affine.to_string(), "Affine {inputs: 2, outputs: 3, params: 6}");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be printed as a part of a module",
    note = "add `#[derive(Module)]` to it, or hold it as `Ignored<{Self}>`",
    note = "with `#[module(custom_display)]`, implement `ModuleDisplay` for it"
)]
pub trait ModuleDisplay: ModuleDisplayDefault {
    /// Settings for this module and, unless they have their own, for the modules in it.
    fn custom_settings(&self) -> Option<DisplaySettings> {
        None
    }

    /// Attributes in place of the fields.
    fn custom_content(&self, _content: Content) -> Option<Content> {
        None
    }
}

impl Content {
    /// Adds a module, which inherits the settings.
    #[must_use]
    pub fn add_module(self, name: &str, module: &dyn ModuleDisplay) -> Self {
        let settings = *self.settings();
        self.push(name, &|| format_module(module, &settings))
    }

    /// Adds numbered modules: on one line, like a list, if each takes one word, else one line each.
    pub(super) fn set_items<'a>(self, items: impl Iterator<Item = &'a dyn ModuleDisplay>) -> Self {
        let texts: Vec<String> = items.map(|item| format_module(item, self.settings())).collect();
        if texts.iter().all(|text| !text.contains(['{', '\n'])) {
            return self.set_text(format!("[{}]", texts.join(", ")));
        }
        let lines = texts.iter().enumerate().map(|(index, text)| (index.to_string(), text.clone()));
        let text = block(self.settings(), "", lines);
        self.set_text(text)
    }
}

/// Formats a module inside of one that is printed with `outer`.
pub(super) fn format_module(module: &dyn ModuleDisplay, outer: &DisplaySettings) -> String {
    let settings = module.custom_settings().unwrap_or_default().inherit(outer);
    let fields = |content: Content| module.content(content.clone()).unwrap_or(content);
    match module.custom_content(Content::new(settings)) {
        None => fields(Content::new(settings)).render(),
        Some(custom) if settings.shows_all_attributes() => {
            let fields = fields(Content::new(settings));
            custom.with_attributes(fields.clone()).with_head(fields).render()
        }
        Some(custom) => custom.with_head(fields(Content::head(settings))).render(),
    }
}

/// Formats a module with the default settings; derived modules implement `Display` with it.
#[doc(hidden)]
pub fn display(module: &dyn ModuleDisplay, f: &mut Formatter<'_>) -> Result {
    f.write_str(&format_module(module, &DisplaySettings::default()))
}
