use super::documentation::CodeSpan;
use super::record::{RecordType, embedded};
use super::record_path::RecordPath;
use super::source::{self, Options};
use crate::error::OnnxError;
use crate::graph::Model;
use crate::program::Program;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Generates Rust source and weights of ONNX models, mostly in `build.rs`.
///
/// ```no_run
/// # use burn_onnx::{ModelGen, RecordType};
/// ModelGen::new()
///     .input("src/model/mnist.onnx")
///     .out_dir("model/")
///     .record_type(RecordType::NamedMpk)
///     .run_from_script();
/// ```
///
/// The program includes the source with `include!(concat!(env!("OUT_DIR"), "/model/mnist.rs"))`, in a module
/// of its own.
#[derive(Clone, Debug, Default)]
pub struct ModelGen {
    inputs: Vec<Input>,
    /// A shape that was fixed before there was a model.
    early_shape: Option<String>,
    out_dir: PathBuf,
    record_type: RecordType,
    half_precision: bool,
    embed_states: bool,
    fold_batch_norm: bool,
}

/// A model, and the shapes that are fixed for its inputs.
#[derive(Clone, Debug)]
struct Input {
    path: PathBuf,
    shapes: Vec<(String, Vec<usize>)>,
}

/// Files of a model that was generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The source.
    pub source: PathBuf,
    /// The weights.
    pub record: PathBuf,
}

impl ModelGen {
    /// Makes a generator without a model.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a model by its file.
    #[must_use]
    pub fn input(mut self, path: impl AsRef<Path>) -> Self {
        self.inputs.push(Input { path: path.as_ref().to_path_buf(), shapes: Vec::new() });
        self
    }

    /// Fixes the shape of an input of the model that was added last, where the file leaves sizes open: `If`s
    /// on shapes are decided, so that branches which give tensors of different ranks generate code.
    ///
    /// ```no_run
    /// # use burn_onnx::ModelGen;
    /// ModelGen::new()
    ///     .input("src/model/silero_vad.onnx")
    ///     .input_shape("input", [1, 576])
    ///     .input_shape("state", [2, 1, 128])
    ///     .out_dir("model/")
    ///     .run_from_script();
    /// ```
    ///
    /// Generating fails with [`OnnxError::Input`] when the model has no such input, it has another rank, or a
    /// size contradicts the file.
    #[must_use]
    pub fn input_shape(mut self, name: impl Into<String>, shape: impl Into<Vec<usize>>) -> Self {
        match self.inputs.last_mut() {
            Some(input) => input.shapes.push((name.into(), shape.into())),
            None => self.early_shape = Some(name.into()),
        }
        self
    }

    /// Sets the folder of the files, which is made; from a build script it lies in `OUT_DIR`.
    #[must_use]
    pub fn out_dir(mut self, path: impl AsRef<Path>) -> Self {
        self.out_dir = path.as_ref().to_path_buf();
        self
    }

    /// Sets the format of the weights; named MessagePack by default.
    #[must_use]
    pub fn record_type(mut self, record_type: RecordType) -> Self {
        self.record_type = record_type;
        self
    }

    /// Sets whether weights are saved in two bytes each.
    #[must_use]
    pub fn half_precision(mut self, half_precision: bool) -> Self {
        self.half_precision = half_precision;
        self
    }

    /// Sets whether weights are part of the program; they are then saved as [`RecordType::Bincode`], which
    /// has to be chosen too.
    #[must_use]
    pub fn embed_states(mut self, embed_states: bool) -> Self {
        self.embed_states = embed_states;
        self
    }

    /// Sets whether batch normalization after a convolution becomes part of its weights: faster, and no
    /// longer to be trained as it was.
    #[must_use]
    pub fn fold_batch_norm(mut self, fold_batch_norm: bool) -> Self {
        self.fold_batch_norm = fold_batch_norm;
        self
    }

    /// Generates the files into `OUT_DIR`, from a build script, which runs again when a model changes.
    ///
    /// # Panics
    /// When a model cannot be generated: the build fails with the reason.
    pub fn run_from_script(&self) {
        if let Err(error) = self.try_run_from_script() {
            panic!("{error}");
        }
    }

