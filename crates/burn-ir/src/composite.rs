use serde::{Deserialize, Serialize};

/// Composite operation, defined by others. A backend may have a kernel for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Composite {
    Softmax,
    LogSoftmax,
    LayerNorm,
    LayerNormGrad,
    Attention,
    AttentionGrad,
    QuantizedMatmul,
    IntegerMatmul,
    BlockMatmul,
    Recurrent,
    RecurrentGrad,
    QuantizedAttention,
    CachedAttention,
}
