// Rows that are held, and the decisions of people about them.
#pragma once

#include "base/held_rows.hpp"

namespace shelfd::mirror {

using shelfd::HeldDecision;
using shelfd::HeldFate;
using shelfd::HeldList;
using shelfd::HeldOutcome;
using shelfd::HeldRow;

}  // namespace shelfd::mirror