    /// [`ModelGen::run_from_script`] for a script that goes on without a model that cannot be generated.
    ///
    /// # Errors
    /// When a model cannot be read or generated, `OUT_DIR` is not set, or a file cannot be written.
    pub fn try_run_from_script(&self) -> Result<Vec<Generated>, OnnxError> {
        let failed = |reason: String| OnnxError::Write { path: self.out_dir.clone(), reason };
        // Cargo reads what a build script writes to its standard output.
        let mut cargo = std::io::stdout();
        for input in &self.inputs {
            writeln!(cargo, "cargo::rerun-if-changed={}", input.path.display())
                .map_err(|error| failed(error.to_string()))?;
        }
        let missing =
            || failed("OUT_DIR is not set; run_from_script is for build.rs, run_from_cli for others".into());
        let out_dir = PathBuf::from(std::env::var_os("OUT_DIR").ok_or_else(missing)?);
        let folder = out_dir.join(&self.out_dir);
        self.run_into(&folder, &|record| RecordPath::in_out_dir(record, &out_dir))
    }

    /// Generates the files into the folder of [`ModelGen::out_dir`]. `Model::default()` finds the weights
    /// there from the folder of the next `Cargo.toml` above it, or without one from the folder in which the
    /// program runs.
    ///
    /// # Errors
    /// When a model cannot be read or generated, or a file cannot be written; files of earlier runs are then
    /// as they were.
    pub fn run_from_cli(&self) -> Result<Vec<Generated>, OnnxError> {
        self.run_into(&self.out_dir, &RecordPath::in_package)
    }

    fn run_into(
        &self,
        folder: &Path,
        record_path: &dyn Fn(&Path) -> RecordPath,
    ) -> Result<Vec<Generated>, OnnxError> {
        if self.embed_states && self.record_type != RecordType::Bincode {
            let reason = format!("embed_states needs RecordType::Bincode, found {:?}", self.record_type);
            return Err(OnnxError::Write { path: folder.to_path_buf(), reason });
        }
        if let Some(name) = &self.early_shape {
            let reason =
                "input_shape fixes the shape of a model that was added before it; call input first".into();
            return Err(OnnxError::Input { name: name.clone(), reason });
        }
        let failed = |path: &Path, reason: String| OnnxError::Write { path: path.to_path_buf(), reason };
        std::fs::create_dir_all(folder).map_err(|error| failed(folder, error.to_string()))?;
        self.inputs.iter().map(|input| self.generate(input, folder, record_path)).collect()
    }

    fn generate(
        &self,
        input: &Input,
        folder: &Path,
        record_path: &dyn Fn(&Path) -> RecordPath,
    ) -> Result<Generated, OnnxError> {
        let failed = |path: &Path, reason: String| OnnxError::Write { path: path.to_path_buf(), reason };
        let Input { path: input, shapes } = input;
        let stem = input.file_stem().and_then(|stem| stem.to_str()).unwrap_or("model");
        let mut model = Model::from_file(input)?;
        for (name, shape) in shapes {
            model.fix_input_shape(name, shape)?;
        }
        let mut program = Program::record(&model)?;
        program.fold_constants();
        if self.fold_batch_norm {
            program.fold_batch_norm();
        }
        program.find_groups();
        program.join_permutations();
        let record = folder.join(stem);
        let name = input.file_name().map_or_else(|| stem.into(), |name| name.to_string_lossy().into_owned());
        let options = Options {
            title: CodeSpan::new(&name),
            file_stem: stem,
            record_path: record_path(&record),
            record_type: self.record_type,
            embed: self.embed_states,
        };
        let malformed = |reason: String| OnnxError::Malformed { model: model.origin.clone(), reason };
        let source = source::write(&program, &options).map_err(malformed)?;
        let record_file = if self.embed_states {
            let file = folder.join(format!("{stem}.bin"));
            let bytes = embedded(source.record, self.half_precision)
                .map_err(|error| failed(&file, error.to_string()))?;
            write(&file, &bytes)?;
            file
        } else {
            self.record_type
                .write(source.record, &record, self.half_precision)
                .map_err(|error| failed(&record, error.to_string()))?;
            folder.join(format!("{stem}.{}", self.record_type.extension()))
        };
        let file = folder.join(format!("{stem}.rs"));
        write(&file, source.text.as_bytes())?;
        Ok(Generated { source: file, record: record_file })
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), OnnxError> {
    burn_io::write_atomic(path, &mut |file| file.write_all(bytes))
        .map_err(|error| OnnxError::Write { path: path.to_path_buf(), reason: error.to_string() })
}
