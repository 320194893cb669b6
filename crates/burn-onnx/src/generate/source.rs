//! The source of a model.

use super::call_text;
use super::file::spaced;
use super::layer::Layer;
use super::names::{Names, identifier};
use super::numbers::Variables;
use super::record::RecordType;
use super::steps::{Step, steps};
use super::weights::{initial, is_literal, literal, rank, tensor_type};
use crate::builder::Statement;
use crate::graph::Constant;
use crate::program::Program;
use crate::value::{Expr, Tensor, TensorId};
use burn_core::record::Node;
use burn_ir::DType;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Calls whose rank follows from the variable that takes their result.
const RANK_OF_RESULT: [&str; 2] = ["squeeze_dims", "unsqueeze_dims"];

/// A field of the model.
pub(super) struct Field {
    pub name: String,
    pub type_text: String,
    pub init: String,
    pub documentation: String,
    pub record: Node,
}

/// Source and weights of a model.
pub(super) struct Source {
    pub text: String,
    pub record: Node,
}

/// Words about the model, and how its weights are kept.
pub(super) struct Options<'a> {
    pub title: String,
    pub file_stem: &'a str,
    pub record_path: String,
    pub record_type: RecordType,
    pub embed: bool,
}

/// The source so far.
pub(super) struct Writer<'a> {
    pub program: &'a Program,
    pub names: Names,
    pub variables: Variables,
    pub tensors: HashMap<TensorId, String>,
    /// Texts of tensors that are fields.
    fields_of: HashMap<TensorId, String>,
    /// Number of remaining uses of each tensor.
    pub uses: HashMap<TensorId, usize>,
    pub fields: Vec<Field>,
    pub imports: BTreeSet<&'static str>,
    pub lines: Vec<String>,
    pub has_loop: bool,
    pub used_sizes: HashSet<(TensorId, usize)>,
    /// Tensors whose elements are read to the host.
    read: HashSet<TensorId>,
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
        has_loop: false,
        used_sizes: HashSet::new(),
        read: HashSet::new(),
    };
    let steps = steps(program);
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
    Ok(Source { text: header + &spaced(&prettyplease::unparse(&file)), record })
}

impl Writer<'_> {
    fn count(&mut self, steps: &[Step]) {
        for step in steps {
            step.moves(&mut |id| *self.uses.entry(id).or_default() += 1);
            step.visit(&mut |expr| {
                if let Expr::Dim(id, d) = expr {
                    self.used_sizes.insert((*id, *d));
                }
            });
        }
        for output in &self.program.outputs {
            *self.uses.entry(output.tensor.id).or_default() += 1;
        }
        for statement in &self.program.statements {
            statement.walk(&mut |statement| {
                if let Statement::Read { tensor } = statement {
                    self.read.insert(tensor.id);
                }
            });
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
            let text = if is_used || self.is_read(tensor) { text } else { format!("_{text}") };
            parameters.push(format!("{text}: {}", tensor_type(tensor.dtype(), tensor.held_dims().len())));
            self.tensors.insert(tensor.id, text);
        }
        for (_, tensor) in &program.inputs {
            self.sizes_of(tensor);
        }
        parameters
    }

    /// Variables of the sizes of a tensor that are used.
    pub fn sizes_of(&mut self, tensor: &Tensor) {
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

    /// Writes a use of a tensor by value, cloned if it is used later.
    pub fn tensor(&mut self, tensor: &Tensor) -> String {
        if let Some(field) = self.fields_of.get(&tensor.id) {
            return field.clone();
        }
        let name = self.tensors.get(&tensor.id).cloned().unwrap_or_else(|| "unknown".into());
        let left = self.uses.entry(tensor.id).or_insert(1);
        *left = left.saturating_sub(1);
        if *left > 0 { format!("{name}.clone()") } else { name }
    }

    /// Declares a variable for a tensor.
    pub fn variable(&mut self, tensor: &Tensor, call: &str) -> String {
        let name =
            self.program.names.get(&tensor.id).map_or_else(|| call.to_string(), |name| identifier(name));
        let name = self.names.unique(&name);
        self.tensors.insert(tensor.id, name.clone());
        name
    }

    pub fn step(&mut self, step: &Step) {
        match step {
            Step::Layer { layer, result } => {
                let field = self.layer(layer);
                let input = self.tensor(&layer.input);
                let name = self.variable(result, &field);
                self.lines.push(format!("let {name} = self.{field}.forward({input});"));
                self.sizes_of(result);
            }
            Step::Call(statement) => self.statement(statement),
            Step::Branch { condition, blocks, results } => self.branch(condition, blocks, results),
            Step::Loop { own, body } => self.repeat(own, body),
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Constant { constant, result } => self.constant(constant, result),
            // Blocks are steps of their own.
            Statement::Branch { .. } | Statement::Loop(_) => {}
            Statement::Read { tensor } => {
                let name = match self.fields_of.get(&tensor.id) {
                    Some(field) => field.clone(),
                    None => self.tensors[&tensor.id].clone(),
                };
                let list =
                    self.names.unique(&format!("{}_values", self.tensors.get(&tensor.id).unwrap_or(&name)));
                self.variables.lists.insert(tensor.id, list.clone());
                let element = if tensor.dtype().is_float() {
                    self.variables.float_lists.insert(tensor.id);
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
                // The type stands with the variable and not in a path, which is hard to read.
                let (text, is_new) =
                    match text.strip_prefix("Tensor::<").and_then(|rest| rest.split_once(">::")) {
                        Some((_, rest)) => (format!("Tensor::{rest}"), true),
                        None => (text, false),
                    };
                let line = match &names[..] {
                    [name] if is_new || RANK_OF_RESULT.contains(&definition.name) => {
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

    pub fn result(&mut self, result: &Tensor, call: &str) -> String {
        let is_used = self.uses.contains_key(&result.id)
            || self.used_sizes.iter().any(|(id, _)| *id == result.id)
            || self.is_read(result);
        if is_used { self.variable(result, call) } else { format!("_{}", self.variable(result, call)) }
    }

    fn is_read(&self, result: &Tensor) -> bool {
        self.read.contains(&result.id)
    }

    fn constant(&mut self, constant: &Constant, result: &Tensor) {
        if is_literal(constant) {
            let name =
                self.variable(result, if constant.name.is_empty() { "constant" } else { &constant.name });
            let result = tensor_type(constant.data.dtype, rank(&constant.data));
            self.lines.push(format!("let {name}: {result} = {};", literal(&constant.data)));
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
}

/// One text, or several in parentheses.
pub(super) fn tuple(texts: &[String]) -> String {
    match texts {
        [text] => text.clone(),
        texts => format!("({})", texts.join(", ")),
    }
}
