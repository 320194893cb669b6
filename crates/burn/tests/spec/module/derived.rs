//! MO: modules, parameters, and what walks over them.

use crate::expect::exactly;
use crate::given::{B, CPU, float};
use crate::given_module::{Affine, Model, ModelRecord};
use burn::backend::Autodiff;
use burn::module::{
    AutodiffModule, Content, DisplaySettings, Initializer, Module, ModuleDisplay, ModuleMapper,
    ModuleVisitor, Param, ParamId,
};
use burn::record::{CompactRecorder, FullPrecisionSettings, NamedMpkFileRecorder};
use burn::tensor::backend::Backend;
use burn::tensor::{Bool, Int, Tensor};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

type A = Autodiff<B>;

#[derive(Module, Debug)]
struct EveryField<B: Backend> {
    module: Affine<B>,
    param: Param<Tensor<B, 1>>,
    ints: Param<Tensor<B, 1, Int>>,
    constant: Tensor<B, 1, Bool>,
    option: Option<Affine<B>>,
    list: Vec<Affine<B>>,
    array: [Affine<B>; 2],
    pair: (Affine<B>, f32),
    size: usize,
    name: String,
}

fn every_field() -> EveryField<B> {
    let affine = || Affine::new(1, 2, CPU);
    EveryField {
        module: affine(),
        param: Param::from_data([1.0, 2.0], CPU),
        ints: Param::from_data([3, 4], CPU),
        constant: Tensor::from_data([true], CPU),
        option: None,
        list: vec![affine(), affine(), affine()],
        array: [affine(), affine()],
        pair: (affine(), 0.5),
        size: 7,
        name: "all".to_string(),
    }
}

#[test]
fn mo_001_every_kind_of_field_is_a_module() {
    // 7 affine modules of 4 numbers, and two parameters of 2.
    assert_eq!(every_field().num_params(), 7 * 4 + 2 + 2);
    assert!(format!("{:?}", every_field()).starts_with("EveryField"));
}

#[derive(Module, Debug)]
struct Residual<B: Backend, M> {
    scale: Param<Tensor<B, 1>>,
    inner: M,
    others: Vec<M>,
}

#[test]
fn mo_001_a_type_parameter_that_is_a_field_is_a_module() {
    let affine = || Affine::<A>::new(1, 2, CPU);
    let scale = Param::from_data([1.0], CPU);
    let module = Residual { scale, inner: affine(), others: vec![affine(), affine()] };
    assert_eq!(module.num_params(), 1 + 3 * 4);
    let valid: Residual<B, Affine<B>> = module.valid();
    exactly(valid.inner.weight.val(), module.inner.weight.val().into_data());
    let record: ResidualRecord<A, Affine<A>> = module.clone().into_record();
    exactly(record.inner.weight.val(), module.inner.weight.val().into_data());
    assert_eq!(module.load_record(record).num_params(), 13);
}

#[derive(Module, Debug)]
struct Branch<B: Backend> {
    affine: Affine<B>,
    branches: Vec<Branch<B>>,
    leaves: Vec<Leaf<B>>,
}

#[derive(Module, Debug)]
#[module(recursive)]
struct Leaf<B: Backend> {
    affine: Affine<B>,
    grown: Option<Box<Branch<B>>>,
}

#[test]
fn mo_001_modules_may_hold_themselves_and_each_other() {
    let affine = || Affine::<A>::new(1, 2, CPU);
    let end = || Branch { affine: affine(), branches: Vec::new(), leaves: Vec::new() };
    let leaf = Leaf { affine: affine(), grown: Some(Box::new(end())) };
    let tree = Branch { affine: affine(), branches: vec![end()], leaves: vec![leaf] };
    assert_eq!(tree.num_params(), 4 * 4);
    assert_eq!(tree.valid().leaves[0].grown.as_ref().map(|branch| branch.num_params()), Some(4));
}

#[test]
fn mo_002_the_derive_makes_a_record_type() {
    let model = Model::<B>::new(2, CPU);
    let record: ModelRecord<B> = model.clone().into_record();
    exactly(record.first.weight.val(), model.first.weight.val().into_data());
}

#[derive(Module, Debug)]
enum Either<B: Backend> {
    Small(Affine<B>),
    Large(Model<B>),
}

