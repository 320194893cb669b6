use super::{Case, Outcome};
use burn::nn::loss::*;
use burn::tensor::AutodiffBackend;

/// Compares a loss with the reduction of the fixture, or without one.
macro_rules! reduced {
    ($case:ident, $loss:expr, $($argument:expr),*) => {
        match reduction($case) {
            Some(reduction) => $case.check($loss, |loss| loss.forward($($argument,)* reduction)),
            None => $case.check($loss, |loss| loss.forward_no_reduction($($argument),*)),
        }
    };
}

fn reduction<B: AutodiffBackend>(case: &Case<'_, B>) -> Option<Reduction> {
    match case.option("reduction").as_str() {
        Some("Mean") => Some(Reduction::Mean),
        Some("Sum") => Some(Reduction::Sum),
        Some("BatchMean") => Some(Reduction::BatchMean),
        Some("None") => None,
        other => panic!("no reduction {other:?}"),
    }
}

pub fn run<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    match case.layer() {
        "BinaryCrossEntropy" | "BinaryCrossEntropyOfClasses" => binary_cross_entropy(case),
        "CrossEntropy" | "CrossEntropyOfProbabilities" | "MultiMargin" | "Nll" | "NllOfImages" => {
            classes(case)
        }
        "CosineEmbedding" | "HingeEmbedding" | "MarginRanking" | "TripletMargin" => pairs(case),
        "Ctc" => reduced!(
            case,
            case.config::<CtcLossConfig>().init(),
            burn::tensor::activation::log_softmax(case.float::<3>("x"), 2),
            case.int::<2>("targets"),
            case.int::<1>("input_lengths"),
            case.int::<1>("target_lengths")
        ),
        "Focal" => {
            reduced!(
                case,
                case.config::<FocalLossConfig>().init(),
                case.float::<2>("x"),
                case.int::<2>("targets")
            )
        }
        _ => regressions(case),
    }
}

fn binary_cross_entropy<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    let loss = case.config::<BinaryCrossEntropyLossConfig>().init(&case.device());
    if case.layer() == "BinaryCrossEntropyOfClasses" {
        return case.check(loss, |loss| loss.forward(case.float::<2>("x"), case.int::<2>("targets")));
    }
    match (case.rank("x"), reduction(case)) {
        (1, _) => case.check(loss, |loss| {
            loss.forward_probabilities(case.float::<1>("x"), case.float("targets"), Reduction::Mean)
        }),
        (_, Some(reduction)) => case.check(loss, |loss| {
            loss.forward_probabilities(case.float::<2>("x"), case.float("targets"), reduction)
        }),
        (_, None) => {
            case.check(loss, |loss| loss.forward_no_reduction(case.float::<2>("x"), case.float("targets")))
        }
    }
}

fn classes<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    let device = case.device();
    match case.layer() {
        "CrossEntropy" => {
            let loss = case.config::<CrossEntropyLossConfig>().init(&device);
            let (x, targets) = (|| case.float::<2>("x"), || case.int::<1>("targets"));
            match reduction(case) {
                Some(Reduction::Mean) => case.check(loss, |loss| loss.forward(x(), targets())),
                Some(other) => case.check(loss, |loss| loss.forward_reduced(x(), targets(), other)),
                None => case.check(loss, |loss| loss.forward_no_reduction(x(), targets())),
            }
        }
        "CrossEntropyOfProbabilities" => {
            let reduction = reduction(case).expect("a reduction");
            case.check(case.config::<CrossEntropyLossConfig>().init(&device), |loss| {
                loss.forward_probabilities(case.float("x"), case.float("targets"), reduction)
            })
        }
        "MultiMargin" => reduced!(
            case,
            case.config::<MultiMarginLossConfig>().init(&device),
            case.float("x"),
            case.int("targets")
        ),
        "Nll" => reduced!(
            case,
            case.config::<NllLossConfig>().init(&device),
            case.float::<2>("x"),
            case.int::<1>("targets")
        ),
        "NllOfImages" => reduced!(
            case,
            case.config::<NllLossConfig>().init(&device),
            case.float::<4>("x"),
            case.int::<3>("targets")
        ),
        other => panic!("no loss {other}"),
    }
}

fn pairs<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    match case.layer() {
        "CosineEmbedding" => reduced!(
            case,
            case.config::<CosineEmbeddingLossConfig>().init(),
            case.float("x1"),
            case.float("x2"),
            case.int("targets")
        ),
        "HingeEmbedding" => reduced!(
            case,
            case.config::<HingeEmbeddingLossConfig>().init(),
            case.float::<1>("x"),
            case.int("targets")
        ),
        "MarginRanking" => reduced!(
            case,
            case.config::<MarginRankingLossConfig>().init(),
            case.float::<1>("x1"),
            case.float("x2"),
            case.int("targets")
        ),
        "TripletMargin" => reduced!(
            case,
            case.config::<TripletMarginLossConfig>().init(),
            case.float("anchor"),
            case.float("positive"),
            case.float("negative")
        ),
        other => panic!("no loss {other}"),
    }
}

fn regressions<B: AutodiffBackend>(case: &Case<'_, B>) -> Outcome {
    let (x, targets) = (|| case.float::<2>("x"), || case.float::<2>("targets"));
    match case.layer() {
        "Mse" => reduced!(case, MseLoss::new(), x(), targets()),
        "L1" => reduced!(case, L1Loss::new(), x(), targets()),
        "Huber" => reduced!(case, case.config::<HuberLossConfig>().init(), x(), targets()),
        "SmoothL1" => reduced!(case, case.config::<SmoothL1LossConfig>().init(), x(), targets()),
        "KlDiv" => reduced!(case, case.config::<KlDivLossConfig>().init(), x(), targets()),
        "PoissonNll" => reduced!(case, case.config::<PoissonNllLossConfig>().init(), x(), targets()),
        "GaussianNll" => {
            let loss = case.config::<GaussianNllLossConfig>().init();
            reduced!(case, loss, x(), targets(), case.float::<2>("variance"))
        }
        other => panic!("no loss {other}"),
    }
}
