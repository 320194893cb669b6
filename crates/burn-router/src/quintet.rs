//! Five backends as one.

use crate::slots::slots;

slots!(B1 D1 T1, B2 D2 T2, B3 D3 T3, B4 D4 T4, B5 D5 T5);
