use crate::{Input, Output, Step, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A program as it is written down.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Document {
    pub inputs: Vec<Input>,
    pub steps: Vec<Step>,
    pub outputs: Vec<Output>,
    /// Values that the program named.
    pub names: BTreeMap<Value, String>,
}
