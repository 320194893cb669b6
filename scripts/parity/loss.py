"""Losses. The focal loss, which PyTorch lacks, is written as in its paper."""

import torch
import torch.nn.functional as F

REDUCTIONS = {"Mean": "mean", "Sum": "sum"}


def cases(case):
    def loss(name, layer, function, inputs, config=None, reduction="Mean", constants=()):
        """One value, of shape [1] as in Burn; without a reduction a value per element."""
        config = (config or {}) | {"reduction": reduction}

        def forward(x, p):
            y = function(**x, reduction=REDUCTIONS.get(reduction, "none"))
            if reduction == "BatchMean":
                y = y.sum() / y.shape[0]
            return y.reshape(1) if y.dim() == 0 else y

        case(name, layer, forward, inputs, config=config, constants=constants)

    def every_reduction(name, layer, function, inputs, config=None, constants=()):
        for reduction in ("Mean", "Sum", "None"):
            loss(f"{name}_{reduction.lower()}", layer, function, inputs, config, reduction, constants)

    classes(case, loss, every_reduction)
    regressions(loss, every_reduction)
    pairs(loss, every_reduction)
    binary(loss, every_reduction)
    ctc(case)


def classes(case, loss, every_reduction):
    targets = torch.tensor([2, 0, 3, 1, 1, 0])
    weights = [1.0, 0.5, 2.0, 1.5]
    logits = {"x": torch.randn(6, 4)}

    def cross_entropy(name, config, function=lambda x, **options: F.cross_entropy(x, targets, **options), **options):
        reduction = config.get("reduction", "Mean")
        options |= {"reduction": REDUCTIONS.get(reduction, "none")}
        inputs = logits if config.get("logits", True) else {"x": torch.rand(6, 4) * 0.8 + 0.1}
        forward = lambda x, p: function(x["x"], **options).reshape(-1)
        case(name, "CrossEntropy", forward, inputs | {"targets": targets}, config=config | {"reduction": reduction})

    weight = torch.tensor(weights)
    cross_entropy("cross_entropy", {})
    cross_entropy("cross_entropy_with_weights", {"weights": weights}, weight=weight)
    cross_entropy("cross_entropy_with_smoothing", {"smoothing": 0.1}, label_smoothing=0.1)
    cross_entropy("cross_entropy_with_padding", {"pad_tokens": [1]}, ignore_index=1)
    cross_entropy("cross_entropy_with_all", {"weights": weights, "smoothing": 0.2, "pad_tokens": [0]}, weight=weight,
                  label_smoothing=0.2, ignore_index=0)
    for reduction in ("Sum", "None"):
        cross_entropy(f"cross_entropy_with_all_{reduction.lower()}", {"weights": weights, "smoothing": 0.2, "pad_tokens": [0],
                      "reduction": reduction}, weight=weight, label_smoothing=0.2, ignore_index=0)
    cross_entropy("cross_entropy_of_probabilities", {"logits": False},
                  lambda x, reduction: F.nll_loss(x.log(), targets, reduction=reduction))

    def soft_targets(x, targets, reduction):
        return F.cross_entropy(x, targets, weight=weight, label_smoothing=0.2, reduction=reduction)

    soft = logits | {"targets": torch.randn(6, 4).softmax(1)}
    for reduction in ("Mean", "Sum"):
        loss(f"cross_entropy_of_soft_targets_{reduction.lower()}", "CrossEntropyOfProbabilities", soft_targets, soft,
             {"weights": weights, "smoothing": 0.2}, reduction)

    log_p = {"x": torch.randn(6, 4).log_softmax(1), "targets": targets}
    nll = lambda **options: lambda x, targets, reduction: F.nll_loss(x, targets, reduction=reduction, **options)
    every_reduction("nll", "Nll", nll(), log_p)
    every_reduction("nll_with_all", "Nll", nll(weight=weight, ignore_index=1), log_p, {"weights": weights, "ignore_index": 1})
    outside = {"x": log_p["x"], "targets": torch.tensor([2, -100, 3, 1, -100, 0])}
    loss("nll_with_an_index_that_is_no_class", "Nll", nll(ignore_index=-100), outside, {"ignore_index": -100})
    images = {"x": torch.randn(2, 4, 2, 3).log_softmax(1), "targets": torch.randint(0, 4, (2, 2, 3))}
    every_reduction("nll_of_images", "NllOfImages", nll(weight=weight), images, {"weights": weights})

    def multi_margin(**options):
        return lambda x, targets, reduction: F.multi_margin_loss(x, targets, reduction=reduction, **options)

    scores = logits | {"targets": targets}
    every_reduction("multi_margin", "MultiMargin", multi_margin(), scores)
    loss("multi_margin_with_all", "MultiMargin", multi_margin(p=2, margin=0.7, weight=weight), scores,
         {"p": 2, "margin": 0.7, "weights": weights})


