//! `burn-import onnx`: what is in a model, whether it is supported, and source with weights.

use crate::convert::Convert;
use crate::inspect::Format;
use burn_import::OnnxFile;
use burn_import::onnx::graph::{Dimension, GraphDefinition, Model, NodeDefinition, ValueInfo, ValueType};
use burn_import::onnx::translate::check_support;
use burn_import::onnx::{ModelGen, Program, RecordType};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;

#[derive(clap::Subcommand)]
pub enum Onnx {
    /// Prints operator sets, inputs, outputs, the number of nodes of each operator, and the size of the
    /// parameters.
    Inspect(Path),
    /// Names every operator that is not supported, with its nodes; the exit status is 1 if there is one.
    Check(Path),
    /// Writes the parameters of a model, under their names in it, as safetensors or arrays.
    Convert(Convert),
    /// Writes the model as Rust source, and its weights as a record.
    Gen(Gen),
}

#[derive(clap::Args)]
pub struct Path {
    /// The model.
    path: PathBuf,
}

#[derive(clap::Args)]
pub struct Gen {
    /// The model.
    path: PathBuf,
    /// The folder of the source and the record, which is made if it is not there.
    out_dir: PathBuf,
    /// Format of the record.
    #[arg(long, value_enum, default_value_t = Record::NamedMpk)]
    record_type: Record,
    /// Saves the weights in two bytes each.
    #[arg(long)]
    half_precision: bool,
    /// Makes the weights a part of the program; needs the record type bincode.
    #[arg(long)]
    embed_states: bool,
    /// Multiplies batch normalization after a convolution into its weights.
    #[arg(long)]
    fold_batch_norm: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Record {
    NamedMpk,
    NamedMpkGz,
    PrettyJson,
    Bincode,
}

impl Onnx {
    pub fn run(self) -> Result<String, Box<dyn Error>> {
        match self {
            Onnx::Inspect(Path { path }) => Ok(inspect(OnnxFile::open(path)?.model())),
            Onnx::Check(Path { path }) => check(OnnxFile::open(path)?.model()),
            Onnx::Convert(convert) => Ok(convert.run(Format::Onnx)?),
            Onnx::Gen(arguments) => arguments.run(),
        }
    }
}

impl Gen {
    fn run(self) -> Result<String, Box<dyn Error>> {
        let record_type = match self.record_type {
            Record::NamedMpk => RecordType::NamedMpk,
            Record::NamedMpkGz => RecordType::NamedMpkGz,
            Record::PrettyJson => RecordType::PrettyJson,
            Record::Bincode => RecordType::Bincode,
        };
        let generator = ModelGen::new()
            .input(&self.path)
            .out_dir(&self.out_dir)
            .record_type(record_type)
            .half_precision(self.half_precision)
            .embed_states(self.embed_states)
            .fold_batch_norm(self.fold_batch_norm);
        let mut text = String::new();
        for files in generator.run_from_cli()? {
            writeln!(text, "source: {}\nweights: {}", files.source.display(), files.record.display())?;
        }
        Ok(text)
    }
}

/// The graph, and those in attributes of its nodes.
fn all_nodes<'a>(graph: &'a GraphDefinition, nodes: &mut Vec<&'a NodeDefinition>) {
    for node in &graph.nodes {
        nodes.push(node);
        node.graphs().for_each(|graph| all_nodes(graph, nodes));
    }
}

fn inspect(model: &Model) -> String {
    let mut text = String::new();
    // Writing to a text does not fail.
    let _ = writeln!(text, "producer: {}", model.producer);
    let _ = writeln!(text, "format version: {}", model.ir_version);
    for (domain, version) in &model.opsets {
        let space = if domain.is_empty() { "" } else { " " };
        let _ = writeln!(text, "operator set{space}{domain}: {version}");
    }
    let graph = &model.graph;
    let is_parameter =
        |info: &&ValueInfo| graph.initializers.iter().any(|constant| constant.name == info.name);
    for input in graph.inputs.iter().filter(|input| !is_parameter(input)) {
        let _ = writeln!(text, "input {}: {}", input.name, describe(&input.value_type));
    }
    for output in &graph.outputs {
        let _ = writeln!(text, "output {}: {}", output.name, describe(&output.value_type));
    }
    let mut nodes = Vec::new();
    all_nodes(graph, &mut nodes);
    let mut operators: BTreeMap<String, usize> = BTreeMap::new();
    nodes.iter().for_each(|node| *operators.entry(node.qualified_operator()).or_default() += 1);
    let width = operators.keys().map(String::len).max().unwrap_or(0);
    for (operator, count) in &operators {
        let _ = writeln!(text, "  {operator:width$}  {count}");
    }
    let parameters = &graph.initializers;
    let elements: usize = parameters.iter().map(|constant| constant.data.num_elements()).sum();
    let bytes: usize = parameters.iter().map(|constant| constant.data.as_bytes().len()).sum();
    let _ = writeln!(
        text,
        "{} nodes of {} operators, {} parameters, {elements} elements, {bytes} bytes",
        nodes.len(),
        operators.len(),
        parameters.len()
    );
    text
}

/// A type such as `f32[batch, 3]`.
fn describe(value_type: &ValueType) -> String {
    match value_type {
        ValueType::Tensor { dtype, dims: Some(dims) } => {
            let dims: Vec<String> = dims.iter().map(Dimension::to_string).collect();
            format!("{dtype}[{}]", dims.join(", "))
        }
        ValueType::Tensor { dtype, dims: None } => format!("{dtype} of any rank"),
        ValueType::Sequence(inner) => format!("sequence of {}", describe(inner)),
        ValueType::Optional(inner) => format!("optional {}", describe(inner)),
        ValueType::Unsupported(reason) => reason.clone(),
        ValueType::Undeclared => "no type".into(),
    }
}

fn check(model: &Model) -> Result<String, Box<dyn Error>> {
    check_support(model)?;
    let mut nodes = Vec::new();
    all_nodes(&model.graph, &mut nodes);
    let source = match Program::record(model) {
        Ok(_) => "it becomes Rust source".into(),
        Err(error) => format!("it becomes no Rust source, but runs without: {error}"),
    };
    Ok(format!("all operators of {} nodes are supported; {source}\n", nodes.len()))
}
