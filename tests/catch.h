// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Catch2 2.13 (Debian 12) and 3 (Ubuntu 24.04) have different headers.
#pragma once
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
