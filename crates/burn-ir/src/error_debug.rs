use alloc::string::{String, ToString};
use core::error::Error;
use core::fmt;

/// Implements [`Debug`](core::fmt::Debug) of error types as their `Display` with the chain of causes, as
/// [`write_error_chain`] writes it: that is what `unwrap` and an error returned from `main` print.
///
/// ```
/// # struct Failed;
/// # impl core::fmt::Display for Failed {
/// #     fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
/// #         f.write_str("the disk is full")
/// #     }
/// # }
/// # impl core::error::Error for Failed {}
/// burn_ir::debug_as_display!(Failed);
/// assert_eq!(format!("{:?}", Failed), "the disk is full");
/// ```
#[macro_export]
macro_rules! debug_as_display {
    ($error:ty) => {
        $crate::debug_as_display! { impl[] $error }
    };
    (impl[$($generics:tt)*] $error:ty) => {
        impl<$($generics)*> ::core::fmt::Debug for $error {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::write_error_chain(self, f)
            }
        }
    };
}

/// Writes the message of `error`, and a line `caused by: ..` for each cause that the messages before it do
/// not contain.
///
/// # Errors
/// When `f` takes no more text.
pub fn write_error_chain(error: &dyn Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        push_cause(&mut text, &error.to_string());
        cause = error.source();
    }
    f.write_str(&text)
}

fn push_cause(text: &mut String, cause: &str) {
    if !text.contains(cause) {
        text.push_str("\ncaused by: ");
        text.push_str(cause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::boxed::Box;
    use alloc::format;

    struct Failed(&'static str, Option<Box<Failed>>);

    impl fmt::Display for Failed {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Failed {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_deref().map(|cause| cause as &(dyn Error + 'static))
        }
    }

    debug_as_display!(Failed);

    #[test]
    fn causes_follow_the_message_once() {
        let disk = Failed("the disk is full", None);
        assert_eq!(format!("{disk:?}"), "the disk is full");
        let written = Failed("a.bin: the disk is full", Some(Box::new(disk)));
        let saved = Failed("cannot save the model", Some(Box::new(written)));
        assert_eq!(format!("{saved:?}"), "cannot save the model\ncaused by: a.bin: the disk is full");
        let result: Result<(), Failed> = Err(saved);
        assert_eq!(format!("{result:?}"), "Err(cannot save the model\ncaused by: a.bin: the disk is full)");
    }
}
