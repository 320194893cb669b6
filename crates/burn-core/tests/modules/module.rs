//! Derived modules: walks, records, devices, gradients.

use crate::models::{Activation, Affine, Mlp};
use burn_autodiff::Autodiff;
use burn_conformance::again::again;
use burn_core::module::{
    AutodiffModule, Initializer, Module, ModuleMapper, ModuleVisitor, ParamId, RunningState,
};
use burn_core::record::{IntoNode, KeyPath, Record};
use burn_core::tensor::{Backend, Tensor};
use burn_ndarray::NdArray;

type B = NdArray;
type A = Autodiff<NdArray>;

fn values<Bk: Backend, const D: usize>(tensor: Tensor<Bk, D>) -> Vec<f64> {
    tensor.into_data().to_f64()
}

#[derive(Default)]
struct Paths {
    open: Vec<String>,
    found: Vec<(String, usize, ParamId)>,
}

impl<Bk: Backend> ModuleVisitor<Bk> for Paths {
    fn visit_float<const D: usize>(&mut self, id: ParamId, _tensor: &Tensor<Bk, D>) {
        self.found.push((self.open.join("."), D, id));
    }
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.open.push(name.to_string());
    }
    fn exit_module(&mut self, name: &str, _container: &str) {
        assert_eq!(self.open.pop().as_deref(), Some(name));
    }
}

#[test]
fn visit_shows_parameters_in_order_with_paths_and_ranks() {
    let model = Mlp::<B>::new(4, &Default::default());
    let mut paths = Paths::default();
    model.visit(&mut paths);
    let found: Vec<(&str, usize)> =
        paths.found.iter().map(|(path, rank, _)| (path.as_str(), *rank)).collect();
    let expected = [
        ("first.weight", 2),
        ("first.bias", 1),
        ("hidden.0.weight", 2),
        ("hidden.0.bias", 1),
        ("hidden.1.weight", 2),
        ("hidden.1.bias", 1),
        ("last.Gated.weight", 2),
        ("last.Gated.bias", 1),
        ("pair.0.weight", 2),
        ("pair.0.bias", 1),
        ("pair.1.weight", 2),
        ("pair.1.bias", 1),
    ];
    assert_eq!(found, expected);
    assert!(paths.open.is_empty());
}

#[test]
fn num_params_counts_without_making_parameters() {
    let model = Mlp::<B>::new(4, &Default::default());
    assert_eq!(model.num_params(), 6 * (16 + 4));
    assert!(!model.first.weight.is_initialized());
}

struct AddOne;
impl<Bk: Backend> ModuleMapper<Bk> for AddOne {
    fn map_float<const D: usize>(&mut self, _id: ParamId, tensor: Tensor<Bk, D>) -> Tensor<Bk, D> {
        tensor + 1.0
    }
}

#[test]
fn map_changes_values_and_keeps_identifiers() {
    let affine = Affine::<B>::with(Initializer::Constant { value: 2.0 }, 2, &Default::default());
    let id = affine.weight.id();
    let affine = affine.map(&mut AddOne);
    assert_eq!(affine.weight.id(), id);
    assert_eq!(values(affine.weight.val()), [3.0; 4]);
    assert_eq!(values(affine.bias.unwrap().val()), [1.0; 2]);
}

#[test]
fn record_goes_through_a_tree_and_back() {
    let device = Default::default();
    let model = Mlp::<B>::new(3, &device);
    let expected = values(model.hidden[1].weight.val());
    let node = model.clone().into_record().into_node();
    let record = <Mlp<B> as Module<B>>::Record::from_node(node, &KeyPath::ROOT, &device).unwrap();

    let other = Mlp::<B>::new(3, &device);
    let loaded = other.clone().load_record(record);
    assert!(!other.hidden[1].weight.is_initialized(), "what is replaced is never made");
    assert_eq!(values(loaded.hidden[1].weight.val()), expected);
    assert_eq!(loaded.hidden[1].weight.id(), model.hidden[1].weight.id());
    assert_eq!(loaded.size, 3);
}

#[test]
fn constants_and_their_lists_take_no_place_in_a_record() {
    let model = Mlp::<B>::new(3, &Default::default());
    let node = model.into_record().into_node();
    assert!(node.get("first").is_some());
    for constant in ["size", "sizes", "scale", "name"] {
        assert_eq!(node.get(constant), None, "{constant}");
    }
}

#[test]
fn try_load_record_lists_every_difference_by_path() {
    let device = Default::default();
    let record = Mlp::<B>::new(3, &device).into_record();
    let mut other = Mlp::<B>::new(4, &device);
    other.hidden.push(Affine::with(Initializer::Ones, 4, &device));
    other.first.bias = None;
    other.last = Activation::Plain(Affine::with(Initializer::Ones, 4, &device));
    let error = other.try_load_record(record).unwrap_err();
    let mismatch = error.mismatch().unwrap();
    assert_eq!(mismatch.missing, ["hidden.2.weight", "hidden.2.bias"]);
    assert_eq!(mismatch.unexpected, ["first.bias"]);
    let shapes: Vec<&str> = mismatch.shapes.iter().map(|shape| shape.key.as_str()).collect();
    assert_eq!(shapes[..2], ["first.weight", "hidden.0.weight"]);
    assert_eq!(mismatch.values[0].0, "last");
    let text = error.to_string();
    assert!(text.contains("shape of first.weight: expected [4, 4], found [3, 3]"), "{text}");
}

