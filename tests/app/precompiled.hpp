// What the tests of the daemon use, compiled once. No file may rely on it: each includes what it uses.
#pragma once

#include "support/precompiled.hpp"

#include "app/library_bench.hpp"
