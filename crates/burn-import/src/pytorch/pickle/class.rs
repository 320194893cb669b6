use crate::pytorch::storage;
use crate::stored_type::StoredType;

/// The classes and functions that a pickle may name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Class {
    Dict,
    Set,
    List,
    Tuple,
    ByteArray,
    /// A type that only makes default values.
    Plain,
    /// `collections.defaultdict`, whose first argument makes default values.
    DefaultDict,
    /// `torch.Size`.
    Size,
    /// `torch.device`.
    Device,
    /// `torch.Tensor` and its subclasses, as arguments.
    TensorType,
    DType(StoredType),
    /// A class of storages, with the type of their elements.
    Storage(Option<StoredType>),
    RebuildTensor,
    RebuildTensorV3,
    RebuildParameter,
    RebuildFromType,
    NumpyScalar,
    NumpyType,
    NumpyArray,
    /// `_codecs.encode`, by which old protocols write bytes.
    Encode,
}

/// Returns the class or function that `module.name` stands for.
///
/// # Errors
/// It is nothing that tensors need, or a tensor of a kind that has no counterpart.
pub fn find(module: &str, name: &str) -> Result<Class, String> {
    let class = match (module, name) {
        ("collections", "OrderedDict" | "Counter") | ("builtins" | "__builtin__", "dict") => Class::Dict,
        ("collections", "defaultdict") => Class::DefaultDict,
        ("builtins" | "__builtin__", "set" | "frozenset") => Class::Set,
        ("builtins" | "__builtin__", "list") => Class::List,
        ("builtins" | "__builtin__", "tuple") => Class::Tuple,
        ("builtins" | "__builtin__", "bytearray") => Class::ByteArray,
        ("builtins" | "__builtin__", "int" | "float" | "bool" | "str") => Class::Plain,
        ("torch", "Size") => Class::Size,
        ("torch", "device") => Class::Device,
        ("torch", "Tensor")
        | ("torch._tensor", "Tensor")
        | ("torch.nn.parameter", "Parameter" | "Buffer") => Class::TensorType,
        ("torch._utils", "_rebuild_tensor" | "_rebuild_tensor_v2") => Class::RebuildTensor,
        ("torch._utils", "_rebuild_tensor_v3") => Class::RebuildTensorV3,
        ("torch._utils", "_rebuild_parameter" | "_rebuild_parameter_with_state") => Class::RebuildParameter,
        ("torch._tensor", "_rebuild_from_type_v2") | ("torch.tensor", "_rebuild_from_type_v2") => {
            Class::RebuildFromType
        }
        ("numpy.core.multiarray" | "numpy._core.multiarray", "scalar") => Class::NumpyScalar,
        ("numpy.core.multiarray" | "numpy._core.multiarray", "_reconstruct") => Class::NumpyArray,
        ("numpy", "dtype") => Class::NumpyType,
        ("numpy", "ndarray") => Class::Plain,
        ("_codecs", "encode") => Class::Encode,
        ("torch" | "torch.storage" | "torch.cuda", name) if name.ends_with("Storage") => {
            match storage::storage_type(name) {
                Some(stored) => Class::Storage(stored?),
                None => return Err(refused(module, name)),
            }
        }
        (
            "torch._utils",
            "_rebuild_qtensor"
            | "_rebuild_sparse_tensor"
            | "_rebuild_sparse_csr_tensor"
            | "_rebuild_nested_tensor",
        ) => {
            let kind = name.trim_start_matches("_rebuild_");
            return Err(format!(
                "a tensor of the kind `{kind}` has no counterpart here; save it dense and of floats"
            ));
        }
        ("torch", name) if storage::dtype(name).is_ok() => Class::DType(storage::dtype(name)?),
        _ => return Err(refused(module, name)),
    };
    Ok(class)
}

fn refused(module: &str, name: &str) -> String {
    let hint = if module.starts_with("__torch__") {
        "a TorchScript program; save the `state_dict()` of the module"
    } else {
        "save the state dict alone: `torch.save(model.state_dict(), path)`"
    };
    format!(
        "the pickle names `{module}.{name}`, which is none of the classes that tensors need; nothing of it was run ({hint})"
    )
}
