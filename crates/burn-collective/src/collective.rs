use crate::Reduction;

/// Collective on one tensor, for engines that have [collectives of a device](crate::DeviceCollectives).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Collective {
    /// Reduction over all ranks, on each.
    AllReduce(Reduction),
    /// Concatenation along `dim`.
    /// With `mean`, the result is divided by the number of ranks.
    AllGather {
        /// Dimension of the concatenation.
        dim: usize,
        /// Whether it is a mean whose gradient this is.
        mean: bool,
    },
    /// Sum over all ranks, of which each has its part along `dim`. With `mean`, the mean in place of the sum.
    ReduceScatter {
        /// Dimension of the parts.
        dim: usize,
        /// Whether it is a mean.
        mean: bool,
    },
    /// The tensor of one rank.
    Broadcast {
        /// Rank whose tensor it is.
        root: usize,
    },
    /// Sum on rank `root`, zeros elsewhere.
    Reduce {
        /// Rank that has the sum.
        root: usize,
    },
    /// The tensor itself, whose gradients are summed: where an input that all ranks have enters a layer that
    /// is split over ranks.
    EnterSplit,
    /// The sum, whose gradient is the same on all ranks: where partial results leave a layer that is split
    /// over ranks.
    LeaveSplit,
    /// The parts of all ranks along a dimension, whose gradient is the part of this rank.
    GatherParts { dim: usize },
    /// The part of this rank of a tensor that all ranks have.
    TakePart { dim: usize },
}

impl Collective {
    /// Returns the name of the collective.
    pub fn name(self) -> &'static str {
        match self {
            Collective::AllReduce(_) | Collective::LeaveSplit => "all_reduce",
            Collective::AllGather { .. } | Collective::GatherParts { .. } => "all_gather",
            Collective::ReduceScatter { .. } => "reduce_scatter",
            Collective::Broadcast { .. } => "broadcast",
            Collective::Reduce { .. } => "reduce",
            Collective::EnterSplit => "enter_split",
            Collective::TakePart { .. } => "take_part",
        }
    }

    /// Minima, maxima and products are not linear; they are not asked for a transpose.
    pub(crate) fn transpose(self) -> Self {
        match self {
            Collective::AllReduce(reduction) => Collective::AllReduce(reduction),
            Collective::AllGather { dim, mean } => Collective::ReduceScatter { dim, mean },
            Collective::ReduceScatter { dim, mean } => Collective::AllGather { dim, mean },
            Collective::Broadcast { root } => Collective::Reduce { root },
            Collective::Reduce { root } => Collective::Broadcast { root },
            Collective::EnterSplit => Collective::LeaveSplit,
            Collective::LeaveSplit => Collective::EnterSplit,
            Collective::GatherParts { dim } => Collective::TakePart { dim },
            Collective::TakePart { dim } => Collective::GatherParts { dim },
        }
    }
}
