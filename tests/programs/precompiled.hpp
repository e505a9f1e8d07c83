// What the tests of the programs use, compiled once. No file may rely on it: each includes what it uses.
#pragma once

#include "support/precompiled.hpp"

#include "programs/site.hpp"
