use super::Operand;
use crate::error::Outcome;
use crate::value::Spec;

/// A call of the tensor API: its text, its result, and its execution.
#[derive(Debug)]
pub struct Definition {
    /// Name of the call, which is that of the builder's method.
    pub name: &'static str,
    /// Names of the parameters, as they stand in `source`.
    pub parameters: &'static [&'static str],
    /// Names of the sorts of the parameters.
    pub sorts: &'static [&'static str],
    /// Rust source in which the parameters stand by name, in the fallible form.
    pub source: &'static str,
    /// Specs of the results for some arguments.
    pub rule: fn(&[Operand]) -> Outcome<Vec<Spec>>,
    /// Computes the results.
    #[cfg(feature = "run")]
    pub execute: fn(crate::run::Arguments) -> Outcome<Vec<burn_backend::dynamic::DynamicTensor>>,
}

/// Declares calls. See the README of this crate. Parameters after a semicolon are the fields of a struct,
/// which the builder's method takes as one.
macro_rules! calls {
    ($($(#[doc = $doc:literal])* $kind:ident $form:ident fn $name:ident$([$device:ident])?($($param:ident: $sort:ty),* $(; $group:ident: $group_type:ident { $($member:ident: $member_sort:ty),* })?) -> $results:ident $rule:expr => $body:expr;)*) => {
        $(
            #[allow(non_upper_case_globals)]
            pub(crate) static $name: $crate::calls::Definition = $crate::calls::Definition {
                name: stringify!($name),
                parameters: &[$(stringify!($param),)* $($(stringify!($member)),*)?],
                sorts: &[$(stringify!($sort),)* $($(stringify!($member_sort)),*)?],
                source: stringify!($body),
                rule: $rule,
                #[cfg(feature = "run")]
                execute: {
                    #[allow(clippy::useless_conversion)]
                    fn execute(arguments: $crate::run::Arguments) -> $crate::error::Outcome<Vec<burn_backend::dynamic::DynamicTensor>> {
                        $crate::run::executor!($kind $form; arguments; ($($device)?) ($($param: $sort),* $(, $($member: $member_sort),*)?); $body)
                    }
                    execute
                },
            };
        )*

        impl $crate::builder::Builder {$(
            $(#[doc = $doc])*
            ///
            /// # Errors
            /// When the arguments do not fit, or the backend fails.
            pub fn $name(&mut self, $($param: <$sort as $crate::calls::Sort>::Given<'_>,)* $($group: $group_type<'_>)?) -> $crate::error::Outcome<$crate::calls::declare::result!($results)> {
                let operands = vec![
                    $(<$sort as $crate::calls::Sort>::operand($param),)*
                    $($(<$member_sort as $crate::calls::Sort>::operand($group.$member)),*)?
                ];
                $crate::calls::declare::finish!($results, self.call(&$name, operands))
            }
        )*}

        /// The calls of this file.
        pub(crate) static ALL: &[&$crate::calls::Definition] = &[$(&$name),*];
    };
}
pub(super) use calls;

/// Type of the results of a call.
macro_rules! result {
    (one) => { $crate::value::Tensor };
    (many) => { Vec<$crate::value::Tensor> };
}
pub(crate) use result;

/// Results of a call as its method gives them.
macro_rules! finish {
    (one, $results:expr) => {
        $results.map(|mut results| results.remove(0))
    };
    (many, $results:expr) => {
        $results
    };
}
pub(crate) use finish;
