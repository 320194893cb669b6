//! The workloads, one family a file.

mod add;
mod chain;
mod guide;
mod matmul;
mod tape;

use crate::options::Options;
use crate::torch::Torch;
use crate::workload::Workload;

/// Those whose name contains the filter.
pub(crate) fn all<'a>(options: &Options, torch: Option<&'a Torch>) -> Vec<Workload<'a>> {
    let candle = options.candle;
    let all = [
        add::small(candle, torch),
        matmul::square::<256>("matmul 256", candle, torch),
        matmul::square::<1024>("matmul 1024", candle, torch),
        chain::in_place(candle, torch),
        guide::step(torch),
        guide::inference(torch),
        tape::chain(torch),
        tape::wide(torch),
    ];
    all.into_iter().filter(|workload| workload.name.contains(&options.filter)).collect()
}
