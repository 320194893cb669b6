use burn_autodiff::Autodiff;
use burn_fusion::Fusion;
use burn_tch::LibTorch;

burn_conformance_methods::random_suite!(
    LibTorch,
    fusion = Fusion<LibTorch>,
    twice = Autodiff<Autodiff<LibTorch>>
);
