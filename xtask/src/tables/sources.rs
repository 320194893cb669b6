//! Reads the public functions out of the sources.

use super::counterpart;
use super::macros::Macros;
use super::operation::{Area, Operation};
use super::syntax::{documentation, folder, has, is_hidden, module, names, parse_all};
use crate::Outcome;
use quote::ToTokens;
use std::collections::{BTreeMap, HashMap, HashSet};
use syn::{
    Attribute, FnArg, GenericArgument, GenericParam, ImplItem, Item, ItemImpl, PathArguments, ReturnType,
    Signature, Type, TypeParamBound, TypePath, UseTree, Visibility,
};

/// Types whose methods are operations; those of others are theirs.
const TYPES: [&str; 3] = ["Tensor", "DynTensor", "NamedTensor"];

/// The operations of all files: their paths below the sources and their texts.
pub(super) fn read(files: &[(String, String)]) -> Outcome<Vec<Operation>> {
    let parsed = parse_all(files)?;
    let mut reader = Reader { macros: Macros::of(&parsed), ..Reader::default() };
    for (place, file) in &parsed {
        reader.look_around(place, &file.items);
    }
    for (place, file) in &parsed {
        reader.items(place, &file.items)?;
    }
    Ok(reader.operations())
}

#[derive(Default)]
struct Reader {
    macros: Macros,
    /// Names that some module makes public for another one.
    exported: HashSet<String>,
    /// Modules that programs can name.
    public: HashSet<String>,
    functions: Vec<Function>,
}

/// A function as it is written.
struct Function {
    operation: Operation,
    /// Whether `x` is derived from `try_x`.
    is_derived: bool,
}

impl Reader {
    fn look_around(&mut self, place: &str, items: &[Item]) {
        let folder = folder(place);
        for item in items {
            match item {
                Item::Use(item) if matches!(item.vis, Visibility::Public(_)) => {
                    names(&item.tree, &mut self.exported);
                    if let UseTree::Path(path) = &item.tree
                        && let UseTree::Glob(_) = &*path.tree
                    {
                        self.public.insert(format!("{folder}{}", path.ident));
                    }
                }
                Item::Mod(item) if matches!(item.vis, Visibility::Public(_)) => {
                    self.public.insert(format!("{folder}{}", item.ident));
                }
                _ => {}
            }
        }
    }

