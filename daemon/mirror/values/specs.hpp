// What a table is to hold and when it is late, as its owner declares it.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::mirror {

// When so many rows are missing at once that only the next complete pass is believed.
struct DeletionLimits {
    double max_share = 0.2;       // more than this share of the table, and
    std::uint64_t min_rows = 10;  // more than these
};

// How far back the change feed reaches. What goes is its beginning, in whole.
struct ChangeLimits {
    Duration keep = std::chrono::hours(24 * 90);
    std::optional<std::uint64_t> max_rows = {};
};

// What the change feed `_changes` says of a changed row.
enum class ChangeDetail {
    values,  // the changed members before and after; of a deleted row, all
    keys,    // only which row, and how
    none,    // nothing at all
};

// Every row's own address is fetched, too, into NAME_detail.
struct DetailSpec {
    std::string address_member = {};  // of the list's items; "": the key alone tells the address
    Duration refresh_within{};        // longest time between two looks at one row
    std::string source = {};          // see ResourceSpec
};

struct ResourceSpec {
    std::string name = {};
    std::vector<std::string> key = {"id"};
    Duration late_after{};         // past as_of; zero: never late
    Duration proven_late_after{};  // past proven_as_of; zero: never late for that
    ChangeDetail changes = ChangeDetail::values;
    std::vector<std::string> exclude = {};  // members that never touch the disk: "created_by.email"
    bool keep_deleted = false;              // rows that go are kept in NAME_deleted until they come back
    std::optional<DetailSpec> detail = {};
    std::string detail_of = {};      // set by `declare`, for the table of details that it makes beside the list's
    std::string source = {};         // which list is asked for, in words of the caller's; another one: proven anew
    std::string filter = {};         // the same of what asks for changes; another one: tried anew
    std::string dated_by = {};       // the member that tells when a row changed, where changes are asked for by it
    std::string axis = {};           // of a sliced table, in words of the caller's; another one: filled anew
    std::string parent_member = {};  // of lists by parent: the first member of the key, which each row gets from us
    std::optional<Instant> begins_at = {};  // of a ledger: the table is filling until it is complete from there on
};

// Kinds as `_columns` has them; the same twice when the column had the right one.
struct RetypeOutcome {
    std::string before;
    std::string after;
    std::uint64_t rows = 0;  // written anew
};

}  // namespace shelfd::mirror
