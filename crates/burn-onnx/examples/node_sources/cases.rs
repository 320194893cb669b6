use burn_onnx::value::Tensor;
use burn_onnx::{Model, ModelGen, Program};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A case whose source was generated.
#[derive(Debug)]
pub struct Case {
    /// Name of its folder.
    pub name: String,
    /// Types of the inputs and outputs, as they stand after the backend in `Tensor<B, 2, Int>`.
    pub inputs: Vec<String>,
    pub outputs: Vec<String>,
}

/// Chosen cases, and the numbers of others.
#[derive(Debug, Default)]
pub struct Chosen {
    pub cases: Vec<Case>,
    pub operators: usize,
    pub refused: usize,
    pub beyond: usize,
}

/// Generates the cases that can be recorded, at most so many of an operator.
pub fn choose(data: &Path, folder: &Path, only: &str, most: usize) -> Result<Chosen, String> {
    let out = folder.join("src/cases");
    let entries =
        std::fs::read_dir(data.join("node")).map_err(|error| format!("{}: {error}", data.display()))?;
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.sort();
    let mut chosen = Chosen::default();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for case in folders {
        let Some(name) = case.file_name().and_then(|name| name.to_str()) else { continue };
        if name.contains("_expanded") || !name.contains(only) {
            continue;
        }
        let Ok(model) = Model::from_file(case.join("model.onnx")) else { continue };
        let Ok(program) = Program::record(&model) else {
            chosen.refused += 1;
            continue;
        };
        let operator = model.graph.nodes.first().map_or_else(String::new, |node| node.qualified_operator());
        let count = counts.entry(operator).or_default();
        if *count >= most {
            chosen.beyond += 1;
            continue;
        }
        *count += 1;
        let file = out.join(format!("{name}.onnx"));
        std::fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
        std::fs::copy(case.join("model.onnx"), &file)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        ModelGen::new()
            .input(&file)
            .out_dir(&out)
            .run_from_cli()
            .map_err(|error| format!("{name}: {error}"))?;
        let types = |tensors: &mut dyn Iterator<Item = &Tensor>| tensors.map(type_text).collect();
        chosen.cases.push(Case {
            name: name.into(),
            inputs: types(&mut program.inputs.iter().map(|(_, tensor)| tensor)),
            outputs: types(&mut program.outputs.iter().map(|output| &output.tensor)),
        });
    }
    chosen.operators = counts.len();
    Ok(chosen)
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
