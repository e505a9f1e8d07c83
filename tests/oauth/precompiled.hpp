// What the tests of token sets use, compiled once. No file may rely on it: each includes what it uses.
#pragma once

#include "support/precompiled.hpp"

#include "oauth/keeper_rig.hpp"
