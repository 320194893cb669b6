//! Records, saving and loading.

use burn::backend::{Autodiff, NdArray};
use burn::nn::{Linear, LinearConfig};
use burn::prelude::*;
use std::path::PathBuf;

// ANCHOR: model
#[derive(Module, Debug)]
pub struct Model<B: Backend> {
    encoder: Vec<Linear<B>>,
    head: Linear<B>,
}

impl<B: Backend> Model<B> {
    pub fn new(classes: usize, device: &B::Device) -> Self {
        Model {
            encoder: vec![LinearConfig::new(4, 8).init(device), LinearConfig::new(8, 8).init(device)],
            head: LinearConfig::new(8, classes).init(device),
        }
    }
}
// ANCHOR_END: model

impl<B: Backend> Model<B> {
    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        self.head.forward(self.encoder.iter().fold(x, |x, layer| layer.forward(x).tanh()))
    }
}

/// A folder that is deleted at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("book-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the folder for temporary files can be written");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).expect("it is there");
    }
}

#[test]
fn a_record_has_the_parameters_of_a_module() {
    let device = Default::default();
    // ANCHOR: module_record
    let trained: Model<NdArray> = Model::new(3, &device);
    let record: ModelRecord<NdArray> = trained.clone().into_record();
    // Fields as in the module, each with the record of its type.
    assert_eq!(record.encoder[1].weight.dims(), [8, 8]);

    let model = Model::new(3, &device).load_record(record);
    // ANCHOR_END: module_record
    assert_eq!(model.head.weight.val().into_data(), trained.head.weight.val().into_data());
    assert_eq!(model.head.weight.id(), trained.head.weight.id());
}

// ANCHOR: own
use burn::record::{BinBytesRecorder, FullPrecisionSettings, Record, Recorder};

/// Values that a program keeps beside its parameters.
#[derive(Record, Clone, Debug, PartialEq)]
pub struct Progress {
    epoch: usize,
    losses: Vec<f64>,
    best: Option<f64>,
    note: String,
}
// ANCHOR_END: own

#[test]
fn a_record_of_ones_own() {
    let device = Default::default();
    // ANCHOR: own_use
    let progress = Progress { epoch: 2, losses: vec![0.9, 0.4], best: Some(0.4), note: "warm-up".into() };
    let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
    let bytes: Vec<u8> = recorder.record(progress.clone(), ()).expect("its numbers fit");
    let loaded: Progress = Recorder::<NdArray>::load(&recorder, bytes, &device).expect("it was just saved");
    // ANCHOR_END: own_use
    assert_eq!(loaded, progress);
}

#[test]
fn files_have_a_format_and_a_precision() {
    let (device, folder) = (Default::default(), Folder::new("formats"));
    // ANCHOR: precision
    use burn::record::{
        CompactRecorder, DefaultFileRecorder, DoublePrecisionSettings, HalfPrecisionSettings,
        PrettyJsonFileRecorder,
    };

    let model: Model<NdArray> = Model::new(3, &device);
    let full = DefaultFileRecorder::<FullPrecisionSettings>::new();
    let double = DefaultFileRecorder::<DoublePrecisionSettings>::new();
    model.save_file(folder.0.join("full"), &full).expect("the folder can be written"); // full.mpk, f32
    model.save_file(folder.0.join("double"), &double).expect("the folder can be written"); // f64
    model.save_file(folder.0.join("half"), &CompactRecorder::new()).expect("the folder can be written"); // f16
    let readable = PrettyJsonFileRecorder::<HalfPrecisionSettings>::new();
    model.save_file(folder.0.join("half"), &readable).expect("the folder can be written"); // half.json

    // A file of any precision loads on any backend; values are converted to the element type of the backend.
    type Double = NdArray<f64>;
    let loaded =
        Model::<Double>::new(3, &device).load_file(folder.0.join("half"), &CompactRecorder::new(), &device);
    // ANCHOR_END: precision
    let (loaded, original) =
        (loaded.expect("it was just saved"), model.head.weight.val().into_data().to_f64());
    for (half, full) in loaded.head.weight.val().into_data().to_f64().iter().zip(original) {
        assert!((half - full).abs() <= full.abs() / 1024.0);
    }
    assert!(folder.0.join("half.json").exists() && folder.0.join("full.mpk").exists());
}

