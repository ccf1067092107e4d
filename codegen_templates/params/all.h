// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All parameter structs, for the compiler.
#pragma once
#include "channel_norm.h"
#include "conv.h"
#include "copy.h"
#include "gather.h"
#include "gather_nest.h"
#include "gemm.h"
#include "iota.h"
#include "line.h"
#include "norm.h"
#include "pad.h"
#include "pick.h"
#include "pointwise.h"
#include "pool.h"
#include "reduce.h"
#include "resize.h"
#include "softmax.h"
