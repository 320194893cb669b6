//! The source of a model.

use super::call_text;
use super::layer::{self, Constants, Layer};
use super::names::{Names, identifier};
use super::numbers::Variables;
use super::record::RecordType;
use super::weights::{initial, is_literal, literal, rank, tensor_type};
use crate::builder::{Block, Statement};
use crate::calls::Operand;
use crate::graph::Constant;
use crate::program::Program;
use crate::value::{Expr, Tensor, TensorId};
use burn_core::record::Node;
use burn_ir::{DType, TensorData};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Calls whose rank follows from the variable that takes their result.
const RANK_OF_RESULT: [&str; 2] = ["squeeze_dims", "unsqueeze_dims"];

/// A step of `forward`.
enum Step {
    Call(Statement),
    Layer { layer: Layer, result: Tensor },
}

/// A field of the model.
struct Field {
    name: String,
    type_text: String,
    init: String,
    documentation: String,
    record: Node,
}

/// Source and weights of a model.
pub(super) struct Source {
    pub text: String,
    pub record: Node,
}

/// What is said about the model, and how its weights are kept.
pub(super) struct Options<'a> {
    pub title: String,
    pub file_stem: &'a str,
    pub record_path: String,
    pub record_type: RecordType,
    pub embed: bool,
}

struct Writer<'a> {
    program: &'a Program,
    names: Names,
    variables: Variables,
    tensors: HashMap<TensorId, String>,
    /// Texts of tensors that are fields.
    fields_of: HashMap<TensorId, String>,
    /// How often each tensor is still needed.
    uses: HashMap<TensorId, usize>,
    fields: Vec<Field>,
    imports: BTreeSet<&'static str>,
    lines: Vec<String>,
    used_sizes: HashSet<(TensorId, usize)>,
}

/// Writes the source.
pub(super) fn write(program: &Program, options: &Options<'_>) -> Result<Source, String> {
    let mut writer = Writer {
        program,
        names: Names::default(),
        variables: Variables::default(),
        tensors: HashMap::new(),
        fields_of: HashMap::new(),
        uses: HashMap::new(),
        fields: Vec::new(),
        imports: BTreeSet::new(),
        lines: Vec::new(),
        used_sizes: HashSet::new(),
    };
    let steps = writer.steps();
    writer.count(&steps);
    let inputs = writer.inputs();
    for step in &steps {
        writer.step(step);
    }
    let outputs: Vec<String> = program.outputs.iter().map(|output| writer.tensor(&output.tensor)).collect();
    let record = writer.fields.iter().map(|field| (field.name.clone(), field.record.clone()));
    let record = Node::Map(record.collect());
    let text = writer.file(&inputs, &outputs, options);
    let file = syn::parse_file(&text)
        .map_err(|error| format!("the generated source is not Rust: {error}\n{text}"))?;
    let header = format!(
        "// Generated from {} by burn-onnx. Edits are lost when it is generated again.\n\n",
        options.title
    );
    Ok(Source { text: header + &prettyplease::unparse(&file), record })
}