#[test]
#[should_panic(expected = "shape of weight: expected [4, 4], found [3, 3]")]
fn load_record_of_another_shape_panics_with_the_path() {
    let device = Default::default();
    let record = Affine::<B>::with(Initializer::Ones, 3, &device).into_record();
    let _ = Affine::<B>::with(Initializer::Ones, 4, &device).load_record(record);
}

#[test]
fn a_missing_field_and_one_too_many_are_reported_together() {
    let device = Default::default();
    let mut node = Affine::<B>::with(Initializer::Ones, 3, &device).into_record().into_node();
    if let burn_core::record::Node::Map(fields) = &mut node {
        fields[0].0 = "weights".to_string();
    }
    let error = <Affine<B> as Module<B>>::Record::from_node(node, &KeyPath::ROOT, &device).unwrap_err();
    let mismatch = error.mismatch().unwrap();
    assert_eq!(
        (&mismatch.missing[..], &mismatch.unexpected[..]),
        (&["weight".into()][..], &["weights".into()][..])
    );
}

#[test]
fn parameters_track_gradients_and_valid_does_not() {
    let device = Default::default();
    let affine = Affine::<A>::with(Initializer::Constant { value: 2.0 }, 2, &device);
    let x = Tensor::<A, 2>::full([1, 2], 3.0, &device);
    let grads = affine.forward(x).sum().backward();
    // d/dw sum(x w + b) = x, for every column.
    assert_eq!(values(affine.weight.grad(&grads).unwrap()), [3.0; 4]);
    assert_eq!(values(affine.bias.as_ref().unwrap().grad(&grads).unwrap()), [1.0; 2]);

    let inner: Affine<NdArray> = affine.valid();
    assert_eq!(inner.weight.id(), affine.weight.id());
    assert_eq!(values(inner.weight.val()), [2.0; 4]);
}

#[test]
fn no_grad_parameters_get_no_gradient_but_stay_parameters() {
    let device = Default::default();
    let affine = Affine::<A>::with(Initializer::Ones, 2, &device).no_grad();
    assert!(!affine.weight.is_initialized());
    assert!(!affine.weight.is_require_grad());
    assert!(!affine.weight.val().is_require_grad());
    assert_eq!(affine.num_params(), 6);
    let loaded = Affine::<A>::with(Initializer::Ones, 2, &device).no_grad().load_record(affine.into_record());
    assert!(!loaded.weight.val().is_require_grad(), "a record does not switch gradients on");
}

#[test]
fn mapped_parameters_start_new_graphs() {
    let affine = Affine::<A>::with(Initializer::Ones, 2, &Default::default()).map(&mut AddOne);
    assert!(affine.weight.val().is_require_grad());
    let frozen = affine.weight.set_require_grad(false).map(|tensor| tensor * 2.0);
    assert!(!frozen.val().is_require_grad());
    assert_eq!(values(frozen.val()), [4.0; 4]);
}

#[test]
fn clones_share_values_whoever_is_used_first() {
    let affine = Affine::<B>::with(Initializer::Uniform { min: -1.0, max: 1.0 }, 3, &Default::default());
    let (before, moved) = (affine.clone(), affine.clone().to_device(&Default::default()));
    let expected = values(before.weight.val());
    assert_eq!(values(affine.weight.val()), expected);
    assert_eq!(values(moved.weight.val()), expected);
}

#[test]
fn the_same_seed_gives_the_same_parameters() {
    // Other tests draw from the same generator, which is of the whole process.
    if again("the_same_seed_gives_the_same_parameters", &[]).is_some() {
        return;
    }
    let draw = || {
        B::seed(7);
        let model = Mlp::<B>::new(3, &Default::default());
        [values(model.first.weight.val()), values(model.hidden[0].weight.val())]
    };
    let (first, second) = (draw(), draw());
    assert_eq!(first, second);
    assert_ne!(first[0], first[1]);
}

#[test]
fn devices_are_listed_once() {
    assert_eq!(Mlp::<B>::new(2, &Default::default()).devices().len(), 1);
}

#[test]
fn modules_cross_threads() {
    let model = Mlp::<A>::new(2, &Default::default());
    let expected = model.num_params();
    let fork = model.fork(&Default::default());
    assert_eq!(std::thread::spawn(move || fork.num_params()).join().unwrap(), expected);
}

#[test]
fn parameters_move_out_to_be_changed_in_place() {
    let affine = Affine::<B>::with(Initializer::Ones, 64, &Default::default());
    let address = |data: &Tensor<B, 2>| data.handle().clone();
    let _ = address(&affine.weight);
    // After the first use neither the lazy cell nor the parameter holds a second handle.
    let value = affine.weight.into_value();
    assert_eq!(values(value.sum()), [4096.0]);
}

#[derive(Module, Debug)]
struct Norm<Bk: Backend> {
    mean: RunningState<Bk, 1>,
}

#[test]
fn running_state_is_saved_counted_and_not_trained() {
    let device = Default::default();
    let norm = Norm::<A> { mean: RunningState::new(Initializer::Zeros.init([2], &device)) };
    let copy = norm.clone();
    let tracked = Tensor::<A, 1>::full([2], 3.0, &device).require_grad();
    norm.mean.update(|mean| mean + tracked);
    assert!(!norm.mean.value().is_require_grad());
    assert_eq!(values(norm.mean.value()), [3.0; 2]);
    assert_eq!(values(copy.mean.value()), [0.0; 2]);
    assert_eq!(values(norm.valid().mean.value()), [3.0; 2]);
    assert_eq!(norm.num_params(), 2);
    assert_eq!(values(copy.load_record(norm.into_record()).mean.value()), [3.0; 2]);
}
