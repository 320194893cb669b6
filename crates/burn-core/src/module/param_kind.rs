use crate::tensor::TensorKind;

/// Element kind of a parameter: float, integer or boolean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamKind {
    Float,
    Int,
    Bool,
}

impl ParamKind {
    pub(super) const fn of<K: TensorKind>() -> Self {
        match K::NAME.as_bytes()[0] {
            b'I' => ParamKind::Int,
            b'B' => ParamKind::Bool,
            _ => ParamKind::Float,
        }
    }
}
