//! Options of recurrent layers: those that all share, and those of one cell.

macro_rules! recurrent_config {
    (
        $layer:ident, $config:ident, $directions:literal, [$($weights:ident),+], $cell:expr,
        { $($(#[$docs:meta])* $field:ident: $ty:ty, $stored:path)? }
    ) => {
        #[doc = concat!("Options of [`", stringify!($layer), "`].")]
        #[derive(Config, Debug)]
        pub struct $config {
            /// Number of features of the input.
            pub d_input: usize,
            /// Number of features of the hidden state.
            pub d_hidden: usize,
            /// Whether the projections have a learnable bias.
            pub bias: bool,
            $($(#[$docs])* pub $field: $ty,)?
            /// Number of layers; each one goes through the hidden states of the one before.
            #[config(default = 1)]
            pub num_layers: usize,
            /// Dropout probability of the hidden states that a layer hands to the next one.
            #[config(default = 0.0)]
            pub dropout: f64,
            /// Whether input and output are `[batch, time, ..]`, rather than `[time, batch, ..]` as by
            /// default in PyTorch.
            #[config(default = true)]
            pub batch_first: bool,
            /// Initializer of every weight and bias, whose fans are `d_hidden`.
            #[config(default = "Initializer::TORCH")]
            pub initializer: Initializer,
        }

        #[fallible(config)]
        impl $config {
            /// Returns the layer, on `device`.
            ///
            /// # Errors
            /// A field is out of its range; the error names the field and its value.
            pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<$layer<B>, ConfigError> {
                let $config { d_input, d_hidden, num_layers, dropout, bias, .. } = *self;
                let sizes = Sizes {
                    config: stringify!($config),
                    d_input,
                    d_hidden,
                    num_layers,
                    dropout,
                    bias,
                    initializer: &self.initializer,
                    directions: $directions,
                };
                sizes.validate()?;
                let layers = || sizes.inputs().map(|d_input| $cell(&sizes, d_input, device)).collect();
                Ok($layer {
                    $($weights: layers(),)+
                    dropout: crate::DropoutConfig::new(dropout).try_init()?,
                    batch_first: self.batch_first,
                    $($field: $stored(self.$field),)?
                })
            }
        }
    };
}
pub(super) use recurrent_config;
