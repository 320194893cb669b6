"""Bus bandwidth of torch.distributed's all-reduce, for comparison with `burn-collective`'s test `nccl`.

    NCCL_NVLS_ENABLE=0 python3 -m torch.distributed.run --nproc-per-node 2 benches/nccl/all_reduce.py

Sizes, numbers of rounds and the definition of bandwidth are those of `crates/burn-collective/tests/nccl/bandwidth.rs`.
"""

import os
import time

import torch
import torch.distributed as dist

MIB = 1 << 20


def measure(x: torch.Tensor, rounds: int) -> float:
    """Returns the seconds of one all-reduce of many, the least of five."""
    least = float("inf")
    for _ in range(5):
        dist.barrier()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(rounds):
            dist.all_reduce(x)
        torch.cuda.synchronize()
        least = min(least, (time.perf_counter() - start) / rounds)
    return least


def main() -> None:
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl", device_id=torch.device("cuda", local))
    ranks = dist.get_world_size()
    for mib, rounds in ((1, 200), (64, 50), (1024, 20)):
        seconds = measure(torch.zeros(mib * MIB // 4, device="cuda"), rounds)
        bandwidth = mib * MIB / seconds * 2 * (ranks - 1) / ranks
        if dist.get_rank() == 0:
            print(
                f"torch all_reduce of {mib:5} MiB  {seconds * 1e6:9.1f} us  {bandwidth / 1e9:7.1f} GB/s bus bandwidth",
                flush=True,
            )
    dist.destroy_process_group()


main()
