burn_conformance::suite!(f32: burn_ndarray::NdArray, gaps = burn_conformance::known_gaps::NDARRAY);
burn_conformance::suite!(f64: burn_ndarray::NdArray<f64>, gaps = burn_conformance::known_gaps::NDARRAY);
