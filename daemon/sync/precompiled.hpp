// What the passes of a library use, compiled once for this floor. No file may rely on it: each includes what it uses.
#pragma once

#include "base/precompiled.hpp"

#include "sync/library/context.hpp"
#include "sync/pass/pass_report.hpp"