impl Writer<'_> {
    /// The steps: calls with constant weights become layers.
    fn steps(&mut self) -> Vec<Step> {
        let mut constants = Constants::new();
        let mut layers: HashMap<TensorId, usize> = HashMap::new();
        let mut uses: HashMap<TensorId, usize> = HashMap::new();
        let statements = &self.program.statements;
        for id in statements.iter().flat_map(Statement::operands) {
            *uses.entry(id).or_default() += 1;
        }
        for output in &self.program.outputs {
            *uses.entry(output.tensor.id).or_default() += 1;
        }
        let mut steps: Vec<Step> = Vec::new();
        for statement in statements {
            if let Statement::Constant { constant, result } = statement {
                constants.insert(result.id, constant.clone());
            }
            if let Some((place, layer, result)) = biased(statement, &constants, &layers, &uses, &steps) {
                layers.insert(result.id, place);
                steps[place] = Step::Layer { layer, result };
                continue;
            }
            match (layer::of_call(statement, &constants), statement) {
                (Some(layer), Statement::Call { results, .. }) => {
                    layers.insert(results[0].id, steps.len());
                    steps.push(Step::Layer { layer, result: results[0].clone() });
                }
                _ => steps.push(Step::Call(statement.clone())),
            }
        }
        // Constants that only layers use are in the layers.
        let mut needed: HashSet<TensorId> =
            self.program.outputs.iter().map(|output| output.tensor.id).collect();
        for step in &steps {
            match step {
                Step::Call(statement) => needed.extend(statement.operands()),
                Step::Layer { layer, .. } => drop(needed.insert(layer.input.id)),
            }
        }
        let is_needed = |step: &Step| match step {
            Step::Call(Statement::Constant { result, .. }) => needed.contains(&result.id),
            _ => true,
        };
        steps.retain(is_needed);
        steps
    }

    fn count(&mut self, steps: &[Step]) {
        for step in steps {
            let (ids, statement) = match step {
                Step::Call(statement @ (Statement::Call { .. } | Statement::Branch { .. })) => {
                    (all_operands(statement), Some(statement))
                }
                Step::Call(_) => (Vec::new(), None),
                Step::Layer { layer, .. } => (vec![layer.input.id], None),
            };
            for id in ids {
                *self.uses.entry(id).or_default() += 1;
            }
            if let Some(statement) = statement {
                statement.visit(&mut |expr| {
                    if let Expr::Dim(id, d) = expr {
                        self.used_sizes.insert((*id, *d));
                    }
                });
            }
        }
        for output in &self.program.outputs {
            *self.uses.entry(output.tensor.id).or_default() += 1;
        }
    }

    /// The parameters of `forward`.
    fn inputs(&mut self) -> Vec<String> {
        let mut parameters = Vec::new();
        let program = self.program;
        for (name, tensor) in &program.inputs {
            let text = self.names.unique(name);
            let is_used =
                self.uses.contains_key(&tensor.id) || self.used_sizes.iter().any(|(id, _)| *id == tensor.id);
            let is_read = program.statements.iter().any(
                |statement| matches!(statement, Statement::Read { tensor: read } if read.id == tensor.id),
            );
            let text = if is_used || is_read { text } else { format!("_{text}") };
            parameters.push(format!("{text}: {}", tensor_type(tensor.dtype(), tensor.held_dims().len())));
            self.tensors.insert(tensor.id, text);
        }
        for (_, tensor) in &program.inputs {
            self.sizes_of(tensor);
        }
        parameters
    }

    /// Variables of the sizes of a tensor that are used.
    fn sizes_of(&mut self, tensor: &Tensor) {
        let rank = tensor.held_dims().len();
        if !(0..rank).any(|d| self.used_sizes.contains(&(tensor.id, d))) {
            return;
        }
        let base = self.tensors[&tensor.id].clone();
        let mut parts = Vec::with_capacity(rank);
        for d in 0..rank {
            if !self.used_sizes.contains(&(tensor.id, d)) {
                parts.push("_".to_string());
                continue;
            }
            let name = self.program.sizes.get(&(tensor.id, d)).cloned();
            let name = self.names.unique(&name.unwrap_or_else(|| format!("{base}_size_{d}")));
            self.variables.sizes.insert((tensor.id, d), name.clone());
            parts.push(name);
        }
        self.lines.push(format!("let [{}] = {base}.dims().map(|size| size as i64);", parts.join(", ")));
    }

    /// The text of a tensor at a place that takes it.
    fn tensor(&mut self, tensor: &Tensor) -> String {
        if let Some(field) = self.fields_of.get(&tensor.id) {
            return field.clone();
        }
        let name = self.tensors.get(&tensor.id).cloned().unwrap_or_else(|| "unknown".into());
        let left = self.uses.entry(tensor.id).or_insert(1);
        *left = left.saturating_sub(1);
        if *left > 0 { format!("{name}.clone()") } else { name }
    }

    /// A variable for a tensor.
    fn variable(&mut self, tensor: &Tensor, call: &str) -> String {
        let name =
            self.program.names.get(&tensor.id).map_or_else(|| call.to_string(), |name| identifier(name));
        let name = self.names.unique(&name);
        self.tensors.insert(tensor.id, name.clone());
        name
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Layer { layer, result } => {
                let field = self.layer(layer);
                let input = self.tensor(&layer.input);
                let name = self.variable(result, &field);
                self.lines.push(format!("let {name} = self.{field}.forward({input});"));
                self.sizes_of(result);
            }
            Step::Call(statement) => self.statement(statement),
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Constant { constant, result } => self.constant(constant, result),
            Statement::Branch { condition, blocks, results } => {
                let condition = self.variables.text(condition);
                self.branch(&condition, blocks, results);
            }
            Statement::Read { tensor } => {
                let name = match self.fields_of.get(&tensor.id) {
                    Some(field) => field.clone(),
                    None => self.tensors[&tensor.id].clone(),
                };
                let list =
                    self.names.unique(&format!("{}_values", self.tensors.get(&tensor.id).unwrap_or(&name)));
                self.variables.lists.insert(tensor.id, list.clone());
                let element = if tensor.dtype().is_float() {
                    "f64"
                } else if tensor.dtype() == DType::Bool {
                    "bool"
                } else {
                    "i64"
                };
                let read = format!("{name}.to_data().iter::<{element}>().collect()");
                self.lines.push(format!("let {list}: Vec<{element}> = {read};"));
            }
            Statement::Call { definition, operands, results } => {
                let mut uses = std::mem::take(&mut self.uses);
                let text = {
                    let (tensors, fields) = (&self.tensors, &self.fields_of);
                    call_text::call(definition, operands, &self.variables, &mut |tensor| {
                        if let Some(field) = fields.get(&tensor.id) {
                            return field.clone();
                        }
                        let name = tensors.get(&tensor.id).cloned().unwrap_or_else(|| "unknown".into());
                        let left = uses.entry(tensor.id).or_insert(1);
                        *left = left.saturating_sub(1);
                        if *left > 0 { format!("{name}.clone()") } else { name }
                    })
                };
                self.uses = uses;
                let names: Vec<String> =
                    results.iter().map(|result| self.result(result, definition.name)).collect();
                let line = match &names[..] {
                    [name] if RANK_OF_RESULT.contains(&definition.name) => {
                        let result = tensor_type(results[0].dtype(), results[0].held_dims().len());
                        format!("let {name}: {result} = {text};")
                    }
                    [name] => format!("let {name} = {text};"),
                    names => format!("let ({}) = {text};", names.join(", ")),
                };
                self.lines.push(line);
                results.iter().for_each(|result| self.sizes_of(result));
            }
        }
    }

    /// `let results = if condition { .. } else { .. };`
    fn branch(&mut self, condition: &str, blocks: &[Block; 2], results: &[Tensor]) {
        let mut texts = Vec::new();
        for block in blocks {
            let outer = std::mem::take(&mut self.lines);
            let variables = self.variables.clone();
            block.statements.iter().for_each(|statement| self.statement(statement));
            let values: Vec<String> = block.results.iter().map(|result| self.tensor(result)).collect();
            let lines = std::mem::replace(&mut self.lines, outer);
            self.variables = variables;
            texts.push(format!("{{ {}\n {} }}", lines.join("\n"), tuple(&values)));
        }
        let names: Vec<String> = results.iter().map(|result| self.result(result, "branch")).collect();
        self.lines.push(format!("let {} = if {condition} {} else {};", tuple(&names), texts[0], texts[1]));
        results.iter().for_each(|result| self.sizes_of(result));
    }

    fn result(&mut self, result: &Tensor, call: &str) -> String {
        let is_used = self.uses.contains_key(&result.id)
            || self.used_sizes.iter().any(|(id, _)| *id == result.id)
            || self.is_read(result);
        if is_used { self.variable(result, call) } else { format!("_{}", self.variable(result, call)) }
    }

    fn is_read(&self, result: &Tensor) -> bool {
        let reads =
            |statement: &Statement| matches!(statement, Statement::Read { tensor } if tensor.id == result.id);
        self.program.statements.iter().any(reads)
    }

    fn constant(&mut self, constant: &Constant, result: &Tensor) {
        if is_literal(constant) {
            let name =
                self.variable(result, if constant.name.is_empty() { "constant" } else { &constant.name });
            self.lines.push(format!("let {name} = {};", literal(&constant.data)));
            return;
        }
        let name = if constant.name.is_empty() { "weight" } else { &constant.name };
        let name = self.field_name(name);
        let mut data = (*constant.data).clone();
        let rank = rank(&data);
        if data.shape.is_empty() {
            data.shape = [1].into();
        }
        let tensor = tensor_type(data.dtype, rank);
        // Integers are loaded as those of the backend.
        let value = match data.dtype {
            DType::I64 | DType::Bool => format!("self.{name}.val()"),
            dtype if dtype.is_int() => format!("self.{name}.val().cast(DType::{dtype:?})"),
            _ => format!("self.{name}.val()"),
        };
        self.fields_of.insert(result.id, value);
        self.tensors.insert(result.id, name.clone());
        self.fields.push(Field {
            type_text: format!("Param<{tensor}>"),
            init: initial(&data),
            documentation: format!("`{}`, {:?}.", constant.name, data.shape),
            record: Node::Tensor(data),
            name,
        });
    }

    fn field_name(&mut self, name: &str) -> String {
        let mut unique = identifier(name);
        let mut count = 2;
        while self.fields.iter().any(|field| field.name == unique) {
            unique = format!("{}_{count}", identifier(name));
            count += 1;
        }
        unique
    }

    /// The field of a layer.
    fn layer(&mut self, layer: &Layer) -> String {
        let name = if layer.is_anonymous() {
            layer.fallback
        } else {
            layer.weight.strip_suffix(".weight").unwrap_or(&layer.weight)
        };
        let name = self.field_name(name);
        self.imports.extend(layer.imports.iter().copied());
        self.imports.insert(layer.path);
        self.fields.push(Field {
            name: name.clone(),
            type_text: format!("{}<B>", layer.type_name()),
            init: layer.init.clone(),
            documentation: layer.documentation.clone(),
            record: layer.record(),
        });
        name
    }

    fn file(&self, inputs: &[String], outputs: &[String], options: &Options<'_>) -> String {
        let program = self.program;
        let mut body = self.lines.join("\n");
        if body.contains("device") {
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
        let device = if inits.contains("device") { "device" } else { "_device" };
        let documentation = self.documentation(options);
        let loading = loading(options);
        let imports = self.imports(&format!("{body}{fields}{inits}{}", inputs.join(",")), options);
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
                #[allow(clippy::let_and_return, clippy::too_many_arguments, clippy::type_complexity)]
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
            let layers: Vec<&str> = self.imports.iter().copied().collect();
            lines += &format!("use burn::nn::{{{}}};\n", layers.join(", "));
        }
        let trait_ = if options.embed { ", Recorder" } else { "" };
        lines += &format!("use burn::record::{{FullPrecisionSettings, RecordError, {recorder}{trait_}}};\n");
        lines + &format!("use burn::tensor::{{{}}};\n", tensor.join(", "))
    }
}

