// What the tests of mirrors use, compiled once. No file may rely on it: each includes what it uses.
#pragma once

#include "support/precompiled.hpp"

#include "mirror/mirror_fixture.hpp"
