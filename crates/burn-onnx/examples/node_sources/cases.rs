use crate::arguments::Arguments;
use burn_ir::TensorData;
use burn_onnx::graph::{GraphDefinition, ValueInfo, read_tensor};
use burn_onnx::operators::find;
use burn_onnx::value::Tensor;
use burn_onnx::{Model, ModelGen, OnnxError, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A case whose source was generated.
#[derive(Debug)]
pub struct Case {
    /// Name of the case, as `node/add`.
    pub name: String,
    /// Name of its module and of its folder.
    pub module: String,
    /// Types of the inputs and outputs, as they stand after the backend in `Tensor<B, 2, Int>`.
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
}

/// Cases with source, and those that have none with the reason.
#[derive(Debug, Default)]
pub struct Chosen {
    pub cases: Vec<Case>,
    pub refused: Vec<(String, String)>,
    /// Operators in the cases with source.
    pub operators: BTreeSet<String>,
    /// Cases of operators that have enough of them.
    pub beyond: usize,
}

/// A folder with a model and its inputs and outputs.
struct Source {
    name: String,
    model: PathBuf,
    data: PathBuf,
}

/// Generates source for the cases of ONNX and those in `tests/operators`, until each operator has `most` of
/// them.
pub fn choose(arguments: &Arguments) -> Result<Chosen, String> {
    let out = arguments.folder.join("src/cases");
    if out.exists() {
        std::fs::remove_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    }
    let skipped = names(&arguments.failures)?;
    let listed = names(&arguments.source_failures)?;
    let mut chosen = Chosen::default();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for source in sources(arguments)? {
        if skipped.contains(&source.name) || !source.name.contains(&arguments.only) {
            continue;
        }
        let model = match Model::from_file(&source.model) {
            Ok(model) => model,
            Err(error) => {
                chosen.refused.push((source.name, error.to_string()));
                continue;
            }
        };
        let mut operators = BTreeSet::new();
        collect(&model.graph, &model, &mut operators);
        // Every case is recorded; those beyond the limit are not compiled.
        let recorded = match recorded(&source, model, &out) {
            Ok(recorded) => recorded,
            Err(error) => {
                chosen.refused.push((source.name, error.to_string()));
                continue;
            }
        };
        let is_new =
            operators.iter().any(|operator| counts.get(operator).is_none_or(|count| *count < arguments.most));
        if !is_new && !listed.contains(&source.name) {
            chosen.beyond += 1;
            continue;
        }
        match generate(&source, &recorded, &out) {
            Ok(case) => {
                operators.iter().for_each(|operator| *counts.entry(operator.clone()).or_default() += 1);
                chosen.operators.append(&mut operators);
                chosen.cases.push(case);
            }
            Err(reason) => chosen.refused.push((source.name, reason)),
        }
    }
    Ok(chosen)
}

/// Names in a list of failures.
fn names(list: &Path) -> Result<BTreeSet<String>, String> {
    let text = std::fs::read_to_string(list).map_err(|error| format!("{}: {error}", list.display()))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    Ok(lines.filter_map(|line| line.split(": ").next()).map(String::from).collect())
}

fn sources(arguments: &Arguments) -> Result<Vec<Source>, String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let kinds = [
        ("node", arguments.data.join("node"), "test_data_set_0"),
        ("simple", arguments.data.join("simple"), "test_data_set_0"),
        ("operators", own.join("operators"), ""),
    ];
    let mut sources = Vec::new();
    for (kind, folder, data) in kinds {
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        folders.sort();
        for folder in folders {
            let Some(name) = folder.file_name().and_then(|name| name.to_str()) else { continue };
            let model = folder.join("model.onnx");
            if name.contains("_expanded") || !model.exists() {
                continue;
            }
            let name = format!("{kind}/{}", name.strip_prefix("test_").unwrap_or(name));
            sources.push(Source { name, model, data: folder.join(data) });
        }
    }
    Ok(sources)
}

/// Supported operators of a graph and of the graphs in its nodes.
fn collect(graph: &GraphDefinition, model: &Model, operators: &mut BTreeSet<String>) {
    for node in &graph.nodes {
        let opset = model.opsets.get(&node.domain).copied().unwrap_or(1);
        if find(&node.domain, &node.operator, opset).is_some() {
            operators.insert(node.qualified_operator());
        }
        node.graphs().for_each(|graph| collect(graph, model, operators));
    }
}

/// A case that was recorded.
struct Recorded {
    /// The file of the model.
    file: PathBuf,
    model: Model,
    program: Program,
    /// Indices of the inputs of the model that are inputs of the program.
    inputs: Vec<usize>,
}

