use burn::backend::NdArray;
use burn::backend::profile::{Profile, Span, Synced};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::Tensor;

#[test]
fn spans_sum_operations_by_module() {
    // ANCHOR: span
    type B = Profile<NdArray, Synced>;
    let device = Default::default();
    let encoder: Linear<B> = LinearConfig::new(4, 8).init(&device);
    let head: Linear<B> = LinearConfig::new(8, 2).init(&device);

    B::start_trace(10_000);
    let x = Tensor::<B, 2>::ones([16, 4], &device);
    let x = {
        let _span = Span::enter("encoder");
        encoder.forward(x).tanh()
    };
    let _scores = {
        let _span = Span::enter("head");
        head.forward(x)
    };
    let table: String = B::report().module_table();
    let timeline: String = B::finish_trace().to_chrome_json();
    // ANCHOR_END: span
    assert!(table.contains("encoder") && table.contains("head"), "{table}");
    assert!(timeline.contains("\"cat\":\"module\""));
}