#[test]
fn mo_003_an_enum_of_modules_is_a_module() {
    let device = Default::default();
    let large = Either::<B>::Large(Model::new(2, &device));
    assert_eq!(large.num_params(), 12);
    let record = large.into_record();
    let small = Either::<B>::Small(Affine::new(1, 1, &device));
    assert!(small.try_load_record(record.clone()).unwrap_err().to_string().contains("Small"));
    assert!(Either::<B>::Large(Model::new(2, &device)).try_load_record(record).is_ok());
}

#[test]
fn mo_004_constants_are_fields_and_not_saved() {
    let mut other = Model::<B>::new(2, CPU);
    other.scale = 3.0;
    assert_eq!(other.load_record(Model::new(2, CPU).into_record()).scale, 3.0);
}

#[test]
fn mo_005_a_parameter_has_an_identifier_that_its_record_keeps() {
    let (one, two) = (Model::<B>::new(2, CPU), Model::<B>::new(2, CPU));
    let id = one.first.weight.id();
    assert_ne!(id, two.first.weight.id());
    assert_eq!(two.load_record(one.into_record()).first.weight.id(), id);
}

#[test]
fn mo_006_a_parameter_without_gradient_is_still_saved() {
    let device = Default::default();
    let mut model = Model::<A>::new(2, &device);
    model.first.weight = model.first.weight.set_require_grad(false);
    let x = Tensor::<A, 2>::ones([1, 2], &device);
    let grads = model.forward(x).sum().backward();
    assert!(model.first.weight.grad(&grads).is_none());
    assert!(model.second.weight.grad(&grads).is_some());
    let kept = model.first.weight.val().inner();
    exactly(model.into_record().first.weight.val().inner(), kept.into_data());
}

#[test]
fn mo_007_a_plain_tensor_is_a_constant() {
    let mut other = Model::<B>::new(2, CPU);
    other.offset = float([9.0]);
    assert_eq!(other.num_params(), 12);
    exactly(other.load_record(Model::new(2, CPU).into_record()).offset, [9.0]);
}

#[test]
fn mo_008_devices_are_listed_once() {
    assert_eq!(Model::<B>::new(2, CPU).devices(), [*CPU]);
}

#[test]
fn mo_009_a_fork_shares_no_graph() {
    let device = Default::default();
    let model = Affine::<A>::new(2, 2, &device);
    let x = Tensor::<A, 2>::ones([1, 2], &device);
    let _ = model.forward(x.clone());
    let fork = model.clone().fork(&device);
    let grads = model.forward(x).sum().backward();
    assert!(fork.weight.grad(&grads).is_none());
    assert!(fork.weight.is_require_grad());
    exactly(fork.weight.val().inner(), model.weight.val().inner().into_data());
}

#[test]
fn mo_010_to_device_keeps_values_and_graph() {
    let device = Default::default();
    let model = Affine::<A>::new(2, 2, &device).to_device(&device);
    let grads = model.forward(Tensor::ones([1, 2], &device)).sum().backward();
    exactly(model.weight.grad(&grads).unwrap(), [[1.0, 1.0], [1.0, 1.0]]);
}

#[test]
fn mo_011_no_grad_freezes_a_module() {
    let device = Default::default();
    let mut model = Model::<A>::new(2, &device);
    model.first = model.first.no_grad();
    let grads = model.forward(Tensor::ones([1, 2], &device)).sum().backward();
    assert!(model.first.bias.unwrap().grad(&grads).is_none());
    assert!(model.second.bias.unwrap().grad(&grads).is_some());
}

#[test]
fn mo_012_num_params_counts_elements() {
    assert_eq!(Affine::<B>::new(1024, 512, CPU).num_params(), 524_800);
}

#[derive(Default)]
struct Sum(f64, Vec<ParamId>);

impl<B: Backend> ModuleVisitor<B> for Sum {
    fn visit_float<const D: usize>(&mut self, id: ParamId, tensor: &Tensor<B, D>) {
        self.0 += tensor.clone().sum().into_data().to_f64()[0];
        self.1.push(id);
    }
}

struct Fill(f64);

impl<B: Backend> ModuleMapper<B> for Fill {
    fn map_float<const D: usize>(&mut self, _id: ParamId, tensor: Tensor<B, D>) -> Tensor<B, D> {
        tensor * 0.0 + self.0
    }
}

