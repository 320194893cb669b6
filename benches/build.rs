//! Generates Rust source of the exported models that are measured, where the feature `onnx-generated` asks
//! for it, and a function that calls each by its name.

fn main() {
    #[cfg(feature = "onnx-generated")]
    generated::write();
}

#[cfg(feature = "onnx-generated")]
mod generated {
    use burn_import::onnx::graph::{ValueInfo, read_tensor};
    use burn_import::onnx::{Model, ModelGen};
    use std::fmt::Write;
    use std::path::{Path, PathBuf};

    /// Writes `generated.rs`: a module for each model, and the arms of what prepares one by its name.
    pub(super) fn write() {
        println!("cargo::rerun-if-env-changed=BURN_ONNX_EXPORTS");
        let built = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/onnx-exports");
        let models = std::env::var_os("BURN_ONNX_EXPORTS").map_or_else(built, PathBuf::from).join("bench");
        println!("cargo::rerun-if-changed={}", models.display());
        let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
        let (mut modules, mut arms, mut missing) = (String::new(), String::new(), Vec::new());
        let entries =
            std::fs::read_dir(&models).unwrap_or_else(|error| panic!("{}: {error}", models.display()));
        let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        folders.sort();
        for (place, folder) in folders.iter().enumerate() {
            let name = folder.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            let module = format!("model_{place}");
            let name = format!("onnx {name}");
            match source(folder, &module) {
                Ok(count) => {
                    let file = out.join(&module).join("model.rs");
                    writeln!(modules, "pub(super) mod {module} {{ include!({file:?}); }}").expect("text");
                    writeln!(arms, "{name:?} => {},", call(&module, count)).expect("text");
                }
                Err(reason) => missing.push((name, reason)),
            }
        }
        let text = format!(
            "mod models {{ {modules} }}\npub(super) const MISSING: &[(&str, &str)] = &{missing:?};\n\
             {SIGNATURE} {{ match name {{ {arms} other => \
             Err(format!(\"{{other}} was not there when this program was built\")) }} }}"
        );
        std::fs::write(out.join("generated.rs"), text).expect("the folder of the build is writable");
    }

    const SIGNATURE: &str = "pub(super) fn prepare<B: Backend>(name: &str, inputs: &mut dyn Iterator<Item = RunValue<B>>) \
                             -> Result<Box<dyn Fn() -> Vec<RunValue<B>>>, String>";

    /// Generates the source of a model for the shapes of its inputs in the test data. Returns how many there
    /// are, or why there is no source.
    fn source(folder: &Path, module: &str) -> Result<usize, String> {
        let file = folder.join("model.onnx");
        let graph = Model::from_file(&file).map_err(|error| error.to_string())?.graph;
        let is_given = |info: &&ValueInfo| graph.initializers.iter().all(|other| other.name != info.name);
        let (mut generator, mut count) = (ModelGen::new().input(&file), 0);
        for (place, info) in graph.inputs.iter().filter(is_given).enumerate() {
            let data = folder.join(format!("test_data_set_0/input_{place}.pb"));
            let bytes = std::fs::read(&data).map_err(|error| format!("{}: {error}", data.display()))?;
            let shape = read_tensor(bytes).map_err(|error| format!("{}: {error}", data.display()))?.shape;
            generator = generator.input_shape(&info.name, shape.to_vec());
            count += 1;
        }
        generator
            .out_dir(module)
            .fold_batch_norm(true)
            .try_run_from_script()
            .map_err(|error| error.to_string())?;
        Ok(count)
    }

    /// The expression of a call of a module with so many inputs, whose types are those of its parameters.
    fn call(module: &str, count: usize) -> String {
        let (mut lets, mut arguments) = (String::new(), String::new());
        for place in 0..count {
            write!(lets, "let input_{place} = FromRun::<B>::from_run(inputs.next())?;").expect("text");
            write!(arguments, "Clone::clone(&input_{place}),").expect("text");
        }
        format!(
            "{{ let model = models::{module}::Model::<B>::default(); {lets} \
             Ok(Box::new(move || ToRun::<B>::to_run(model.forward({arguments})))) }}"
        )
    }
}
