//! All of them, in the order of the table.

use super::*;
use crate::workload::Workload;

/// Every workload.
pub(crate) fn all() -> Vec<Workload> {
    let families = [
        matmul::all(),
        elementwise::all(),
        norm::all(),
        reduce::all(),
        layout::all(),
        index::all(),
        cumulative::all(),
        order::all(),
        conv::all(),
        pool::all(),
        interpolate::all(),
        attention::all(),
        mlp::all(),
        guide::all(),
        transformer::all(),
        recurrent::all(),
        resnet::all(),
        resnet_50::all(),
        vision_transformer::all(),
        unet::all(),
        tape::all(),
        onnx::all(),
    ];
    families.into_iter().flatten().collect()
}

/// The call of a workload whose memory is measured.
pub(crate) fn alone(name: &str) -> Option<Box<dyn FnMut()>> {
    match name {
        "guide step" => Some(guide::alone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::all;
    use std::collections::BTreeSet;

    #[test]
    fn pytorch_knows_every_workload() {
        let scripts =
            [include_str!("../../torch/kernels.py"), include_str!("../../torch/models.py")].concat();
        for workload in all().iter().filter(|workload| workload.is_timed() && !workload.is_model()) {
            assert!(scripts.contains(&format!("    \"{}\": ", workload.name)), "{}", workload.name);
        }
    }

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<_> = all().iter().map(|workload| workload.name).collect();
        assert_eq!(names.len(), all().len());
    }
}