def regressions(loss, every_reduction):
    pair = lambda: {"x": torch.randn(3, 4), "targets": torch.randn(3, 4)}
    given = lambda function, **options: lambda x, targets, reduction: function(x, targets, reduction=reduction, **options)

    every_reduction("mse", "Mse", given(F.mse_loss), pair())
    every_reduction("l1", "L1", given(F.l1_loss), pair())
    every_reduction("huber", "Huber", given(F.huber_loss, delta=0.7), pair(), {"delta": 0.7})
    every_reduction("smooth_l1", "SmoothL1", given(F.smooth_l1_loss), pair())
    loss("smooth_l1_of_another_beta", "SmoothL1", given(F.smooth_l1_loss, beta=0.3), pair(), {"beta": 0.3})
    loss("smooth_l1_without_beta", "SmoothL1", given(F.smooth_l1_loss, beta=0.0), pair(), {"beta": 0.0})

    log_p = {"x": torch.randn(3, 4).log_softmax(1), "targets": torch.randn(3, 4).softmax(1)}
    every_reduction("kl_div", "KlDiv", given(F.kl_div), log_p)
    loss("kl_div_of_a_batch", "KlDiv", given(F.kl_div), log_p, reduction="BatchMean")
    logs = log_p | {"targets": torch.randn(3, 4).log_softmax(1)}
    loss("kl_div_of_log_targets", "KlDiv", given(F.kl_div, log_target=True), logs, {"log_target": True}, "BatchMean")
    certain = log_p | {"targets": torch.eye(3, 4)}
    loss("kl_div_of_certain_targets", "KlDiv", given(F.kl_div), certain, reduction="Sum", constants=("targets",))

    counts = torch.tensor([[0.0, 1.0, 2.0, 7.0], [3.0, 1.0, 0.0, 12.0]])
    poisson = lambda **options: given(F.poisson_nll_loss, **options)
    rates = {"x": torch.randn(2, 4), "targets": counts}
    every_reduction("poisson_nll", "PoissonNll", poisson(), rates, constants=("targets",))
    loss("poisson_nll_in_full", "PoissonNll", poisson(full=True), {"x": torch.randn(2, 4), "targets": counts + 0.3},
         {"full": True})
    loss("poisson_nll_of_rates", "PoissonNll", poisson(log_input=False, eps=0.1),
         {"x": torch.rand(2, 4) + 0.2, "targets": counts}, {"log_input": False, "epsilon": 0.1}, constants=("targets",))

    def gaussian(**options):
        return lambda x, targets, variance, reduction: F.gaussian_nll_loss(x, targets, variance, reduction=reduction, **options)

    normal = lambda *shape: pair() | {"variance": torch.rand(*shape) + 0.3}
    every_reduction("gaussian_nll", "GaussianNll", gaussian(), normal(3, 4))
    loss("gaussian_nll_in_full", "GaussianNll", gaussian(full=True), normal(3, 4), {"full": True})
    loss("gaussian_nll_of_one_variance_per_row", "GaussianNll", gaussian(), normal(3, 1))
    # A variance below epsilon counts as epsilon, and its gradient passes; a central difference sees a constant.
    loss("gaussian_nll_of_small_variances", "GaussianNll", gaussian(eps=0.5), normal(3, 4), {"epsilon": 0.5},
         constants=("variance",))


def pairs(loss, every_reduction):
    sign = torch.tensor([1, -1, -1, 1, -1, 1])
    given = lambda function, **options: lambda reduction, **inputs: function(*inputs.values(), reduction=reduction, **options)

    vectors = {"x1": torch.randn(6, 4), "x2": torch.randn(6, 4), "targets": sign}
    every_reduction("cosine_embedding", "CosineEmbedding", given(F.cosine_embedding_loss), vectors)
    loss("cosine_embedding_with_a_margin", "CosineEmbedding", given(F.cosine_embedding_loss, margin=-0.4), vectors,
         {"margin": -0.4})

    distances = {"x": torch.rand(6) * 3, "targets": sign}
    every_reduction("hinge_embedding", "HingeEmbedding", given(F.hinge_embedding_loss), distances)
    loss("hinge_embedding_with_a_margin", "HingeEmbedding", given(F.hinge_embedding_loss, margin=2.5), distances,
         {"margin": 2.5})

    scores = {"x1": torch.randn(6), "x2": torch.randn(6), "targets": sign}
    every_reduction("margin_ranking", "MarginRanking", given(F.margin_ranking_loss), scores)
    loss("margin_ranking_with_a_margin", "MarginRanking", given(F.margin_ranking_loss, margin=0.8), scores, {"margin": 0.8})

    triplets = {"anchor": torch.randn(5, 4), "positive": torch.randn(5, 4), "negative": torch.randn(5, 4)}
    every_reduction("triplet_margin", "TripletMargin", given(F.triplet_margin_loss), triplets)
    for name, torch_options, options in [
        ("margin", {"margin": 2.5}, {"margin": 2.5}),
        ("p_1", {"p": 1.0}, {"p": 1.0}),
        ("p_3", {"p": 3.0, "eps": 0.1}, {"p": 3.0, "epsilon": 0.1}),
        ("swap", {"swap": True}, {"swap": True}),
    ]:
        loss(f"triplet_margin_with_{name}", "TripletMargin", given(F.triplet_margin_loss, **torch_options), triplets, options)