    fn items(&mut self, place: &str, items: &[Item]) -> Outcome {
        for item in items {
            match item {
                Item::Fn(function) if self.is_public(place, &function.vis, &function.sig) => {
                    let is_derived = has(&function.attrs, "fallible");
                    self.function(place, None, &function.attrs, &function.sig, is_derived);
                }
                Item::Impl(block) if block.trait_.is_none() => self.block(place, block)?,
                Item::Macro(item) if item.ident.is_none() => {
                    let items = self.macros.items(place, &item.mac)?;
                    self.items(place, &items)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn block(&mut self, place: &str, block: &ItemImpl) -> Outcome {
        let Some(owner) = Owner::of(block) else { return Ok(()) };
        let is_derived = has(&block.attrs, "fallible");
        for item in &block.items {
            match item {
                ImplItem::Fn(function) if matches!(function.vis, Visibility::Public(_)) => {
                    self.function(place, Some(&owner), &function.attrs, &function.sig, is_derived);
                }
                ImplItem::Macro(call) => {
                    let block = self.macros.block(place, block, &call.mac)?;
                    self.block(place, &block)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether programs can call a function that stands in a file by itself.
    fn is_public(&self, place: &str, visibility: &Visibility, signature: &Signature) -> bool {
        let name = signature.ident.to_string();
        let plain = name.strip_prefix("try_").unwrap_or(&name);
        matches!(visibility, Visibility::Public(_))
            && (self.public.contains(module(place))
                || self.exported.contains(&name)
                || self.exported.contains(plain))
    }

    fn function(
        &mut self,
        place: &str,
        owner: Option<&Owner>,
        attributes: &[Attribute],
        signature: &Signature,
        is_derived: bool,
    ) {
        if is_hidden(attributes) {
            return;
        }
        let docs = documentation(attributes);
        let kind = owner.map_or(Kind::Float, |owner| owner.kind);
        let area = match owner {
            None => match place.split('/').next().filter(|module| self.public.contains(*module)) {
                Some(module) => Area::Module(module.to_string()),
                None => Area::Functions,
            },
            Some(owner) => owner.area(place),
        };
        let flows = !matches!(area, Area::Creation | Area::Autodiff) && !docs.contains("No gradient");
        let is_differentiable = flows && is_differentiable(signature, kind);
        let operation = Operation {
            file: place.to_string(),
            area,
            name: signature.ident.to_string(),
            counterpart: counterpart::find(&docs),
            is_fallible: false,
            gives_tensors: gives_tensors(signature),
            is_differentiable,
        };
        self.functions.push(Function { operation, is_derived });
    }

    /// One entry for `x` and `try_x`, under the name that every program can use.
    fn operations(self) -> Vec<Operation> {
        let mut all: BTreeMap<(Area, String, String), Operation> = BTreeMap::new();
        let (fallible, plain): (Vec<_>, Vec<_>) =
            self.functions.into_iter().partition(|function| function.operation.name.starts_with("try_"));
        for Function { operation, .. } in plain {
            all.insert((operation.area.clone(), operation.name.clone(), place_of(&operation)), operation);
        }
        for Function { mut operation, is_derived } in fallible {
            let name = operation.name["try_".len()..].to_string();
            let key = (operation.area.clone(), name.clone(), place_of(&operation));
            match all.get_mut(&key) {
                Some(plain) => plain.is_fallible = true,
                None => {
                    operation.is_fallible = true;
                    if is_derived {
                        operation.name = name;
                    }
                    all.insert(key, operation);
                }
            }
        }
        all.into_values().collect()
    }
}

/// Returns the file of a function where name and area are ambiguous: `float` and `int` functions of one type.
fn place_of(operation: &Operation) -> String {
    match operation.area {
        Area::Creation | Area::Autodiff => operation.file.clone(),
        _ => String::new(),
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Every,
    Numeric,
    Float,
    Int,
    Bool,
}

/// Type and kind that the methods of an impl block belong to.
struct Owner {
    ty: String,
    kind: Kind,
    has_gradients: bool,
}

impl Owner {
    fn of(block: &ItemImpl) -> Option<Owner> {
        let Type::Path(path) = &*block.self_ty else { return None };
        let last = path.path.segments.last()?;
        let ty = last.ident.to_string();
        if !TYPES.contains(&ty.as_str()) {
            return None;
        }
        let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
        let given: Vec<String> =
            arguments.args.iter().map(|given| given.to_token_stream().to_string()).collect();
        let bounds = bounds(block);
        let last = given.last().map(String::as_str).unwrap_or_default();
        let of =
            |name: &str| bounds.get(name).is_some_and(|bounds| bounds.iter().any(|bound| bound == "Numeric"));
        let kind = match last {
            "Int" => Kind::Int,
            "Bool" => Kind::Bool,
            "K" if of("K") => Kind::Numeric,
            "K" => Kind::Every,
            _ => Kind::Float,
        };
        let autodiff = |bound: &String| bound.starts_with("AutodiffBackend");
        let has_gradients = bounds.values().flatten().any(autodiff);
        Some(Owner { ty, kind, has_gradients })
    }

    fn area(&self, place: &str) -> Area {
        if self.ty != "Tensor" {
            return Area::Type(self.ty.clone());
        }
        let file = place.split('/').next().unwrap_or_default();
        if self.has_gradients || file == "gradient" {
            return Area::Autodiff;
        }
        if file.starts_with("creat") {
            return Area::Creation;
        }
        match self.kind {
            Kind::Every => Area::Every,
            Kind::Numeric => Area::Numeric,
            Kind::Float => Area::Float,
            Kind::Int => Area::Int,
            Kind::Bool => Area::Bool,
        }
    }
}

/// The traits that each type parameter has.
fn bounds(block: &ItemImpl) -> HashMap<String, Vec<String>> {
    let parameters = block.generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(parameter) => Some(parameter),
        GenericParam::Const(_) | GenericParam::Lifetime(_) => None,
    });
    let named = |bound: &TypeParamBound| match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    };
    parameters
        .map(|parameter| (parameter.ident.to_string(), parameter.bounds.iter().filter_map(named).collect()))
        .collect()
}

/// Whether the result is a tensor or holds some; a result or an error is not.
fn gives_tensors(signature: &Signature) -> bool {
    let ReturnType::Type(_, output) = &signature.output else { return false };
    let is_result = |path: &TypePath| path.path.segments.last().is_some_and(|last| last.ident == "Result");
    match &**output {
        Type::Path(path) if is_result(path) => false,
        output => has_tensors(output),
    }
}

fn has_tensors(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path.path.segments.iter().any(|segment| {
            let arguments = match &segment.arguments {
                PathArguments::AngleBracketed(arguments) => arguments.args.iter().collect(),
                _ => Vec::new(),
            };
            let mut types = arguments.into_iter().filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            let name = segment.ident.to_string();
            name == "Self" || TYPES.contains(&name.as_str()) || types.any(has_tensors)
        }),
        Type::Tuple(tuple) => tuple.elems.iter().any(has_tensors),
        Type::Array(array) => has_tensors(&array.elem),
        _ => false,
    }
}

/// Whether there are floats on both sides.
fn is_differentiable(signature: &Signature, kind: Kind) -> bool {
    let mut inputs = signature.inputs.iter().map(|input| match input {
        FnArg::Receiver(receiver) => receiver.colon_token.is_none() && is_real(kind),
        FnArg::Typed(input) => has_floats(&input.ty, kind),
    });
    let ReturnType::Type(_, output) = &signature.output else { return false };
    inputs.any(|floats| floats) && has_floats(output, kind)
}

fn is_real(kind: Kind) -> bool {
    !matches!(kind, Kind::Int | Kind::Bool)
}

/// Whether tensors of real numbers are somewhere in the type, when `Self` and `K` are of this kind.
fn has_floats(ty: &Type, kind: Kind) -> bool {
    match ty {
        Type::Path(path) => path.path.segments.iter().any(|segment| {
            let arguments = match &segment.arguments {
                PathArguments::AngleBracketed(arguments) => arguments.args.iter().collect(),
                _ => Vec::new(),
            };
            let types = arguments.iter().filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            match segment.ident.to_string().as_str() {
                "Self" => is_real(kind),
                name if TYPES.contains(&name) => {
                    let last = arguments.last().map(|last| last.to_token_stream().to_string());
                    match last.as_deref() {
                        Some("Int" | "Bool") => false,
                        Some("K") => is_real(kind),
                        _ => true,
                    }
                }
                _ => types.into_iter().any(|ty| has_floats(ty, kind)),
            }
        }),
        Type::Tuple(tuple) => tuple.elems.iter().any(|ty| has_floats(ty, kind)),
        Type::Array(array) => has_floats(&array.elem, kind),
        Type::Slice(slice) => has_floats(&slice.elem, kind),
        Type::Reference(reference) => has_floats(&reference.elem, kind),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::counterpart::Counterpart;
    use super::*;

    #[test]
    fn tensors_in_results_of_any_shape_are_seen() {
        let gives = |output: &str| {
            let signature = syn::parse_str::<Signature>(&format!("fn f(){output}")).expect("a signature");
            gives_tensors(&signature)
        };
        for output in
            ["-> Self", "-> Tensor<B, 1>", "-> (f32, DynTensor<B, K>)", "-> Option<[Tensor<I, D>; 2]>"]
        {
            assert!(gives(output), "{output}");
        }
        for output in ["", "-> Shape", "-> Result<Self, TensorError>", "-> &Shape"] {
            assert!(!gives(output), "{output}");
        }
    }

    const LIB: &str = "pub mod activation; mod float; mod check;";
    const FLOAT: &str = r#"
        macro_rules! functions {
            ($($name:ident => $doc:literal;)*) => {
                impl<B: Backend, const D: usize> Tensor<B, D> {$(
                    #[doc = concat!($doc, " PyTorch: `torch.", stringify!($name), "`.")]
                    pub fn $name(self) -> Self { self }
                )*}
            };
        }
        functions! { sin => "Sine."; floor => "Below. No gradient flows."; }
        #[fallible]
        impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
            /// Largest. PyTorch: `torch.max`.
            pub fn try_max(self) -> Result<Tensor<B, 1, K>, TensorError> {}
            pub fn argmax(self) -> Tensor<B, 1, Int> {}
            fn own(self) {}
        }"#;

    fn read_all() -> Vec<Operation> {
        let files = [
            (
                "activation",
                "/// PyTorch has no counterpart.\npub fn shape(x: Tensor<B, 1>) -> Tensor<B, 1> {}",
            ),
            ("check", "pub fn check() {}"),
            ("float", FLOAT),
            ("lib", LIB),
        ];
        read(&files.map(|(place, text)| (place.to_string(), text.to_string()))).expect("it parses")
    }

    #[test]
    fn functions_of_macros_blocks_and_public_modules_are_found() {
        let all = read_all();
        let found: Vec<_> = all
            .iter()
            .map(|found| (found.name.as_str(), found.is_fallible, found.is_differentiable))
            .collect();
        assert_eq!(
            found,
            [
                ("argmax", false, false),
                ("max", true, true),
                ("floor", false, false),
                ("sin", false, true),
                ("shape", false, true)
            ]
        );
        assert_eq!(all[0].counterpart, None);
        assert_eq!(all[1].area, Area::Numeric);
        assert_eq!(all[3].counterpart, Some(Counterpart::Named("`torch.sin`".into())));
        assert_eq!(all[4].area, Area::Module("activation".into()));
        assert_eq!(all[4].counterpart, Some(Counterpart::None));
    }
}
