// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's files: .npz (a zip archive of arrays) and .npy (one array). Little-endian numbers and bool only.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/tensor.h"

namespace macec {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

// Arrays in the order of the archive, names without ".npy". Throws UserError that names the file.
NamedTensors load_npz(const std::string& path);
// The bytes of an archive, uncompressed. float16 stays float16; types that NumPy has not are refused.
std::string npz_bytes(const NamedTensors& tensors);

}  // namespace macec
