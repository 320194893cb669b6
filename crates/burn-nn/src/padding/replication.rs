use super::layer::pad_layer;
use burn_core::tensor::PadMode;

pad_layer! {
    /// Replication padding over one dimension of `[.., length]`: repeats the edge.
    /// PyTorch: `torch.nn.ReplicationPad1d`, which takes the last dimension first.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::padding::ReplicationPad1dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pad = ReplicationPad1dConfig::new([(2, 1)]).init();
    /// let x = Tensor::<NdArray, 1>::from_data([1.0, 2.0, 3.0], &Default::default());
    /// assert_eq!(pad.forward(x).into_data().to_f64(), [1.0, 1.0, 1.0, 2.0, 3.0, 3.0]);
    /// assert_eq!(pad.to_string(), "ReplicationPad1d {padding: [(2, 1)]}");
    /// ```
    ReplicationPad1d, ReplicationPad1dConfig, "replication_pad1d", 1, "the length", {}, |_| PadMode::Edge
}

pad_layer! {
    /// Replication padding over two dimensions of `[.., height, width]`: repeats the edge.
    /// PyTorch: `torch.nn.ReplicationPad2d`, which takes the last dimension first.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::padding::ReplicationPad2dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pad = ReplicationPad2dConfig::new([(1, 0), (0, 1)]).init();
    /// let x = Tensor::<NdArray, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &Default::default());
    /// assert_eq!(pad.forward(x).into_data().to_f64(), [1.0, 2.0, 2.0, 1.0, 2.0, 2.0, 3.0, 4.0, 4.0]);
    /// ```
    ReplicationPad2d, ReplicationPad2dConfig, "replication_pad2d", 2, "height and width", {}, |_| PadMode::Edge
}

pad_layer! {
    /// Replication padding over three dimensions of `[.., depth, height, width]`: repeats the edge.
    /// PyTorch: `torch.nn.ReplicationPad3d`, which takes the last dimension first.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::nn::padding::ReplicationPad3dConfig;
    /// use burn::tensor::Tensor;
    ///
    /// let pad = ReplicationPad3dConfig::new([(1, 1), (0, 1), (0, 0)]).init();
    /// let x = Tensor::<NdArray, 5>::ones([1, 2, 3, 4, 5], &Default::default());
    /// assert_eq!(pad.forward(x).dims(), [1, 2, 5, 5, 5]);
    /// ```
    ReplicationPad3d, ReplicationPad3dConfig, "replication_pad3d", 3, "depth, height and width", {}, |_| PadMode::Edge
}
