// Rows that are held, and what a person decides about them.
#pragma once

#include "base/held_rows.hpp"

namespace shelfd::mirror {

using shelfd::HeldDecision;
using shelfd::HeldFate;
using shelfd::HeldList;
using shelfd::HeldOutcome;
using shelfd::HeldRow;

}  // namespace shelfd::mirror
