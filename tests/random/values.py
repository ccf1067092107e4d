# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of a random graph: what they hold in each data set, and how far two right programs may be apart."""
import numpy as np

from engines import BFLOAT16

F32, F64, F16 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.float16)
FLOATS = (F32, F64, F16, BFLOAT16)
SIGNED = tuple(np.dtype(t) for t in (np.int8, np.int16, np.int32, np.int64))
UNSIGNED = tuple(np.dtype(t) for t in (np.uint8, np.uint16, np.uint32, np.uint64))
INTEGERS = SIGNED + UNSIGNED
INT64, INT32, BOOL = np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.bool_)
# What one step may add in noise, as a share of the greatest magnitude, and how much may have come together in a value.
STEP_NOISE = {F32: 1e-6, F64: 1e-6, F16: 2e-3, BFLOAT16: 1.6e-2}
MOST_NOISE = {F32: 2e-5, F64: 2e-5, F16: 1.5e-2, BFLOAT16: 8e-2}
# Whole numbers up to these are exact in sums of any order.
WHOLE = {F32: 1 << 20, F64: 1 << 40, F16: 1 << 9, BFLOAT16: 1 << 6}


def is_float(dtype):
    return dtype in FLOATS


class Value:
    """One value: an array for each data set, and its twin, computed from inputs with noise."""

    def __init__(self, name, arrays, twins=None, exact=True, constant=False):
        self.name, self.arrays, self.exact, self.constant = name, arrays, exact, constant
        self.twins = twins if twins is not None else arrays
        self.uses = 0

    dtype = property(lambda self: self.arrays[0].dtype)
    rank = property(lambda self: self.arrays[0].ndim)
    size = property(lambda self: max(a.size for a in self.arrays))

    @property
    def dims(self):
        """Extents; None where the data sets differ."""
        return tuple(d[0] if len(set(d)) == 1 else None for d in zip(*(a.shape for a in self.arrays)))

    @property
    def fixed(self):
        return None not in self.dims

    def sizes(self, axis):
        return tuple(a.shape[axis] for a in self.arrays)

    def every(self, claim):
        return all(bool(claim(a)) for a in self.arrays)

    def low(self):
        return min((float(a.min()) for a in self.arrays if a.size), default=0.0)

    def high(self):
        return max((float(a.max()) for a in self.arrays if a.size), default=0.0)


def magnitude(array):
    if not array.size:
        return 0.0
    finite = np.abs(np.where(np.isfinite(array.astype(np.float64)), array.astype(np.float64), 0.0))
    return float(finite.max())


def is_whole(array):
    if array.dtype not in WHOLE:
        return True
    wide = array.astype(np.float64)
    return bool(np.all(np.isfinite(wide)) and np.all(wide == np.floor(wide)) and magnitude(array) <= WHOLE[array.dtype])


def distance(a, b):
    """The greatest difference of two arrays; infinity where shapes, NaN or infinities differ."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return np.inf
    x, y = a.astype(np.float64), b.astype(np.float64)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    gap = np.where(same, 0.0, np.abs(x - y))
    gap = np.where(np.isnan(gap), np.inf, gap)
    return float(gap.max(initial=0.0))


def with_noise(random, array, amount):
    """The array with up to +-amount on each element."""
    if not array.size or amount == 0:
        return array
    noise = random.uniform(-1, 1, array.shape) * amount
    return np.asarray(array.astype(np.float64) + noise).astype(array.dtype)


def random_array(random, dtype, shape, kind=None):
    """Input data: mostly plain numbers, sometimes whole ones (ties), sometimes positive."""
    if dtype == BOOL:
        return random.randint(0, 2, shape).astype(bool)
    if not is_float(dtype):
        low, high = (0, 12) if dtype in UNSIGNED else (-10, 11)
        return random.randint(low, high, shape).astype(dtype)
    kind = kind or ("plain", "plain", "plain", "whole", "positive")[random.randint(5)]
    if kind == "whole":
        return random.randint(-4, 5, shape).astype(dtype)
    if kind == "positive":
        return random.uniform(0.1, 3, shape).astype(dtype)
    return random.uniform(-2, 2, shape).astype(dtype)


SPECIALS = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30, -1e30, 1e-40, 65504.0, 88.8, -104.0)


def special_array(random, dtype, shape):
    array = random_array(random, dtype, shape, "plain").reshape(-1)
    for i in range(array.size):
        if random.rand() < 0.3:
            array[i] = np.float64(SPECIALS[random.randint(len(SPECIALS))]).astype(dtype)
    return array.reshape(shape)
