//! All steps of a recording, one after the other.

use super::lowering::Lowering;
use super::step;
use crate::export::error::{ExportError, UnsupportedOperation};
use crate::export::file::ModelFile;
use crate::export::sample::Sample;
use crate::export::trace::Trace;
use burn_capture::Value;

/// Writes the steps of a trace as a graph.
///
/// # Errors
/// Names all operations that cannot be written.
pub(in crate::export) fn lower(
    trace: Trace,
    samples: &[Sample],
    graph_name: &str,
) -> Result<ModelFile, ExportError> {
    let mut state = Lowering::new(&trace, samples);
    let mut unsupported = Vec::new();
    for (place, step) in trace.program.steps().iter().enumerate() {
        let results: Vec<Value> = trace.program.results(place).collect();
        state.step = place;
        let names = match step::lower(&mut state, step, &results) {
            Ok(names) => names,
            Err(reason) => {
                let (operation, reason) = (step.name().to_string(), reason.0);
                unsupported.push(UnsupportedOperation { operation, step: place, reason });
                vec![String::new(); results.len()]
            }
        };
        state.names.extend(names);
    }
    if unsupported.is_empty() {
        Ok(state.finish(samples, graph_name))
    } else {
        Err(ExportError::Unsupported(unsupported))
    }
}
