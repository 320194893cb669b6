//! Writes the timeline of a training step of a transformer, for Perfetto, speedscope or `chrome://tracing`.
//!
//! ```text
//! cargo run --release --package burn-profile --example timeline -- timeline.json
//! ```

use burn::backend::profile::{Profile, Span};
use burn::backend::{Autodiff, NdArray};
use burn::nn::transformer::{TransformerEncoder, TransformerEncoderConfig, TransformerEncoderInput};
use burn::tensor::{Distribution, Tensor};

type Measured = Profile<NdArray>;
type B = Autodiff<Measured>;

fn main() -> std::io::Result<()> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "timeline.json".to_string());
    let device = Default::default();
    let model: TransformerEncoder<B> = TransformerEncoderConfig::new(256, 1024, 8, 2).init(&device);
    let step = || {
        let x = {
            let _batch = Span::enter("batch");
            Tensor::<B, 3>::random([8, 64, 256], Distribution::Default, &device)
        };
        let loss = {
            let _forward = Span::enter("forward");
            model.forward(TransformerEncoderInput::new(x)).square().mean()
        };
        let _gradients = loss.backward();
    };
    // Threads start and buffers are allocated in the first step.
    step();
    Measured::start_trace(10_000);
    step();
    let trace = Measured::finish_trace();
    println!("{file}: {} operations", trace.events.len());
    std::fs::write(file, trace.to_chrome_json())
}
