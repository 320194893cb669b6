/// Settings for printing a module. Unset ones are inherited from the enclosing module, and finally have the
/// default.
///
/// | setting | default |
/// |---|---|
/// | `show_all_attributes`: fields too when `custom_content` gives others | `false` |
/// | `new_line_after_attribute`: one line per attribute | `true` |
/// | `show_num_parameters`: the number of parameters, last | `true` |
/// | `indentation_size`: spaces | `2` |
/// | `show_param_id`: the identifier of each parameter | `false` |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DisplaySettings {
    show_all_attributes: Option<bool>,
    new_line_after_attribute: Option<bool>,
    show_num_parameters: Option<bool>,
    indentation_size: Option<usize>,
    show_param_id: Option<bool>,
}

impl DisplaySettings {
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn with_show_all_attributes(mut self, show: bool) -> Self {
        self.show_all_attributes = Some(show);
        self
    }

    #[must_use]
    pub fn with_new_line_after_attribute(mut self, new_line: bool) -> Self {
        self.new_line_after_attribute = Some(new_line);
        self
    }

    #[must_use]
    pub fn with_show_num_parameters(mut self, show: bool) -> Self {
        self.show_num_parameters = Some(show);
        self
    }

    #[must_use]
    pub fn with_indentation_size(mut self, size: usize) -> Self {
        self.indentation_size = Some(size);
        self
    }

    #[must_use]
    pub fn with_show_param_id(mut self, show: bool) -> Self {
        self.show_param_id = Some(show);
        self
    }

    /// Returns these settings, as `custom_settings` returns them.
    pub fn optional(self) -> Option<Self> {
        Some(self)
    }

    /// Returns these settings, completed by those of the enclosing module.
    #[must_use]
    pub fn inherit(self, outer: &DisplaySettings) -> Self {
        DisplaySettings {
            show_all_attributes: self.show_all_attributes.or(outer.show_all_attributes),
            new_line_after_attribute: self.new_line_after_attribute.or(outer.new_line_after_attribute),
            show_num_parameters: self.show_num_parameters.or(outer.show_num_parameters),
            indentation_size: self.indentation_size.or(outer.indentation_size),
            show_param_id: self.show_param_id.or(outer.show_param_id),
        }
    }

    pub fn shows_all_attributes(&self) -> bool {
        self.show_all_attributes.unwrap_or(false)
    }

    pub fn has_new_line_after_attribute(&self) -> bool {
        self.new_line_after_attribute.unwrap_or(true)
    }

    pub fn shows_num_parameters(&self) -> bool {
        self.show_num_parameters.unwrap_or(true)
    }

    pub fn indentation_size(&self) -> usize {
        self.indentation_size.unwrap_or(2)
    }

    pub fn shows_param_id(&self) -> bool {
        self.show_param_id.unwrap_or(false)
    }
}