def binary(loss, every_reduction):
    hard = torch.tensor([[1, 0, 1], [0, 0, 1]])
    soft = {"x": torch.randn(2, 3), "targets": torch.rand(2, 3)}
    weights, positive = [1.0, 0.5, 2.0], [3.0, 1.0, 0.25]
    weight, pos_weight = torch.tensor(weights), torch.tensor(positive)

    def logits(**options):
        return lambda x, targets, reduction: F.binary_cross_entropy_with_logits(x, targets, reduction=reduction, **options)

    def probabilities(**options):
        return lambda x, targets, reduction: F.binary_cross_entropy(x, targets, reduction=reduction, **options)

    every_reduction("binary_cross_entropy_of_logits", "BinaryCrossEntropy", logits(), soft, {"logits": True})
    loss("binary_cross_entropy_of_logits_with_weights", "BinaryCrossEntropy", logits(weight=weight, pos_weight=pos_weight),
         soft, {"logits": True, "weights": weights, "positive_weights": positive})
    p = {"x": torch.rand(2, 3) * 0.9 + 0.05, "targets": torch.rand(2, 3)}
    every_reduction("binary_cross_entropy", "BinaryCrossEntropy", probabilities(), p)
    loss("binary_cross_entropy_with_weights", "BinaryCrossEntropy", probabilities(weight=weight), p, {"weights": weights})
    ends = {"x": torch.tensor([0.0, 1.0, 0.3]), "targets": torch.tensor([0.0, 1.0, 1.0])}
    loss("binary_cross_entropy_of_certainty", "BinaryCrossEntropy", probabilities(), ends, constants=("x", "targets"))
    smooth = lambda x, targets, reduction: F.binary_cross_entropy_with_logits(x, targets * 0.8 + 0.1, reduction=reduction)
    loss("binary_cross_entropy_with_smoothing", "BinaryCrossEntropyOfClasses", lambda x, targets, reduction:
         smooth(x, targets.double(), reduction), {"x": soft["x"], "targets": hard}, {"logits": True, "smoothing": 0.2})

    def focal(alpha, gamma):
        """Equation (5) of Lin et al. 2017."""

        def run(x, targets, reduction):
            p = torch.sigmoid(x)
            p_t = torch.where(targets == 1, p, 1 - p)
            alpha_t = 1.0 if alpha is None else torch.where(targets == 1, alpha, 1 - alpha)
            losses = -alpha_t * (1 - p_t) ** gamma * torch.log(p_t)
            return {"mean": losses.mean, "sum": losses.sum, "none": losses.clone}[reduction]()

        return run

    inputs = {"x": soft["x"] * 2, "targets": hard}
    every_reduction("focal", "Focal", focal(0.25, 2.0), inputs)
    loss("focal_without_alpha", "Focal", focal(None, 1.5), inputs, {"alpha": None, "gamma": 1.5})
    loss("focal_of_another_alpha", "Focal", focal(0.6, 0.0), inputs, {"alpha": 0.6, "gamma": 0.0})


def ctc(case):
    time, classes = 7, 4
    # A repeated label, an empty target, a target as long as its input, one that is too long.
    targets = torch.tensor([[2, 2, 3], [1, 3, 0], [0, 0, 0], [1, 2, 3], [1, 1, 2]])
    lengths = {"input_lengths": torch.tensor([7, 5, 4, 3, 2]), "target_lengths": torch.tensor([3, 2, 0, 3, 3])}

    def ctc(name, rows, config, reduction, **options):
        rows = torch.tensor(rows)
        inputs = {"x": torch.randn(time, len(rows), classes), "targets": targets[rows]}
        inputs |= {key: value[rows] for key, value in lengths.items()}

        def forward(x, p):
            log_p = x["x"].log_softmax(2)
            y = F.ctc_loss(log_p, x["targets"], x["input_lengths"], x["target_lengths"],
                           reduction=REDUCTIONS.get(reduction, "none"), **options)
            return y.reshape(1) if y.dim() == 0 else y

        case(name, "Ctc", forward, inputs, config=config | {"reduction": reduction})

    for reduction in ("Mean", "Sum", "None"):
        ctc(f"ctc_{reduction.lower()}", [0, 1, 2, 3], {}, reduction)
    ctc("ctc_with_zero_infinity", [4, 0, 4, 3], {"zero_infinity": True}, "Mean", zero_infinity=True)

    def other_blank(x, p):
        return F.ctc_loss(x["x"].log_softmax(2), x["targets"], x["input_lengths"], x["target_lengths"], blank=2,
                          reduction="none")

    inputs = {"x": torch.randn(time, 2, classes), "targets": torch.tensor([[0, 0, 3], [1, 3, 3]]),
              "input_lengths": torch.tensor([7, 6]), "target_lengths": torch.tensor([3, 2])}
    case("ctc_with_another_blank", "Ctc", other_blank, inputs, config={"blank": 2, "reduction": "None"})