/// Records a case. The cases have every parameter as an input, models have axes, scales and limits as
/// constants: a case that cannot be recorded without them gets its small inputs as constants.
fn recorded(source: &Source, model: Model, out: &Path) -> Result<Recorded, OnnxError> {
    let all: Vec<usize> = (0..given(&model).count()).collect();
    let first = match Program::record(&model) {
        Ok(program) => return Ok(Recorded { file: source.model.clone(), model, program, inputs: all }),
        Err(error) => error,
    };
    let tries: [fn(usize, &TensorData) -> bool; 3] = [
        |place, data| place > 0 && data.shape.len() < 2 && data.dtype.is_int(),
        |place, data| place > 0 && data.shape.len() < 2,
        |_, data| data.num_elements() == 1,
    ];
    for is_constant in tries {
        let Ok((bytes, inputs)) = with_constants(source, &model, is_constant) else { break };
        if inputs.len() == all.len() {
            continue;
        }
        let Ok(model) = Model::from_bytes(bytes.clone()) else { break };
        if let Ok(program) = Program::record(&model) {
            let file = out.join("model.onnx");
            let written = std::fs::create_dir_all(out).and_then(|()| std::fs::write(&file, bytes));
            let failed = |source| OnnxError::Read { path: file.clone(), source };
            written.map_err(failed)?;
            return Ok(Recorded { file, model, program, inputs });
        }
    }
    Err(first)
}

/// The inputs that have no default.
fn given(model: &Model) -> impl Iterator<Item = &ValueInfo> {
    let is_constant = |name: &str| model.graph.initializers.iter().any(|constant| constant.name == name);
    model.graph.inputs.iter().filter(move |input| !is_constant(&input.name))
}

/// The bytes of a model with some inputs as constants, and the indices of the other inputs. In the file
/// format a message that follows another of the same field is added to it.
fn with_constants(
    source: &Source,
    model: &Model,
    is_constant: fn(usize, &TensorData) -> bool,
) -> Result<(Vec<u8>, Vec<usize>), String> {
    let text = |error: std::io::Error| error.to_string();
    let mut bytes = std::fs::read(&source.model).map_err(text)?;
    let (mut graph, mut inputs) = (Vec::new(), Vec::new());
    for (place, info) in given(model).enumerate() {
        let mut tensor = std::fs::read(source.data.join(format!("input_{place}.pb"))).map_err(text)?;
        let data = read_tensor(tensor.clone())?;
        if !is_constant(place, &data) {
            inputs.push(place);
            continue;
        }
        field(&mut tensor, 8, info.name.as_bytes());
        field(&mut graph, 5, &tensor);
    }
    field(&mut bytes, 7, &graph);
    Ok((bytes, inputs))
}

/// Appends a field of bytes to a message.
fn field(message: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    message.push(number << 3 | 2);
    let mut length = bytes.len();
    while length > 0x7f {
        message.push(length as u8 | 0x80);
        length >>= 7;
    }
    message.push(length as u8);
    message.extend_from_slice(bytes);
}

/// Writes source, weights, inputs and outputs of a case.
fn generate(source: &Source, recorded: &Recorded, out: &Path) -> Result<Case, String> {
    let module = source.name.replace(['/', '-', '.'], "_").to_lowercase();
    let folder = out.join(&module);
    let write = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(write)?;
    ModelGen::new()
        .input(&recorded.file)
        .out_dir(&folder)
        .run_from_cli()
        .map_err(|error| error.to_string())?;
    let save = |from: String, to: String| {
        let bytes = std::fs::read(source.data.join(&from)).map_err(|error| format!("{from}: {error}"))?;
        std::fs::write(folder.join(to), bytes_of(&read_tensor(bytes)?)).map_err(write)
    };
    for (place, from) in recorded.inputs.iter().enumerate() {
        save(format!("input_{from}.pb"), format!("input_{place}.bin"))?;
    }
    for place in 0..recorded.model.graph.outputs.len() {
        save(format!("output_{place}.pb"), format!("output_{place}.bin"))?;
    }
    let program = &recorded.program;
    Ok(Case {
        name: source.name.clone(),
        module,
        inputs: program.inputs.iter().map(|(_, tensor)| type_text(tensor)).collect(),
        outputs: program.outputs.iter().map(|output| type_text(&output.tensor)).collect(),
    })
}

/// A tensor as the harness reads it: a line with element type and shape, then the elements.
fn bytes_of(data: &TensorData) -> Vec<u8> {
    let shape: Vec<String> = data.shape.iter().map(usize::to_string).collect();
    let mut bytes = format!("{:?} {}\n", data.dtype, shape.join(",")).into_bytes();
    bytes.extend_from_slice(data.as_bytes());
    bytes
}

fn type_text(tensor: &Tensor) -> String {
    let dtype = tensor.dtype();
    let kind = if dtype.is_float() {
        "Float"
    } else if dtype.is_int() {
        "Int"
    } else {
        "Bool"
    };
    format!("{}, {kind}", tensor.held_dims().len())
}
