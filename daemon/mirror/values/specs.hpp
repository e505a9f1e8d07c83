// The declaration of a table: its content, and when it is late.
#pragma once

#include "base/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shelfd::mirror {

// If more rows are missing at once, another complete pass must confirm it.
struct DeletionLimits {
    double max_share = 0.2;       // more than this share of the table, and
    std::uint64_t min_rows = 10;  // more than these
};

// How long the change feed is kept. Its oldest part is removed.
struct ChangeLimits {
    Duration keep = std::chrono::hours(24 * 90);
    std::optional<std::uint64_t> max_rows = {};

    // For what a named consumer has not acknowledged: it must not be able to fill the disk.
    Duration keep_for_consumers() const { return keep * 2; }
};

// What the change feed `_changes` contains about a changed row.
enum class ChangeDetail {
    values,  // the members that changed, before and after; all members of a deleted row
    keys,    // only the key, and the kind of change
    none,    // nothing
};

// Each row's own address is also fetched, into NAME_detail.
struct DetailSpec {
    std::string address_member = {};  // member of the list's items; "": the key determines the address
    Duration refresh_within{};        // longest time between two requests for a row
    std::string source = {};          // see ResourceSpec
};

struct ResourceSpec {
    std::string name = {};
    std::vector<std::string> key = {"id"};
    Duration late_after{};         // after as_of; zero = never late
    Duration proven_late_after{};  // after proven_as_of; zero = never late
    ChangeDetail changes = ChangeDetail::values;
    std::vector<std::string> exclude = {};  // members that are never written to disk: "created_by.email"
    bool keep_deleted = false;              // deleted rows are kept in NAME_deleted until they reappear
    std::optional<DetailSpec> detail = {};
    std::string detail_of = {};      // set by `declare` in the table of details that it creates for a list
    std::string source = {};         // identifies the list, in the caller's words; if it changes: proven again
    std::string filter = {};         // the same for the filter; if it changes: tested again
    std::string dated_by = {};       // member with the time of the last change, if the filter uses it
    std::string axis = {};           // identifies the slicing, in the caller's words; if it changes: filled again
    std::string parent_member = {};  // lists by parent: first member of the key, added by the mirror
    std::optional<Instant> begins_at = {};  // ledger: the state is "filling" until the table is complete from there on
};

// Kinds as in `_columns`; equal if the column already had the right kind.
struct RetypeOutcome {
    std::string before;
    std::string after;
    std::uint64_t rows = 0;  // rewritten
};

}  // namespace shelfd::mirror
