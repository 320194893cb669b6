//! Gives crates the features that the default members, backends, pages and firmware ask for together, so that
//! a build of one reuses what a build of another compiled. It has no code of its own; commands of CI name it
//! beside what they test.
