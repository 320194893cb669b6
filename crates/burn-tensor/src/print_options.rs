use spin::RwLock;

/// Options for printing tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintOptions {
    /// Decimals of floats; `None` prints as many as make the number.
    pub precision: Option<usize>,
    /// Larger tensors are summarised.
    pub threshold: usize,
    /// Elements shown at each end of a summarised dimension.
    pub edge_items: usize,
}

impl PrintOptions {
    const DEFAULT: PrintOptions = PrintOptions { precision: None, threshold: 1000, edge_items: 3 };
}

impl Default for PrintOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

static OPTIONS: RwLock<PrintOptions> = RwLock::new(PrintOptions::DEFAULT);

/// Sets how tensors are printed from now on, in every thread. PyTorch: `torch.set_printoptions`.
pub fn set_print_options(options: PrintOptions) {
    *OPTIONS.write() = options;
}

pub(crate) fn print_options() -> PrintOptions {
    *OPTIONS.read()
}
