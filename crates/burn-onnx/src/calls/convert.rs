//! Element types.

use super::declare::calls;
use super::{Erased, Same, Type, rules};

calls! {
    /// Another element type of the same kind.
    num erased fn cast(x: Erased, dtype: Type) -> one rules::converted => x.try_cast(dtype)?;
    /// The integer parts of floats.
    float ranked fn float_to_int(x: Same, dtype: Type) -> one rules::converted => x.int().try_cast(dtype)?;
    /// 1 where true, 0 elsewhere.
    bool ranked fn bool_to_int(x: Same, dtype: Type) -> one rules::converted => x.int().try_cast(dtype)?;
    /// The nearest floats.
    int ranked fn int_to_float(x: Same, dtype: Type) -> one rules::converted => x.float().try_cast(dtype)?;
    /// 1 where true, 0 elsewhere.
    bool ranked fn bool_to_float(x: Same, dtype: Type) -> one rules::converted => x.float().try_cast(dtype)?;
    /// Whether each element is not zero.
    num ranked fn to_bool(x: Same) -> one rules::truth => x.bool();
}
