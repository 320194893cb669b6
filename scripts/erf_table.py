"""The coefficients of crates/burn-ndarray/src/kernels/math/erf_table. Needs mpmath.

erf(x) / x on intervals of one width around its multiples, each as a polynomial in the distance to the middle:
least squares over Chebyshev points, one coefficient after the other rounded to f32, those that are left fitted again.
"""

import struct

from mpmath import cos, erf, matrix, mp, mpf, pi, sqrt

mp.prec = 200
POINTS = 24


def single(x):
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def ratio(x):
    return erf(x) / x if x != 0 else 2 / sqrt(pi)


def fit(middle, width, highest):
    points = [width / 2 * cos(pi * (2 * k + 1) / (2 * POINTS)) for k in range(POINTS)]
    fixed = []
    while len(fixed) <= highest:
        free = range(len(fixed), highest + 1)
        rest = [ratio(abs(middle + t)) - sum(c * t**d for d, c in enumerate(fixed)) for t in points]
        a = matrix([[t**d for d in free] for t in points])
        fixed.append(single(((a.T * a) ** -1 * (a.T * matrix(rest)))[0]))
    return fixed


for intervals, width, highest in [(8, mpf(17) / 32, 6), (16, mpf(265) / 1024, 5)]:
    print(f"{intervals} intervals")
    rows = [fit(k * width, width, highest) for k in range(intervals)]
    for degree in reversed(range(highest + 1)):
        print("[" + ", ".join(repr(float(row[degree])) for row in rows) + "],")
