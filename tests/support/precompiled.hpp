// Headers that nearly every test includes, compiled once. No file may rely on it: each includes what it uses.
#pragma once

#include "base/precompiled.hpp"
#include "support/catch.hpp"
