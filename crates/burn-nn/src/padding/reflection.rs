use super::layer::pad_layer;
use burn_core::tensor::PadMode;

pad_layer! {
    /// Reflection padding over one dimension of `[.., length]`: mirrors the input at its edge, which is
    /// not repeated; a dimension needs one element more than it is padded by.
    /// PyTorch: `torch.nn.ReflectionPad1d`, which takes the last dimension first.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::padding::ReflectionPad1dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pad = ReflectionPad1dConfig::new([(2, 1)]).init();
    /// let x = Tensor::<NdArray, 1>::from_data([1.0, 2.0, 3.0], &Default::default());
    /// assert_eq!(pad.forward(x).into_data().to_f64(), [3.0, 2.0, 1.0, 2.0, 3.0, 2.0]);
    /// assert_eq!(pad.to_string(), "ReflectionPad1d {padding: [(2, 1)]}");
    /// ```
    ReflectionPad1d, ReflectionPad1dConfig, "reflection_pad1d", 1, "the length", {}, |_| PadMode::Reflect
}

pad_layer! {
    /// Reflection padding over two dimensions of `[.., height, width]`: mirrors the input at its edge, which
    /// is not repeated; a dimension needs one element more than it is padded by. PyTorch:
    /// `torch.nn.ReflectionPad2d`, which takes the last dimension first.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::padding::ReflectionPad2dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pad = ReflectionPad2dConfig::new([(1, 0), (0, 1)]).init();
    /// let x = Tensor::<NdArray, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &Default::default());
    /// assert_eq!(pad.forward(x).into_data().to_f64(), [3.0, 4.0, 3.0, 1.0, 2.0, 1.0, 3.0, 4.0, 3.0]);
    /// ```
    ReflectionPad2d, ReflectionPad2dConfig, "reflection_pad2d", 2, "height and width", {}, |_| PadMode::Reflect
}

pad_layer! {
    /// Reflection padding over three dimensions of `[.., depth, height, width]`: mirrors the input at its
    /// edge, which is not repeated; a dimension needs one element more than it is padded by. PyTorch:
    /// `torch.nn.ReflectionPad3d`, which takes the last dimension first.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::padding::ReflectionPad3dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pad = ReflectionPad3dConfig::new([(1, 1), (0, 1), (0, 0)]).init();
    /// let x = Tensor::<NdArray, 5>::ones([1, 2, 3, 4, 5], &Default::default());
    /// assert_eq!(pad.forward(x).dims(), [1, 2, 5, 5, 5]);
    /// ```
    ReflectionPad3d, ReflectionPad3dConfig, "reflection_pad3d", 3, "depth, height and width", {}, |_| PadMode::Reflect
}
