/// Result of a command; the error is printed as the reason of the failure.
pub(crate) type Outcome<T = ()> = Result<T, String>;
