#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the coefficients of codegen_templates/kernels/math.h.

Each polynomial is a minimax fit: least squares at Chebyshev nodes whose weights are multiplied by the error
until it is level (Lawson's iteration), in long double. Coefficients are then rounded to float one at a time from
the lowest power up, each time refitting the ones above, so that a rounding is repaired by its neighbours.
The second column printed is the largest error of the rounded polynomial in units of 2^-24 of the weighted target.
"""
import math

import numpy as np

LD = np.longdouble


def nodes(lo, hi, count=1500):
    k = np.arange(count, dtype=LD)
    return (LD(lo) + LD(hi)) / 2 + (LD(hi) - LD(lo)) / 2 * np.cos((2 * k + 1) * LD(np.pi) / (2 * count))


def level(basis, target, scale):
    """Coefficients c that minimise max |scale * (basis @ c - target)|."""
    weights = np.ones(len(target), dtype=np.float64)
    best, best_error = None, math.inf
    norms = np.array([float(np.max(np.abs(basis[:, j] * scale))) for j in range(basis.shape[1])])
    for _ in range(400):
        root = np.sqrt(weights)[:, None]
        a = (basis * scale[:, None]).astype(np.float64) / norms * root
        rest = (target * scale).astype(np.float64)
        c = np.linalg.lstsq(a, rest * root[:, 0], rcond=None)[0]
        for _ in range(2):  # refine in long double
            residual = target * scale - (basis * scale[:, None]) @ (c / norms).astype(LD)
            c = c + np.linalg.lstsq(a, residual.astype(np.float64) * root[:, 0], rcond=None)[0]
        error = np.abs(target * scale - (basis * scale[:, None]) @ (c / norms).astype(LD)).astype(np.float64)
        if error.max() < best_error:
            best, best_error = c / norms, error.max()
        weights = weights * (error + 1e-30)
        weights /= weights.sum()
    return best


def fit(name, powers, x, target, scale):
    """target ~ sum c_i x^powers[i]; the error is multiplied by scale."""
    basis = np.stack([x**p for p in powers], axis=1)
    target, rounded = target.astype(LD), []
    for i in range(len(powers)):
        c = level(basis[:, i:], target, scale)
        rounded.append(np.float32(c[0]))
        target = target - basis[:, i] * LD(rounded[-1])
    error = float(np.max(np.abs(target * scale))) * 2**24
    print(f"{name}: largest error {error:.3f} * 2^-24")
    for p, c in zip(powers, rounded):
        print(f"  x^{p}: {float(c):.9g}f")


def each(function, x):
    return np.array([function(float(v)) for v in x], dtype=LD)


def main():
    x = nodes(-0.3470, 0.3470)  # a little more than ln 2 / 2
    fit("exp: (e^r - 1 - r) / r^2", range(5), x, (np.expm1(x) - x) / x**2, x**2 / np.exp(x))

    x = nodes(math.sqrt(0.5) - 1.001, math.sqrt(2) - 0.999)
    x = x[np.abs(x) > 1e-3]
    fit("log: (log(1 + f) - f + f^2 / 2) / f^3", range(8), x, (np.log1p(x) - x + x**2 / 2) / x**3, np.abs(x**3 / np.log1p(x)))

    x = nodes(1e-6, 1)
    fit("log1p: log(1 + u) / u", range(11), x, np.log1p(x) / x, x / np.log1p(x))

    x = nodes(1e-4, 0.625)
    fit("tanh: (tanh(x) - x) / x^3 in x^2", range(5), x**2, (np.tanh(x) - x) / x**3, x**3 / np.tanh(x))

    x = nodes(1e-4, 0.96)
    e = each(math.erf, x)
    fit("erf: (erf(x) - x) / x in x^2", range(7), x**2, (e - x) / x, x / e)

    x = nodes(0.92, 6.3, 800)
    fit("erfc: -log(erfc(z)) / z", range(12), x, -np.log(each(math.erfc, x)) / x, x)

    x = nodes(1e-4, math.pi / 4 * 1.001)
    fit("sin: (sin(r) - r) / r^3 in r^2", range(4), x**2, (np.sin(x) - x) / x**3, x**3 / np.sin(x))
    fit("cos: (cos(r) - 1 + r^2 / 2) / r^4 in r^2", range(3), x**2, (np.cos(x) - 1 + x**2 / 2) / x**4, x**4 / np.cos(x))


if __name__ == "__main__":
    main()
