//! The file of a model around the body of its `forward`.

use super::source::{Options, Writer, tuple};
use super::weights::tensor_type;
use crate::value::Tensor;
use burn_core::record::Node;
use burn_ir::TensorData;

impl Writer<'_> {
    pub(super) fn file(&self, inputs: &[String], outputs: &[String], options: &Options<'_>) -> String {
        let program = self.program;
        let mut body = self.lines.join("\n");
        if contains_word(&body, "device") {
            let first = program.inputs.first().map(|(_, tensor)| &self.tensors[&tensor.id]);
            let device = match first {
                Some(name) => format!("let device = &{name}.device();\n"),
                None => "let device = &B::Device::default();\n".into(),
            };
            body.insert_str(0, &device);
        }
        let result = tuple(outputs);
        let types: Vec<String> = program
            .outputs
            .iter()
            .map(|output| tensor_type(output.tensor.dtype(), output.tensor.held_dims().len()))
            .collect();
        let output_type = tuple(&types);
        let (mut fields, mut inits) = (String::new(), String::new());
        for field in &self.fields {
            fields += &format!("/// {}\npub {}: {},\n", field.documentation, field.name, field.type_text);
            inits += &format!("{}: {},\n", field.name, field.init);
        }
        if self.fields.is_empty() {
            fields += "phantom: core::marker::PhantomData<B>,\n";
            inits += "phantom: core::marker::PhantomData,\n";
        }
        let device = if contains_word(&inits, "device") { "device" } else { "_device" };
        // A value that the last iteration sets may not be read.
        let allowed = if self.has_loop { ", unused_assignments" } else { "" };
        let documentation = self.documentation(options);
        let loading = loading(options);
        let text = format!("{body}{fields}{inits}{}{output_type}", inputs.join(","));
        let imports = self.imports(&text, options);
        let shapes = self.forward_documentation();
        format!(
            "{imports}
            {documentation}
            #[derive(Module, Debug)]
            pub struct Model<B: Backend> {{ {fields} }}

            {loading}

            impl<B: Backend> Model<B> {{
                /// Makes the model with random weights, which take no memory before their first use.
                pub fn new({device}: &B::Device) -> Self {{ Model {{ {inits} }} }}

                {shapes}
                #[allow(clippy::let_and_return, clippy::too_many_arguments, clippy::type_complexity{allowed})]
                pub fn forward(&self, {}) -> {output_type} {{ {body}\n {result} }}
            }}",
            inputs.join(", ")
        )
    }

    fn documentation(&self, options: &Options<'_>) -> String {
        let count: usize = self.fields.iter().map(|field| parameters(&field.record)).sum();
        format!("/// Model of {}, {count} parameters.", options.title)
    }

    fn forward_documentation(&self) -> String {
        let listed = |name: &str, tensor: &Tensor| {
            let dims: Vec<String> = tensor
                .dims()
                .iter()
                .enumerate()
                .map(|(d, dim)| match (dim, self.program.sizes.get(&(tensor.id, d))) {
                    (_, Some(name)) => name.clone(),
                    (dim, None) => dim.known().map_or("?".into(), |size| size.to_string()),
                })
                .collect();
            let what =
                if tensor.is_scalar() { "one number".into() } else { format!("`[{}]`", dims.join(", ")) };
            format!("/// - `{name}`: {what}, {}\n", tensor.dtype())
        };
        let mut text = "/// Computes the outputs of the model.\n///\n/// Inputs:\n///\n".to_string();
        for (name, tensor) in &self.program.inputs {
            text += &listed(name, tensor);
        }
        text += "///\n/// Outputs:\n///\n";
        for output in &self.program.outputs {
            text += &listed(&output.name, &output.tensor);
        }
        text
    }

    fn imports(&self, text: &str, options: &Options<'_>) -> String {
        let has = |word: &str| contains_word(text, word);
        let mut tensor = vec!["Tensor", "backend::Backend"];
        for word in ["Bool", "DType", "Float", "Int", "PadMode", "s", "activation", "linalg", "signal"] {
            if has(word) {
                tensor.push(word);
            }
        }
        for word in ["ConvOptions", "PoolOptions"] {
            if has(word) {
                tensor.push(if word == "ConvOptions" { "ops::ConvOptions" } else { "ops::PoolOptions" });
            }
        }
        if text.contains("module::") {
            tensor.push("module");
        }
        let mut modules = vec!["Module"];
        for word in ["Param", "ParamId", "Initializer"] {
            if has(word) {
                modules.push(word);
            }
        }
        let recorder = if options.embed { "BinBytesRecorder" } else { options.record_type.recorder() };
        let mut lines = format!("use burn::module::{{{}}};\n", modules.join(", "));
        if !self.imports.is_empty() {
            let (inner, outer): (Vec<&str>, Vec<&str>) =
                self.imports.iter().copied().partition(|path| path.contains("::"));
            let inner: Vec<&str> = inner.iter().filter_map(|path| path.strip_prefix("conv::")).collect();
            for (module, names) in [("burn::nn::conv", inner), ("burn::nn", outer)] {
                if !names.is_empty() {
                    lines += &format!("use {module}::{{{}}};\n", names.join(", "));
                }
            }
        }
        // Programs without the standard library have no `Vec` by themselves.
        let vectors: Vec<&str> = [("vec!", "vec"), ("Vec", "vec::Vec")]
            .into_iter()
            .filter(|(word, _)| text.contains(word))
            .map(|(_, path)| path)
            .collect();
        if !vectors.is_empty() {
            lines.insert_str(0, &format!("extern crate alloc;\n\nuse alloc::{{{}}};\n", vectors.join(", ")));
        }
        lines += &format!("use burn::record::{{FullPrecisionSettings, RecordError, {recorder}}};\n");
        lines + &format!("use burn::tensor::{{{}}};\n", tensor.join(", "))
    }
}