#[test]
fn mo_013_visit_sees_what_map_did() {
    let model = Model::<B>::new(2, CPU).map(&mut Fill(0.25));
    let mut sum = Sum::default();
    model.visit(&mut sum);
    assert_eq!(sum.0, 12.0 * 0.25);
}

#[test]
fn mo_014_a_record_makes_two_models_equal() {
    let (one, two) = (Model::<B>::new(3, CPU), Model::<B>::new(3, CPU));
    let x = float::<2>([[1.0, -2.0, 3.0]]);
    let expected = one.forward(x.clone()).into_data();
    exactly(two.load_record(one.into_record()).forward(x), expected);
}

#[test]
fn mo_015_files_get_the_extension_of_the_recorder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let model = Model::<B>::new(3, CPU);
    let recorder = NamedMpkFileRecorder::<FullPrecisionSettings>::new();
    model.clone().save_file(path.clone(), &recorder).unwrap();
    assert!(folder.path().join("model.mpk").exists());
    let loaded = Model::<B>::new(3, CPU).load_file(path, &recorder, CPU).unwrap();
    let x = float::<2>([[1.0, -2.0, 3.0]]);
    exactly(loaded.forward(x.clone()), model.forward(x).into_data());
    let path = format!("{}/nowhere/model", folder.path().display());
    assert!(model.save_file(path, &CompactRecorder::new()).is_err());
}

/// A parameter that counts how often it is made.
fn counted(count: &Arc<AtomicUsize>) -> Param<Tensor<B, 2>> {
    let count = count.clone();
    Param::uninitialized(ParamId::new(), [2, 2], *CPU, move |device| {
        count.fetch_add(1, Ordering::Relaxed);
        Tensor::ones([2, 2], device)
    })
}

#[test]
fn mo_016_a_clone_copies_no_values() {
    let count = Arc::default();
    let model = Affine { weight: counted(&count), bias: None };
    let copies = [model.clone(), model.clone(), model];
    let sums: Vec<f64> =
        copies.iter().map(|model| model.weight.val().sum().into_data().to_f64()[0]).collect();
    assert_eq!((sums, count.load(Ordering::Relaxed)), (vec![4.0; 3], 1));
}

#[test]
fn mo_017_valid_is_the_module_on_the_inner_backend() {
    let device = Default::default();
    let model = Model::<A>::new(2, &device);
    let inner: Model<B> = model.valid();
    assert!(!inner.first.weight.val().is_require_grad());
    exactly(inner.first.weight.val(), model.first.weight.val().inner().into_data());
}

#[derive(Default)]
struct Seen {
    path: Vec<String>,
    kinds: Vec<(String, &'static str, usize)>,
}

impl<B: Backend> ModuleVisitor<B> for Seen {
    fn visit_float<const D: usize>(&mut self, _id: ParamId, _tensor: &Tensor<B, D>) {
        self.kinds.push((self.path.join("."), "float", D));
    }
    fn visit_int<const D: usize>(&mut self, _id: ParamId, _tensor: &Tensor<B, D, Int>) {
        self.kinds.push((self.path.join("."), "int", D));
    }
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.push(name.to_string());
    }
    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.pop();
    }
}

#[test]
fn mo_018_a_visitor_knows_path_kind_and_rank() {
    let mut seen = Seen::default();
    every_field().visit(&mut seen);
    let seen: Vec<_> = seen.kinds.iter().map(|(path, kind, rank)| (path.as_str(), *kind, *rank)).collect();
    assert_eq!(seen.len(), 16);
    assert_eq!(
        seen[..4],
        [
            ("module.weight", "float", 2),
            ("module.bias", "float", 1),
            ("param", "float", 1),
            ("ints", "int", 1)
        ]
    );
    assert_eq!(seen[8], ("list.2.weight", "float", 2));
    assert_eq!(seen[15], ("pair.0.bias", "float", 1));
}

struct Negate;

impl<B: Backend> ModuleMapper<B> for Negate {
    fn map_int<const D: usize>(&mut self, _id: ParamId, tensor: Tensor<B, D, Int>) -> Tensor<B, D, Int> {
        -tensor
    }
}

#[test]
fn mo_019_a_mapper_changes_the_kinds_that_it_knows() {
    let module = every_field().map(&mut Negate);
    exactly(module.ints.val(), [-3, -4]);
    exactly(module.param.val(), [1.0, 2.0]);
}

