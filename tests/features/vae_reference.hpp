#pragma once

#include "features/vae_plugin.hpp"

// libtorch's gradients are the reference of some tests; a build without it has none.
#ifdef LACUNA_TORCH
#define REQUIRE_TORCH() static_assert(true)
#else
#define REQUIRE_TORCH() GTEST_SKIP() << "built without libtorch"
#endif
