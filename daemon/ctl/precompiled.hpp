// What the verbs use, compiled once for this floor. No file may rely on it: each includes what it uses.
#pragma once

#include "base/precompiled.hpp"

#include "ctl/context/context.hpp"
#include "ctl/line/command.hpp"