#[test]
fn mo_020_parameters_are_made_on_first_use_or_never() {
    let count = Arc::default();
    let lazy = Affine { weight: counted(&count), bias: None };
    assert_eq!((lazy.num_params(), lazy.weight.dims()), (4, [2, 2]));
    let _ = lazy.to_string();
    let record = Affine { weight: Param::from_data([[1.0, 2.0], [3.0, 4.0]], CPU), bias: None }.into_record();
    let loaded = lazy.load_record(record);
    exactly(loaded.weight.val(), [[1.0, 2.0], [3.0, 4.0]]);
    assert_eq!(count.load(Ordering::Relaxed), 0);
}

#[test]
fn mo_021_init_and_load_record_replace_init_with() {
    let model = Model::<B>::new(2, CPU);
    let loaded = Model::<B>::new(2, CPU).load_record(model.clone().into_record());
    exactly(loaded.second.weight.val(), model.second.weight.val().into_data());
}

#[derive(Module, Debug)]
#[module(custom_display)]
struct Shown<B: Backend> {
    weight: Param<Tensor<B, 2>>,
    label: String,
}

impl<B: Backend> ModuleDisplay for Shown<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        DisplaySettings::new().with_new_line_after_attribute(false).optional()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let [rows, columns] = self.weight.dims();
        content.add("rows", &rows).add("columns", &columns).optional()
    }
}

fn shown() -> Shown<B> {
    Shown { weight: Initializer::Ones.init([2, 3], CPU), label: "x".to_string() }
}

#[test]
fn mo_023_a_module_can_say_how_it_is_printed() {
    assert_eq!(shown().to_string(), "Shown {rows: 2, columns: 3, params: 6}");
}

#[derive(Module, Debug)]
#[module(custom_display)]
struct WithSettings<B: Backend> {
    inner: Param<Tensor<B, 1>>,
}

impl<B: Backend> ModuleDisplay for WithSettings<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        DisplaySettings::new()
            .with_show_all_attributes(true)
            .with_new_line_after_attribute(true)
            .with_show_num_parameters(false)
            .with_indentation_size(4)
            .with_show_param_id(true)
            .optional()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        content.add("note", &"mine").optional()
    }
}

#[test]
fn mo_024_settings_choose_what_is_shown() {
    let module = WithSettings::<B> { inner: Param::from_data([1.0, 2.0], CPU) };
    let id = module.inner.id();
    let expected = format!(
        "WithSettings {{\n    inner: Param {{id: {id}, shape: [2], kind: Float}}\n    note: mine\n}}"
    );
    assert_eq!(module.to_string(), expected);
}

#[test]
fn mo_024_the_defaults_are_lines_with_two_spaces_and_the_number_of_parameters() {
    let text = Affine::<B>::new(1, 2, CPU).to_string();
    let lines = "Affine {\n  weight: Param {shape: [1, 2], kind: Float}\n  bias: Param {shape: [2], kind: Float}\n  params: 4\n}";
    assert_eq!(text, lines);
}

#[test]
fn mo_025_content_takes_whatever_can_be_displayed() {
    let shown = shown();
    assert_eq!(shown.label, "x");
    assert!(shown.to_string().contains("columns: 3"));
}

#[test]
fn mo_026_a_module_goes_to_another_thread_and_gradients_come_back() {
    let device = Default::default();
    let model = Affine::<A>::new(2, 2, &device);
    let fork = model.clone().fork(&device);
    let gradient = std::thread::spawn(move || {
        let grads = fork.forward(Tensor::ones([3, 2], &Default::default())).sum().backward();
        fork.weight.grad(&grads).unwrap()
    });
    exactly(gradient.join().unwrap(), [[3.0, 3.0], [3.0, 3.0]]);
}

impl<B: Backend> Affine<B> {
    /// A second function beside `forward`, of other ranks.
    fn weight_sum(&self) -> Tensor<B, 1> {
        self.weight.val().sum()
    }
}

#[test]
fn mo_027_a_module_has_any_functions() {
    let affine = Affine::<B>::new(2, 2, CPU).map(&mut Fill(1.0));
    exactly(affine.weight_sum(), [4.0]);
    exactly(affine.forward(float([[1.0, 1.0]])), [[3.0, 3.0]]);
}
