//! The source of a model. It is built of tokens: text of a model gets into them as an identifier of
//! [`Names`], as documentation of [`DocLine`], or as a literal, and in no other way.

use super::documentation::{CodeSpan, DocLine};
use super::expected_items;
use super::literal::dtype;
use super::names::{Names, unread};
use super::numbers::Variables;
use super::record::RecordType;
use super::record_path::RecordPath;
use super::spacing::spaced;
use super::steps::{ForwardStep, steps};
use super::weights::tensor_type;
use crate::builder::Statement;
use crate::program::Program;
use crate::value::{Expr, Tensor, TensorId};
use burn_core::record::Node;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A field of the model.
pub(super) struct Field {
    pub name: Ident,
    pub type_tokens: TokenStream,
    pub init: TokenStream,
    pub documentation: DocLine,
    pub record: Node,
}

/// Source and weights of a model.
pub(super) struct ModelSource {
    pub text: String,
    pub record: Node,
}

/// Words about the model, and how its weights are kept.
pub(super) struct Options<'a> {
    /// Name of the model's file.
    pub title: CodeSpan,
    pub file_stem: &'a str,
    pub record_path: RecordPath,
    pub record_type: RecordType,
    pub embed: bool,
}

/// The source so far.
pub(super) struct Writer<'a> {
    pub program: &'a Program,
    pub names: Names,
    pub field_names: Names,
    pub variables: Variables,
    pub tensors: HashMap<TensorId, Ident>,
    /// Expressions of tensors that are fields.
    pub fields_of: HashMap<TensorId, TokenStream>,
    /// Number of remaining uses of each tensor.
    pub uses: HashMap<TensorId, usize>,
    pub fields: Vec<Field>,
    pub imports: BTreeSet<&'static str>,
    pub lines: Vec<TokenStream>,
    pub has_loop: bool,
    pub used_sizes: HashSet<(TensorId, usize)>,
    /// Tensors of which a size is used.
    measured: HashSet<TensorId>,
    /// Tensors whose elements are read to the host.
    read: HashSet<TensorId>,
}

/// Stack of the thread that writes the source: parser and formatter call themselves for each bracket in a
/// bracket.
const STACK: usize = 256 << 20;

