burn_conformance::suite!(toy: minimal_backend::Toy, gaps = burn_conformance::known_gaps::MINIMAL);
