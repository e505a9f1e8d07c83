// Whether two SQL values stand for the same value of an item.
#pragma once

#include "storage/row_batch.hpp"
#include "storage/sqlite.hpp"

namespace shelfd::mirror {

// `row`, `column`: as stored; `fresh`: as it would be stored now. Equal texts, numbers and instants are the same, also
// as a text and as a number: a row that was written before its column got its kind, or was rewritten by a change of
// the kind, may have one for the other.
bool means_same(const storage::Statement& row, int column, const storage::RowBatch::Value& fresh);

}  // namespace shelfd::mirror