/// Writes the source.
///
/// # Errors
/// When the source is not Rust, or has other items than a model has.
pub(super) fn write(program: &Program, options: &Options<'_>) -> Result<ModelSource, String> {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        let thread = builder.spawn_scoped(scope, || compose(program, options));
        let thread = thread.map_err(|error| format!("a thread cannot be started: {error}"))?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn compose(program: &Program, options: &Options<'_>) -> Result<ModelSource, String> {
    let mut writer = Writer {
        program,
        names: Names::default(),
        field_names: Names::default(),
        variables: Variables::default(),
        tensors: HashMap::new(),
        fields_of: HashMap::new(),
        uses: HashMap::new(),
        fields: Vec::new(),
        imports: BTreeSet::new(),
        lines: Vec::new(),
        has_loop: false,
        used_sizes: HashSet::new(),
        measured: HashSet::new(),
        read: HashSet::new(),
    };
    let steps = steps(program);
    writer.count(&steps);
    let inputs = writer.inputs();
    for step in &steps {
        writer.step(step);
    }
    let outputs: Vec<TokenStream> =
        program.outputs.iter().map(|output| writer.tensor(&output.tensor)).collect();
    let record = writer.fields.iter().map(|field| (field.name.to_string(), field.record.clone()));
    let record = Node::Map(record.collect());
    let file = syn::parse2(writer.file(&inputs, &outputs, options))
        .map_err(|error| format!("the generated source is not Rust: {error}"))?;
    let text = format!(
        "// Generated from {} by burn-onnx. Edits are lost when it is generated again.\n\n{}",
        options.title,
        spaced(&prettyplease::unparse(&file))
    );
    let fields: Vec<&Ident> = writer.fields.iter().map(|field| &field.name).collect();
    expected_items::check(&text, &fields, options.embed)
        .map_err(|error| format!("the generated source is not that of a model: {error}"))?;
    Ok(ModelSource { text, record })
}

impl Writer<'_> {
    fn count(&mut self, steps: &[ForwardStep]) {
        for step in steps {
            step.moves(&mut |id| *self.uses.entry(id).or_default() += 1);
            step.visit(&mut |expr| {
                if let Expr::Dim(id, d) = expr {
                    self.used_sizes.insert((*id, *d));
                    self.measured.insert(*id);
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
    fn inputs(&mut self) -> Vec<TokenStream> {
        let mut parameters = Vec::new();
        let program = self.program;
        for (name, tensor) in &program.inputs {
            let name = self.names.unique(name);
            let name = if self.is_used(tensor) { name } else { unread(&name) };
            let ty = tensor_type(tensor.dtype(), tensor.held_dims().len());
            parameters.push(quote!(#name: #ty));
            self.tensors.insert(tensor.id, name);
        }
        for (_, tensor) in &program.inputs {
            self.sizes_of(tensor);
        }
        parameters
    }

    /// Variables of the sizes of a tensor that are used.
    pub fn sizes_of(&mut self, tensor: &Tensor) {
        if !self.measured.contains(&tensor.id) {
            return;
        }
        let rank = tensor.held_dims().len();
        let base = self.tensors[&tensor.id].clone();
        let mut parts = Vec::with_capacity(rank);
        let mut is_any = false;
        for d in 0..rank {
            if !self.used_sizes.contains(&(tensor.id, d)) {
                parts.push(quote!(_));
                continue;
            }
            is_any = true;
            let name = match self.program.sizes.get(&(tensor.id, d)) {
                Some(name) => self.names.unique(name),
                None => self.names.unique(&format!("{base}_size_{d}")),
            };
            parts.push(quote!(#name));
            self.variables.sizes.insert((tensor.id, d), name);
        }
        if is_any {
            self.lines.push(quote!(let [#(#parts),*] = #base.dims().map(|size| size as i64);));
        }
    }

    /// Writes a use of a tensor by value, cloned if it is used later.
    pub fn tensor(&mut self, tensor: &Tensor) -> TokenStream {
        use_of(tensor, &self.tensors, &self.fields_of, &mut self.uses)
    }

    /// Declares a variable for a tensor.
    pub fn variable(&mut self, tensor: &Tensor, call: &str) -> Ident {
        let name = self.names.unique(self.program.names.get(&tensor.id).map_or(call, String::as_str));
        self.tensors.insert(tensor.id, name.clone());
        name
    }

    /// Declares a variable for the result of a call.
    pub fn result(&mut self, result: &Tensor, call: &str) -> Ident {
        let name = self.variable(result, call);
        if self.is_used(result) { name } else { unread(&name) }
    }

    fn is_used(&self, tensor: &Tensor) -> bool {
        self.uses.contains_key(&tensor.id)
            || self.measured.contains(&tensor.id)
            || self.read.contains(&tensor.id)
    }

    /// Declares the list of a tensor's elements on the host.
    pub fn read(&mut self, tensor: &Tensor) {
        let name = self.tensors[&tensor.id].clone();
        let list = self.names.unique(&format!("{name}_values"));
        self.variables.lists.insert(tensor.id, list.clone());
        let element = if tensor.dtype().is_float() {
            self.variables.float_lists.insert(tensor.id);
            "f64"
        } else if tensor.dtype() == burn_ir::DType::Bool {
            "bool"
        } else {
            "i64"
        };
        let element = format_ident!("{element}");
        let source = self.fields_of.get(&tensor.id).cloned().unwrap_or_else(|| quote!(#name));
        self.lines.push(quote!(let #list: Vec<#element> = #source.to_data().iter::<#element>().collect();));
    }

    /// A tensor of zeros.
    pub fn zeros(&self, shape: &[usize], like: &Tensor) -> TokenStream {
        let (shape, dtype) = (super::literal::sizes(shape), dtype(like.dtype()));
        quote!(Tensor::zeros(#shape, (device, #dtype)))
    }
}

/// A use of a tensor by value, cloned if it is used later.
pub(super) fn use_of(
    tensor: &Tensor,
    tensors: &HashMap<TensorId, Ident>,
    fields: &HashMap<TensorId, TokenStream>,
    uses: &mut HashMap<TensorId, usize>,
) -> TokenStream {
    if let Some(field) = fields.get(&tensor.id) {
        return field.clone();
    }
    let name = tensors.get(&tensor.id).cloned().unwrap_or_else(|| format_ident!("unknown"));
    let left = uses.entry(tensor.id).or_insert(1);
    *left = left.saturating_sub(1);
    if *left > 0 { quote!(#name.clone()) } else { quote!(#name) }
}

/// One expression, or several in parentheses.
pub(super) fn tuple(parts: &[TokenStream]) -> TokenStream {
    match parts {
        [part] => part.clone(),
        parts => quote!((#(#parts),*)),
    }
}