#[test]
fn a_model_is_saved_and_loaded() {
    let (device, folder) = (Default::default(), Folder::new("saving"));
    let trained: Model<NdArray> = Model::new(3, &device);
    let path = folder.0.join("model");
    // ANCHOR: save
    use burn::record::{NamedMpkGzFileRecorder, RecordError};

    /// The recorder adds the extension: `model.mpk.gz`.
    fn save<B: Backend>(model: &Model<B>, path: PathBuf) -> Result<(), RecordError> {
        model.save_file(path, &NamedMpkGzFileRecorder::<FullPrecisionSettings>::new())
    }

    /// No parameter is drawn: the values of the file replace it before it is used.
    fn load<B: Backend>(path: PathBuf, device: &B::Device) -> Result<Model<B>, RecordError> {
        let recorder = NamedMpkGzFileRecorder::<FullPrecisionSettings>::new();
        Model::new(3, device).load_file(path, &recorder, device)
    }
    // ANCHOR_END: save
    save(&trained, path.clone()).unwrap();
    let loaded: Model<NdArray> = load(path.clone(), &device).unwrap();
    assert_eq!(loaded.head.weight.val().into_data(), trained.head.weight.val().into_data());
    assert!(folder.0.join("model.mpk.gz").exists());
}

#[test]
fn another_architecture_is_an_error_that_lists_what_differs() {
    let (device, folder) = (Default::default(), Folder::new("mismatch"));
    let (path, recorder) = (folder.0.join("model"), burn::record::CompactRecorder::new());
    Model::<NdArray>::new(3, &device).save_file(&path, &recorder).unwrap();
    // ANCHOR: mismatch
    let mut model: Model<NdArray> = Model::new(5, &device);
    model.encoder.push(LinearConfig::new(8, 8).with_bias(false).init(&device));
    let error =
        model.load_file(&path, &recorder, &device).expect_err("it has another head and one more layer");

    let mismatch = error.mismatch().expect("the file is whole, and of another architecture");
    assert_eq!(mismatch.missing, ["encoder.2.weight"]);
    assert_eq!(mismatch.shapes[0].key, "head.weight");
    assert_eq!((&mismatch.shapes[0].expected[..], &mismatch.shapes[0].found[..]), (&[8, 5][..], &[8, 3][..]));
    // ANCHOR_END: mismatch
    let printed = "the record does not fit
  missing: encoder.2.weight
  shape of head.weight: expected [8, 5], found [8, 3]
  shape of head.bias: expected [5], found [3]";
    assert!(error.to_string().ends_with(printed), "{error}");
    assert!(include_str!("../../src/building-blocks/saving.md").contains(printed));
}

#[test]
fn a_part_of_a_record_is_loaded() {
    let (device, folder) = (Default::default(), Folder::new("partial"));
    let (path, recorder) = (folder.0.join("model"), burn::record::CompactRecorder::new());
    let trained = Model::<NdArray>::new(3, &device);
    trained.save_file(&path, &recorder).unwrap();
    // ANCHOR: partial
    // The record type of the model that was saved; what is not needed is dropped.
    let record: ModelRecord<NdArray> = recorder.load(path.clone(), &device).expect("it was saved before");
    let mut model: Model<NdArray> = Model::new(10, &device);
    model.encoder = model.encoder.load_record(record.encoder);
    // ANCHOR_END: partial
    assert_eq!(model.encoder[1].weight.id(), trained.encoder[1].weight.id());
    assert_eq!(model.head.weight.dims(), [8, 10]);
    // ANCHOR: node
    use burn::nn::LinearRecord;
    use burn::record::{KeyPath, Node};

    // The file as a tree, without the type that was saved.
    let node: Node = Recorder::<NdArray>::load_node(&recorder, path).expect("it was saved before");
    let head = node.get("head").expect("the model has a head").clone();
    let record =
        LinearRecord::<NdArray>::from_node(head, &KeyPath::ROOT, &device).expect("it is a linear layer");
    // ANCHOR_END: node
    assert_eq!(record.weight.id(), trained.head.weight.id());
}

