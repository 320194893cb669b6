use crate::arguments::{Arguments, Done};

pub type MethodCall = fn(&mut Arguments<'_>) -> Done;

/// A method by its name.
pub type Named = (&'static str, MethodCall);

/// A list of [`Named`]: expressions that give a result or an error, after the names of their methods.
macro_rules! calls {
    ($a:ident; $($name:literal $call:expr;)*) => {
        const {
            &[$(($name, |$a: &mut $crate::arguments::Arguments<'_>| -> $crate::arguments::Done { ($call)?.finish() })),*]
        }
    };
}
pub(super) use calls;
