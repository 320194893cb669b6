use super::layer::pad_layer;
use burn_core::tensor::PadMode;

pad_layer! {
    /// Constant padding over one dimension of `[.., length]`: adds elements of one value.
    /// PyTorch: `torch.nn.ConstantPad1d`, which takes the last dimension first.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::padding::ConstantPad1dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pad = ConstantPad1dConfig::new([(2, 1)], 7.0).init();
    /// let x = Tensor::<NdArray, 1>::from_data([1.0, 2.0, 3.0], &Default::default());
    /// assert_eq!(pad.forward(x).into_data().to_f64(), [7.0, 7.0, 1.0, 2.0, 3.0, 7.0]);
    /// assert_eq!(pad.to_string(), "ConstantPad1d {padding: [(2, 1)], value: 7}");
    /// ```
    ConstantPad1d, ConstantPad1dConfig, "constant_pad1d", 1, "the length", {
        /// Value of the added elements.
        value: f64,
    }, |layer| PadMode::from(layer.value)
}

pad_layer! {
    /// Constant padding over two dimensions of `[.., height, width]`: adds elements of one value.
    /// PyTorch: `torch.nn.ConstantPad2d`, which takes the last dimension first.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::padding::ConstantPad2dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pad = ConstantPad2dConfig::new([(1, 0), (0, 1)], 7.0).init();
    /// let x = Tensor::<NdArray, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &Default::default());
    /// assert_eq!(pad.forward(x).into_data().to_f64(), [7.0, 7.0, 7.0, 1.0, 2.0, 7.0, 3.0, 4.0, 7.0]);
    /// ```
    ConstantPad2d, ConstantPad2dConfig, "constant_pad2d", 2, "height and width", {
        /// Value of the added elements.
        value: f64,
    }, |layer| PadMode::from(layer.value)
}

pad_layer! {
    /// Constant padding over three dimensions of `[.., depth, height, width]`: adds elements of one value.
    /// PyTorch: `torch.nn.ConstantPad3d`, which takes the last dimension first.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::padding::ConstantPad3dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pad = ConstantPad3dConfig::new([(1, 1), (0, 1), (0, 0)], 7.0).init();
    /// let x = Tensor::<NdArray, 5>::ones([1, 2, 3, 4, 5], &Default::default());
    /// assert_eq!(pad.forward(x).dims(), [1, 2, 5, 5, 5]);
    /// ```
    ConstantPad3d, ConstantPad3dConfig, "constant_pad3d", 3, "depth, height and width", {
        /// Value of the added elements.
        value: f64,
    }, |layer| PadMode::from(layer.value)
}

pad_layer! {
    /// Zero padding over one dimension of `[.., length]`: adds zeros.
    /// PyTorch: `torch.nn.ZeroPad1d`, which takes the last dimension first.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::padding::ZeroPad1dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pad = ZeroPad1dConfig::new([(2, 1)]).init();
    /// let x = Tensor::<NdArray, 1>::from_data([1.0, 2.0, 3.0], &Default::default());
    /// assert_eq!(pad.forward(x).into_data().to_f64(), [0.0, 0.0, 1.0, 2.0, 3.0, 0.0]);
    /// assert_eq!(pad.to_string(), "ZeroPad1d {padding: [(2, 1)]}");
    /// ```
    ZeroPad1d, ZeroPad1dConfig, "zero_pad1d", 1, "the length", {}, |_| PadMode::from(0.0)
}

pad_layer! {
    /// Zero padding over two dimensions of `[.., height, width]`: adds zeros.
    /// PyTorch: `torch.nn.ZeroPad2d`, which takes the last dimension first.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::padding::ZeroPad2dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pad = ZeroPad2dConfig::new([(1, 0), (0, 1)]).init();
    /// let x = Tensor::<NdArray, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &Default::default());
    /// assert_eq!(pad.forward(x).into_data().to_f64(), [0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 3.0, 4.0, 0.0]);
    /// ```
    ZeroPad2d, ZeroPad2dConfig, "zero_pad2d", 2, "height and width", {}, |_| PadMode::from(0.0)
}

pad_layer! {
    /// Zero padding over three dimensions of `[.., depth, height, width]`: adds zeros.
    /// PyTorch: `torch.nn.ZeroPad3d`, which takes the last dimension first.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::padding::ZeroPad3dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pad = ZeroPad3dConfig::new([(1, 1), (0, 1), (0, 0)]).init();
    /// let x = Tensor::<NdArray, 5>::ones([1, 2, 3, 4, 5], &Default::default());
    /// assert_eq!(pad.forward(x).dims(), [1, 2, 5, 5, 5]);
    /// ```
    ZeroPad3d, ZeroPad3dConfig, "zero_pad3d", 3, "depth, height and width", {}, |_| PadMode::from(0.0)
}
