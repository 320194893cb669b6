"""Embedding layers."""

import torch
import torch.nn.functional as F

EMBEDDING = {"n_embedding": 6, "d_model": 3}


def renormalized(weight, max_norm, norm_type):
    """The weight as PyTorch leaves it, which limits norms in place before the lookup."""
    values = weight.detach()
    norms = torch.linalg.vector_norm(values, ord=norm_type, dim=1, keepdim=True)
    scaled = torch.where(norms > max_norm, values * (max_norm / (norms + 1e-7)), values)
    return weight + (scaled - values)


def cases(case):
    weight = lambda: {"weight": torch.randn(6, 3) * 2}
    indices = torch.tensor([[1, 3, 1, 1], [0, 4, 4, 5]])

    def embedding(name, config, limit=None, differences=False, **options):
        def forward(x, p):
            weight = renormalized(p["weight"], *limit) if limit else p["weight"]
            return F.embedding(x["x"], weight, **options)

        case(name, "Embedding", forward, {"x": indices}, weight(), EMBEDDING | config, differences=differences)

    # With an option the gradient is not the derivative.
    embedding("embedding", {}, differences=True)
    embedding("embedding_with_padding", {"padding_idx": 4}, padding_idx=4)
    embedding("embedding_with_a_largest_norm", {"max_norm": 1.5}, (1.5, 2.0))
    embedding("embedding_with_a_largest_1_norm", {"max_norm": 1.5, "norm_type": 1.0}, (1.5, 1.0))
    embedding("embedding_by_frequency", {"scale_grad_by_frequency": True}, scale_grad_by_freq=True)

    flat, offsets = indices.flatten(), torch.tensor([0, 3, 3, 7])

    def bag(name, config, layer="EmbeddingBag", inputs=None, limit=None, differences=True, **options):
        inputs = inputs or {"x": indices}

        def forward(x, p):
            weight = renormalized(p["weight"], *limit) if limit else p["weight"]
            return F.embedding_bag(x["x"], weight, x.get("offsets"), per_sample_weights=x.get("weights"), **options)

        case(name, layer, forward, inputs, weight(), EMBEDDING | config, differences=differences)

    listed = {"x": flat, "offsets": offsets}
    for mode in ("sum", "mean", "max"):
        config = {"mode": mode.capitalize()}
        bag(f"embedding_bag_{mode}", config, mode=mode)
        bag(f"embedding_bag_{mode}_of_offsets", config, "EmbeddingBagOffsets", listed, mode=mode)
        bag(f"embedding_bag_{mode}_with_padding", config | {"padding_idx": 4}, mode=mode, padding_idx=4)
        bag(f"embedding_bag_{mode}_of_offsets_with_padding", config | {"padding_idx": 1}, "EmbeddingBagOffsets", listed,
            mode=mode, padding_idx=1)
    ends = {"x": flat, "offsets": torch.tensor([0, 3, 3, 8])}
    bag("embedding_bag_with_the_last_offset", {"mode": "Sum", "include_last_offset": True}, "EmbeddingBagOffsets", ends,
        mode="sum", include_last_offset=True)
    bag("embedding_bag_with_a_largest_norm", {"mode": "Sum", "max_norm": 1.5, "norm_type": 1.0}, limit=(1.5, 1.0),
        differences=False, mode="sum")
    # Every index occurs twice: PyTorch divides by the count of an index, but not always of that one.
    bag("embedding_bag_by_frequency", {"mode": "Sum", "scale_grad_by_frequency": True},
        inputs={"x": torch.tensor([[1, 3], [3, 1]])}, differences=False, mode="sum", scale_grad_by_freq=True)
    weighted = {"mode": "Sum", "padding_idx": 4}
    bag("embedding_bag_weighted", weighted, "EmbeddingBagWeighted", {"x": indices, "weights": torch.randn(2, 4)},
        mode="sum", padding_idx=4)
    bag("embedding_bag_weighted_of_offsets", weighted, "EmbeddingBagOffsetsWeighted", listed | {"weights": torch.randn(8)},
        mode="sum", padding_idx=4)
