use crate::arguments::Arguments;
use crate::compare::{Tolerance, compare};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_onnx::run::read_value;
use burn_onnx::{Graph, Model, RunValue};
use burn_tensor::Backend;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// A test case: a model, and inputs with outputs.
#[derive(Debug)]
pub struct Case {
    /// `kind/name`, without `test_`.
    pub name: String,
    /// Operator of the only node, or the kind of the case.
    pub operator: String,
    folder: PathBuf,
}

/// Outcome of a case.
#[derive(Debug)]
pub enum Status {
    /// Passed, with the largest difference relative to the largest value of the output.
    Passed(f64),
    Failed(String),
}

/// Finds the cases in the folders, ordered by name.
pub fn find(arguments: &Arguments) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for kind in &arguments.kinds {
        let folder = arguments.data.join(kind);
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        folders.sort();
        for folder in folders {
            let Some(file) = folder.file_name().and_then(|name| name.to_str()) else { continue };
            let name = format!("{kind}/{}", file.strip_prefix("test_").unwrap_or(file));
            let wanted = arguments.only.as_ref().is_none_or(|only| name.contains(only));
            if wanted && folder.join("model.onnx").exists() {
                cases.push(Case { name, operator: kind.clone(), folder });
            }
        }
    }
    for case in &mut cases {
        if let Ok(model) = Model::from_file(case.folder.join("model.onnx"))
            && let [node] = &model.graph.nodes[..]
        {
            case.operator = node.qualified_operator();
        }
    }
    Ok(cases)
}

impl Case {
    pub fn run(&self, arguments: &Arguments) -> Status {
        let result = catch_unwind(AssertUnwindSafe(|| {
            if arguments.fusion {
                self.check::<Fusion<NdArray>>(arguments)
            } else {
                self.check::<NdArray>(arguments)
            }
        }));
        match result {
            Ok(Ok(difference)) => Status::Passed(difference),
            Ok(Err(reason)) => Status::Failed(reason),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(|text| &text[..]);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("");
                Status::Failed(format!("panic: {text}"))
            }
        }
    }

    fn check<B: Backend>(&self, arguments: &Arguments) -> Result<f64, String> {
        let graph = Graph::load(self.folder.join("model.onnx")).map_err(|error| error.to_string())?;
        let (mut sets, mut largest) = (0, 0.0_f64);
        while let Some(folder) =
            Some(self.folder.join(format!("test_data_set_{sets}"))).filter(|folder| folder.exists())
        {
            largest = largest.max(self.check_set::<B>(&graph, &folder, arguments)?);
            sets += 1;
        }
        if sets == 0 { Err("it has no data".into()) } else { Ok(largest) }
    }

    fn check_set<B: Backend>(
        &self,
        graph: &Graph,
        folder: &Path,
        arguments: &Arguments,
    ) -> Result<f64, String> {
        let read =
            |file: String| std::fs::read(folder.join(&file)).map_err(|error| format!("{file}: {error}"));
        let mut inputs: Vec<RunValue<B>> = Vec::new();
        // Every input has a file, those with defaults too where the data gives them.
        for (place, info) in graph.inputs().enumerate() {
            inputs.push(read_value(read(format!("input_{place}.pb"))?, &info.value_type)?);
        }
        let device = B::Device::default();
        let outputs = if arguments.recorded {
            graph.run_recorded::<B>(inputs, &device)
        } else {
            graph.run::<B>(inputs, &device)
        };
        let outputs = outputs.map_err(|error| error.to_string())?;
        let tolerance = if arguments.exports { Tolerance::OfLargest } else { Tolerance::OfEach };
        let mut largest = 0.0_f64;
        for (place, (info, found)) in graph.model().graph.outputs.iter().zip(outputs).enumerate() {
            let expected: RunValue<B> = read_value(read(format!("output_{place}.pb"))?, &info.value_type)?;
            let difference = compare::<B>(found, expected, tolerance);
            largest = largest.max(difference.map_err(|reason| format!("output {place}: {reason}"))?);
        }
        Ok(largest)
    }
}
