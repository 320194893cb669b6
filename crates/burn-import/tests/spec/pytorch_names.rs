//! PT-012, PT-013: every family of layers, from both formats, by both ways of loading.

use super::files::{B, CPU, fixture};
use super::layers::{Layers, LayersRecord, check_outputs};
use burn::module::Module;
use burn::record::{FullPrecisionSettings, Recorder};
use burn::weights::Strictness;
use burn_import::pytorch::PyTorchFileRecorder;
use burn_import::safetensors::SafetensorsFileRecorder;

#[test]
fn pt_013_layers_with_pytorchs_parameters_give_pytorchs_outputs() {
    let recorder = PyTorchFileRecorder::<FullPrecisionSettings>::default();
    let (record, report) =
        recorder.load_with_report::<B, LayersRecord<B>>(fixture("layers.pt"), CPU).unwrap();
    assert!(report.is_complete(), "{report}");
    check_outputs(&Layers::new(CPU).load_record(record));
}

#[test]
fn pt_012_the_same_layers_load_from_safetensors() {
    let recorder = SafetensorsFileRecorder::<FullPrecisionSettings>::default();
    let record: LayersRecord<B> = recorder.load(fixture("layers.safetensors").into(), CPU).unwrap();
    check_outputs(&Layers::new(CPU).load_record(record));
}

#[test]
fn pt_013_a_module_takes_them_without_a_record() {
    for file in ["layers.pt", "layers.safetensors", "layers.safetensors.index.json"] {
        let weights = burn_import::open(fixture(file)).unwrap();
        let (layers, report) = weights.load_into(Layers::<B>::new(CPU), Strictness::Strict).unwrap();
        assert!(report.is_complete(), "{report}");
        check_outputs(&layers);
    }
}
