use burn_autodiff::Autodiff;
use burn_candle::Candle;
use burn_fusion::Fusion;

burn_conformance_methods::random_suite!(
    Candle,
    fusion = Fusion<Candle>,
    twice = Autodiff<Autodiff<Candle>>
);
