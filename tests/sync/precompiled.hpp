// What the tests of passes use, compiled once. No file may rely on it: each includes what it uses.
#pragma once

#include "support/precompiled.hpp"

#include "sync/library/context.hpp"
#include "sync/pass/pass_report.hpp"
