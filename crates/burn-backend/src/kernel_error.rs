//! Errors that a kernel finds while it runs, such as memory that the machine does not have.
//!
//! The methods of [`Backend`](crate::Backend) return tensors and no results, so a kernel that cannot go on
//! unwinds. An operation of the tensor that gives its errors as values runs in [`catch`]: there [`raise`]
//! unwinds without a message and the error is returned. Elsewhere, without the standard library, and where
//! panics abort, [`raise`] is a panic. Decision 28.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::any::Any;
use core::fmt;
use core::panic::Location;

/// Error raised by a kernel, of any type, and its text.
pub struct KernelError {
    error: Box<dyn Any + Send>,
    text: String,
}

impl KernelError {
    /// Returns the error, if it is of type `E`.
    ///
    /// # Errors
    /// Returns itself when it is of another type.
    pub fn downcast<E: 'static>(self) -> Result<E, Self> {
        let KernelError { error, text } = self;
        error.downcast().map(|error| *error).map_err(|error| KernelError { error, text })
    }

    /// Raises it again, on the thread that waited for the one on which it was found.
    ///
    /// # Panics
    /// Outside of [`catch`].
    #[cold]
    #[track_caller]
    pub fn raise(self) -> ! {
        unwinding::raise(self)
    }
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Ends the call with `error`: [`catch`] returns it.
///
/// # Panics
/// Outside of [`catch`], with the text of the error.
#[cold]
#[track_caller]
pub fn raise(error: impl fmt::Display + Send + 'static) -> ! {
    KernelError { text: error.to_string(), error: Box::new(error) }.raise()
}

/// Calls `call`. Panics pass through.
///
/// # Errors
/// Returns the error that [`raise`] was given on this thread during the call.
#[track_caller]
pub fn catch(call: &mut dyn FnMut()) -> Result<(), KernelError> {
    unwinding::catch(Location::caller(), call)
}

/// Calls `call`, in which [`raise`] panics: code of users, whose mistakes are reported at their own lines.
pub fn without_catch<T>(call: impl FnOnce() -> T) -> T {
    let _outside = unwinding::Outside::enter();
    call()
}

/// Returns the source location of the call that runs on this thread, if it runs in [`catch`].
#[must_use]
pub fn caller() -> Option<&'static Location<'static>> {
    unwinding::caller()
}

#[cfg(all(feature = "std", panic = "unwind"))]
mod unwinding {
    use super::KernelError;
    use alloc::boxed::Box;
    use core::cell::Cell;
    use core::panic::Location;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    type Caller = Option<&'static Location<'static>>;

    thread_local! {
        /// The caller of the outermost `catch` that is running.
        static CALLER: Cell<Caller> = const { Cell::new(None) };
    }

    pub fn caller() -> Caller {
        CALLER.get()
    }

    /// Puts the caller back, also when the call panics.
    struct Restore(Caller);

    impl Drop for Restore {
        fn drop(&mut self) {
            CALLER.set(self.0);
        }
    }

    pub struct Outside {
        _restore: Restore,
    }

    impl Outside {
        pub fn enter() -> Self {
            Outside { _restore: Restore(CALLER.replace(None)) }
        }
    }

    pub fn catch(caller: &'static Location<'static>, call: &mut dyn FnMut()) -> Result<(), KernelError> {
        let restore = Restore(CALLER.get());
        CALLER.set(Some(restore.0.unwrap_or(caller)));
        // The call owns its operands; what it leaves half done is dropped by the unwinding.
        let outcome = catch_unwind(AssertUnwindSafe(call));
        drop(restore);
        outcome.or_else(|panic| match panic.downcast::<KernelError>() {
            Ok(error) => Err(*error),
            Err(panic) => resume_unwind(panic),
        })
    }

    #[cold]
    #[track_caller]
    pub fn raise(error: KernelError) -> ! {
        match CALLER.get() {
            Some(_) => resume_unwind(Box::new(error)),
            None => panic!("{error}"),
        }
    }
}

#[cfg(not(all(feature = "std", panic = "unwind")))]
mod unwinding {
    use super::KernelError;
    use core::panic::Location;

    pub fn caller() -> Option<&'static Location<'static>> {
        None
    }

    pub struct Outside;

    impl Outside {
        pub fn enter() -> Self {
            Outside
        }
    }

    pub fn catch(_caller: &'static Location<'static>, call: &mut dyn FnMut()) -> Result<(), KernelError> {
        call();
        Ok(())
    }

    #[cold]
    #[track_caller]
    pub fn raise(error: KernelError) -> ! {
        panic!("{error}")
    }
}

#[cfg(all(test, feature = "std", panic = "unwind"))]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    #[test]
    fn what_is_raised_in_a_call_is_its_error_and_the_next_call_works() {
        let error = catch(&mut || raise("too much")).expect_err("it was raised");
        assert_eq!(
            (error.to_string().as_str(), error.downcast::<&str>().ok()),
            ("too much", Some("too much"))
        );
        assert_eq!(catch(&mut || ()).ok(), Some(()));
        assert_eq!(caller(), None);
    }

    #[test]
    fn outside_of_a_call_it_is_a_panic_with_the_text() {
        let panics = [
            catch_unwind(|| raise("too much")).map(|_: core::convert::Infallible| ()),
            catch_unwind(|| catch(&mut || without_catch(|| raise("too much"))).expect("it panics")),
        ];
        for panic in panics {
            let panic = panic.expect_err("it panics");
            assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("too much"));
        }
        assert_eq!(caller(), None, "the panic has left the calls");
    }

    #[test]
    fn the_caller_is_that_of_the_outermost_call() {
        let line = line!() + 1;
        let caught = catch(&mut || {
            assert_eq!(caller().map(Location::line), Some(line));
            catch(&mut || assert_eq!(caller().map(Location::line), Some(line))).expect("nothing is raised");
            without_catch(|| assert_eq!(caller(), None));
            assert_eq!(caller().map(Location::line), Some(line));
        });
        caught.expect("nothing is raised");
    }
}
