//! Dispatch of a call, whose rank and kind are known at run time, to its body, where they are types.

/// Makes a function body of the body of a call: `executor!(kind form; arguments; (device) (parameters);
/// body)`.
///
/// The kind is `float`, `int`, `bool`, `num` (the first two) or `any`; the form `ranked`, where the body is
/// compiled for each rank, or `erased`, where it is compiled once.
macro_rules! executor {
    (float $form:ident; $arguments:ident; $device:tt $params:tt; $body:expr) => {
        $crate::run::executor!(@one burn_tensor::Float, $form; $arguments; $device $params; $body)
    };
    (int $form:ident; $arguments:ident; $device:tt $params:tt; $body:expr) => {
        $crate::run::executor!(@one burn_tensor::Int, $form; $arguments; $device $params; $body)
    };
    (bool $form:ident; $arguments:ident; $device:tt $params:tt; $body:expr) => {
        $crate::run::executor!(@one burn_tensor::Bool, $form; $arguments; $device $params; $body)
    };
    (num $form:ident; $arguments:ident; $device:tt $params:tt; $body:expr) => {
        $crate::run::executor!(@many burn_tensor::Numeric, num, $form; $arguments; $device $params; $body)
    };
    (any $form:ident; $arguments:ident; $device:tt $params:tt; $body:expr) => {
        $crate::run::executor!(@many burn_tensor::TensorKind, any, $form; $arguments; $device $params; $body)
    };
    (@one $kind:ty, $form:ident; $arguments:ident; ($($device:ident)?) ($($param:ident: $sort:ty),*); $body:expr) => {{
        #[allow(dead_code)]
        type B = burn_backend::dynamic::Dynamic;
        #[allow(unused_mut, unused_variables)]
        fn run<const D: usize>(mut arguments: $crate::run::Arguments) -> $crate::error::Outcome<Vec<burn_backend::dynamic::DynamicTensor>> {
            $(let $param = arguments.take::<$sort, $kind, D>()?;)*
            $(let $device = &arguments.device;)?
            Ok($crate::run::Results::handles($body))
        }
        $crate::run::by_rank!($form, $arguments, D => run::<D>($arguments))
    }};
    (@many $bound:path, $kinds:ident, $form:ident; $arguments:ident; ($($device:ident)?) ($($param:ident: $sort:ty),*); $body:expr) => {{
        #[allow(dead_code)]
        type B = burn_backend::dynamic::Dynamic;
        #[allow(unused_mut, unused_variables)]
        fn run<K: $bound, const D: usize>(mut arguments: $crate::run::Arguments) -> $crate::error::Outcome<Vec<burn_backend::dynamic::DynamicTensor>> {
            $(let $param = arguments.take::<$sort, K, D>()?;)*
            $(let $device = &arguments.device;)?
            Ok($crate::run::Results::handles($body))
        }
        $crate::run::by_kind!($kinds, $arguments, K => $crate::run::by_rank!($form, $arguments, D => run::<K, D>($arguments)))
    }};
}
pub(crate) use executor;

/// Runs an expression with `K` naming a kind.
macro_rules! by_kind {
    (@of $arguments:ident, $K:ident => $call:expr, $of_booleans:expr) => {{
        let dtype = $arguments.dtype();
        if dtype.is_float() {
            type $K = burn_tensor::Float;
            $call
        } else if dtype.is_int() {
            type $K = burn_tensor::Int;
            $call
        } else {
            $of_booleans
        }
    }};
    (num, $arguments:ident, $K:ident => $call:expr) => {
        $crate::run::by_kind!(@of $arguments, $K => $call, {
            Err($crate::error::Reason::new("expected numbers, got booleans"))
        })
    };
    (any, $arguments:ident, $K:ident => $call:expr) => {
        $crate::run::by_kind!(@of $arguments, $K => $call, {
            type $K = burn_tensor::Bool;
            $call
        })
    };
}
pub(crate) use by_kind;

/// Runs an expression with `D` naming a rank.
macro_rules! by_rank {
    (erased, $arguments:ident, $D:ident => $call:expr) => {{
        const $D: usize = 1;
        $call
    }};
    (ranked, $arguments:ident, $D:ident => $call:expr) => {
        $crate::run::by_rank!(@each $arguments, $D => $call; 1 2 3 4 5 6 7 8)
    };
    (@each $arguments:ident, $D:ident => $call:expr; $($rank:literal)*) => {
        match $arguments.rank() {
            $($rank => {
                const $D: usize = $rank;
                $call
            })*
            rank => Err($crate::error::Reason(format!("tensors of rank {rank} are not supported, expected at most 8"))),
        }
    };
}
pub(crate) use by_rank;
