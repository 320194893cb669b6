use super::layer::pad_layer;
use burn_core::tensor::PadMode;

pad_layer! {
    /// Circular padding over one dimension of `[.., length]`: continues the input periodically; a
    /// dimension is padded by at most its size.
    /// PyTorch: `torch.nn.CircularPad1d`, which takes the last dimension first.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::padding::CircularPad1dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pad = CircularPad1dConfig::new([(2, 1)]).init();
    /// let x = Tensor::<NdArray, 1>::from_data([1.0, 2.0, 3.0], &Default::default());
    /// assert_eq!(pad.forward(x).into_data().to_f64(), [2.0, 3.0, 1.0, 2.0, 3.0, 1.0]);
    /// assert_eq!(pad.to_string(), "CircularPad1d {padding: [(2, 1)]}");
    /// ```
    CircularPad1d, CircularPad1dConfig, "circular_pad1d", 1, "the length", {}, |_| PadMode::Circular
}

pad_layer! {
    /// Circular padding over two dimensions of `[.., height, width]`: continues the input periodically; a
    /// dimension is padded by at most its size.
    /// PyTorch: `torch.nn.CircularPad2d`, which takes the last dimension first.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::padding::CircularPad2dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pad = CircularPad2dConfig::new([(1, 0), (0, 1)]).init();
    /// let x = Tensor::<NdArray, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &Default::default());
    /// assert_eq!(pad.forward(x).into_data().to_f64(), [3.0, 4.0, 3.0, 1.0, 2.0, 1.0, 3.0, 4.0, 3.0]);
    /// ```
    CircularPad2d, CircularPad2dConfig, "circular_pad2d", 2, "height and width", {}, |_| PadMode::Circular
}

pad_layer! {
    /// Circular padding over three dimensions of `[.., depth, height, width]`: continues the input
    /// periodically; a dimension is padded by at most its size. PyTorch: `torch.nn.CircularPad3d`, which
    /// takes the last dimension first.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::padding::CircularPad3dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pad = CircularPad3dConfig::new([(1, 1), (0, 1), (0, 0)]).init();
    /// let x = Tensor::<NdArray, 5>::ones([1, 2, 3, 4, 5], &Default::default());
    /// assert_eq!(pad.forward(x).dims(), [1, 2, 5, 5, 5]);
    /// ```
    CircularPad3d, CircularPad3dConfig, "circular_pad3d", 3, "depth, height and width", {}, |_| PadMode::Circular
}