/// Tensors that a statement takes, once for each time that they stand in it.
fn all_operands(statement: &Statement) -> Vec<TensorId> {
    match statement {
        Statement::Branch { blocks, .. } => {
            let inner = blocks.iter().flat_map(|block| &block.statements).flat_map(all_operands);
            inner.chain(blocks.iter().flat_map(|block| &block.results).map(|tensor| tensor.id)).collect()
        }
        // Reads borrow.
        Statement::Read { .. } => Vec::new(),
        other => other.operands(),
    }
}

/// One text, or several in parentheses.
fn tuple(texts: &[String]) -> String {
    match texts {
        [text] => text.clone(),
        texts => format!("({})", texts.join(", ")),
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
                    let record = Recorder::<B>::load(&recorder, STATES.to_vec(), device)?;
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

/// A linear layer without a bias, and the constant that is added to its output: the layer with the bias.
fn biased(
    statement: &Statement,
    constants: &Constants,
    layers: &HashMap<TensorId, usize>,
    uses: &HashMap<TensorId, usize>,
    steps: &[Step],
) -> Option<(usize, Layer, Tensor)> {
    let Statement::Call { definition, operands, results } = statement else { return None };
    if definition.name != "add" {
        return None;
    }
    let [Operand::Tensor(a), Operand::Tensor(b)] = &operands[..] else { return None };
    for (product, bias) in [(a, b), (b, a)] {
        let (Some(&place), Some(bias)) = (layers.get(&product.id), constants.get(&bias.id)) else { continue };
        let Step::Layer { layer, .. } = &steps[place] else { continue };
        if uses.get(&product.id) == Some(&1)
            && let Some(layer) = layer::with_bias(layer, bias)
        {
            return Some((place, layer, results[0].clone()));
        }
    }
    None
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