#[test]
fn a_model_is_a_part_of_the_program() {
    let (device, folder) = (Default::default(), Folder::new("bytes"));
    let trained = Model::<NdArray>::new(3, &device);
    let recorder = burn::record::BinFileRecorder::<FullPrecisionSettings>::new();
    trained.save_file(folder.0.join("model"), &recorder).unwrap();
    let bytes = std::fs::read(folder.0.join("model.bin")).unwrap();
    // ANCHOR: bytes
    /// `bytes` are those of a `.bin` file, for instance from `include_bytes!("model.bin")`.
    fn from_bytes<B: Backend>(bytes: &[u8], device: &B::Device) -> Model<B> {
        let recorder = BinBytesRecorder::<FullPrecisionSettings>::new();
        let record = recorder.load_slice(bytes, device).expect("the file is a part of the program");
        Model::new(3, device).load_record(record)
    }
    // ANCHOR_END: bytes
    let loaded: Model<NdArray> = from_bytes(&bytes, &device);
    assert_eq!(loaded.head.weight.val().into_data(), trained.head.weight.val().into_data());
}

// ANCHOR: checkpoint
use burn::lr_scheduler::{CosineAnnealingLrScheduler, CosineAnnealingLrSchedulerConfig, LrScheduler};
use burn::optim::{AdamW, AdamWConfig, GradientsParams, OptimizerAdaptor};
use burn::record::{DefaultFileRecorder, RecordError};
use burn::tensor::backend::AutodiffBackend;

/// State from which a run resumes as if it had not stopped.
struct Run<B: AutodiffBackend> {
    model: Model<B>,
    optimizer: OptimizerAdaptor<AdamW>,
    scheduler: CosineAnnealingLrScheduler,
    epoch: usize,
}

/// Full precision: rounded parameters are not where the run stopped.
type Checkpointer = DefaultFileRecorder<FullPrecisionSettings>;

impl<B: AutodiffBackend> Run<B> {
    fn new(device: &B::Device) -> Self {
        Run {
            model: Model::new(3, device),
            optimizer: AdamWConfig::new().init(),
            scheduler: CosineAnnealingLrSchedulerConfig::new(0.01, 100).init(),
            epoch: 0,
        }
    }

    /// One file: the record of the run is the tuple of the records of its parts.
    fn save(&self, path: PathBuf) -> Result<(), RecordError> {
        let model = self.model.clone().into_record();
        let (optimizer, scheduler) = (self.optimizer.to_record(), self.scheduler.to_record::<B>());
        Checkpointer::new().record((model, optimizer, scheduler, self.epoch), path)
    }

    fn resume(path: PathBuf, device: &B::Device) -> Result<Self, RecordError> {
        let run = Run::new(device);
        let (model, optimizer, scheduler, epoch) = Recorder::<B>::load(&Checkpointer::new(), path, device)?;
        // The model first: it gets the identifiers by which the optimizer knows its parameters.
        let model = run.model.try_load_record(model)?;
        let optimizer = run.optimizer.try_load_record(optimizer, &model)?;
        Ok(Run { model, optimizer, scheduler: run.scheduler.load_record::<B>(scheduler), epoch })
    }
}
// ANCHOR_END: checkpoint

impl<B: AutodiffBackend> Run<B> {
    fn train_epoch(mut self, device: &B::Device) -> Self {
        let x = Tensor::from_data([[1.0, -1.0, 0.5, 2.0], [0.0, 1.0, 1.0, -0.5]], device);
        let loss = self.model.forward(x).square().mean();
        let grads = GradientsParams::from_grads(loss.backward(), &self.model);
        self.model = self.optimizer.step(self.scheduler.step(), self.model, grads);
        self.epoch += 1;
        self
    }
}

#[test]
fn a_resumed_run_is_the_run_that_was_not_stopped() {
    type A = Autodiff<NdArray>;
    let (device, folder) = (Default::default(), Folder::new("checkpoint"));
    let run = (0..3).fold(Run::<A>::new(&device), |run, _| run.train_epoch(&device));
    run.save(folder.0.join("checkpoint-3")).unwrap();
    let resumed = Run::<A>::resume(folder.0.join("checkpoint-3"), &device).unwrap();
    assert_eq!(resumed.epoch, 3);
    let [going_on, resumed] = [run, resumed].map(|run| run.train_epoch(&device).train_epoch(&device));
    assert_eq!(going_on.model.head.weight.val().into_data(), resumed.model.head.weight.val().into_data());
    assert_eq!(going_on.epoch, resumed.epoch);
}
