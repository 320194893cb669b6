"""The coefficients of crates/burn-ndarray/src/math/erf_table.rs. Needs mpmath.

erf(x) / x on 16 intervals of width H around k H, each as a polynomial of degree 5 in the distance to the middle:
least squares over Chebyshev points, one coefficient after the other rounded to f32, those that are left fitted again.
"""

import struct

from mpmath import cos, erf, matrix, mp, mpf, pi, sqrt

mp.prec = 200
H = mpf(265) / 1024
DEGREE = 5
POINTS = 24


def single(x):
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def ratio(x):
    return erf(x) / x if x != 0 else 2 / sqrt(pi)


def fit(middle):
    points = [H / 2 * cos(pi * (2 * k + 1) / (2 * POINTS)) for k in range(POINTS)]
    fixed = []
    while len(fixed) <= DEGREE:
        free = range(len(fixed), DEGREE + 1)
        rest = [ratio(abs(middle + t)) - sum(c * t**d for d, c in enumerate(fixed)) for t in points]
        a = matrix([[t**d for d in free] for t in points])
        fixed.append(single(((a.T * a) ** -1 * (a.T * matrix(rest)))[0]))
    return fixed


rows = [fit(k * H) for k in range(16)]
for degree in reversed(range(DEGREE + 1)):
    print("[" + ", ".join(repr(float(row[degree])) for row in rows) + "],")
