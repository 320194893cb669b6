/// How the scores of several classes become one number.
///
/// With true positives `tp`, false positives `fp` and false negatives `fn` of each class:
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Average {
    /// The counts of all classes are summed, and the score is that of the sums.
    Micro,
    /// The unweighted mean of the scores of the classes. Of exclusive classes, those that are neither among
    /// the targets nor among the predictions do not count.
    #[default]
    Macro,
    /// The mean of the scores of the classes, weighted by their number of targets (`tp + fn`).
    Weighted,
}