/// Functions that load the weights.
fn loading(options: &Options<'_>) -> String {
    let recorder = options.record_type.recorder();
    if options.embed {
        return format!(
            "/// The weights, as they are in the program.
            static STATES: &[u8] = include_bytes!({:?});

            impl<B: Backend> Model<B> {{
                /// Makes the model with the weights that are part of the program.
                ///
                /// # Panics
                /// When the program was built with another version of the weights than of the model.
                pub fn from_embedded(device: &B::Device) -> Self {{
                    match Self::try_from_embedded(device) {{
                        Ok(model) => model,
                        Err(error) => panic!(\"{{error}}\"),
                    }}
                }}

                /// Makes the model with the weights that are part of the program.
                ///
                /// # Errors
                /// When the weights are not those of this model.
                pub fn try_from_embedded(device: &B::Device) -> Result<Self, RecordError> {{
                    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
                    let record = recorder.load_slice::<B, _>(STATES, device)?;
                    Self::new(device).try_load_record(record)
                }}
            }}

            impl<B: Backend> Default for Model<B> {{
                /// Makes the model with the weights that are part of the program, on the default device.
                fn default() -> Self {{ Self::from_embedded(&B::Device::default()) }}
            }}",
            format!("{}.bin", options.file_stem)
        );
    }
    format!(
        "impl<B: Backend> Model<B> {{
            /// Makes the model with the weights of a file.
            ///
            /// # Panics
            /// When the file cannot be read or has the weights of another model.
            pub fn from_file(path: impl Into<std::path::PathBuf>, device: &B::Device) -> Self {{
                match Self::try_from_file(path, device) {{
                    Ok(model) => model,
                    Err(error) => panic!(\"{{error}}\"),
                }}
            }}

            /// Makes the model with the weights of a file.
            ///
            /// # Errors
            /// When the file cannot be read or has the weights of another model.
            pub fn try_from_file(path: impl Into<std::path::PathBuf>, device: &B::Device) -> Result<Self, RecordError> {{
                Self::new(device).load_file(path, &{recorder}::<FullPrecisionSettings>::new(), device)
            }}
        }}

        impl<B: Backend> Default for Model<B> {{
            /// Makes the model with the weights of the file that was written beside the source, on the default device.
            fn default() -> Self {{ Self::from_file({:?}, &B::Device::default()) }}
        }}",
        options.record_path
    )
}

/// Source with an empty line before each item.
pub(super) fn spaced(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut before = "";
    for line in text.lines() {
        let inner = line.trim_start();
        let indent = line.len() - inner.len();
        let begins = ["///", "#[", "pub fn", "pub struct", "static", "impl", "fn"]
            .iter()
            .any(|start| inner.starts_with(start));
        let goes_on = ["///", "#[", "{", "("]
            .iter()
            .any(|part| before.trim_start().starts_with(part) || before.ends_with(part));
        if begins && !goes_on && !before.is_empty() && (indent == 0 || (indent == 4 && before == "    }")) {
            result.push('\n');
        }
        result.push_str(line);
        result.push('\n');
        before = line;
    }
    result
}

fn parameters(record: &Node) -> usize {
    match record {
        Node::Tensor(data) => TensorData::num_elements(data),
        Node::Map(fields) => fields.iter().map(|(_, field)| parameters(field)).sum(),
        _ => 0,
    }
}

fn contains_word(text: &str, word: &str) -> bool {
    let mut rest = text;
    while let Some(place) = rest.find(word) {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let before = rest[..place].chars().next_back().is_some_and(is_part);
        let after = rest[place + word.len()..].chars().next().is_some_and(is_part);
        let needs_bang = word == "s";
        let fits = !needs_bang || rest[place + word.len()..].starts_with('!');
        if !before && !after && fits {
            return true;
        }
        rest = &rest[place + word.len()..];
    }
    false
}
