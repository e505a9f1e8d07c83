// Pages that need not be read again: the keys that the same bytes had in an earlier walk.
#pragma once

#include "base/result.hpp"
#include "mirror/json/page.hpp"
#include "storage/row_batch.hpp"
#include "storage/sqlite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

// The table of these records: `place`, the number of a page in its walk, and `record`. No interface.
std::string pages_name(std::string_view resource);

// A record holds only what follows from the bytes of a page, and from nothing else that may change: a digest of the
// bytes, the keys of the items, and a digest of the items' hashes. What the table has of these rows is looked up for
// every page; the caller compares its hashes with those of the record. So a record is never wrong, whatever happens to
// the rows, and records are written and dropped at any time. For pages whose keys are single whole numbers.
class KnownPages {
public:
    // `key`, `exclude`: those of the resource.
    KnownPages(storage::Database& database, const std::string& resource, const std::vector<std::string>& key,
               const std::vector<std::string>& exclude);

    struct Known {
        Page page;           // items with their keys alone
        ContentHash hashes;  // hashes_of the page when it was read
        std::uint64_t bytes = 0;
    };
    // What the page `results` at `place` was read as; empty if it is not known.
    Result<std::optional<Known>> find(std::uint64_t place, std::string_view results);
    static ContentHash hashes_of(const Page& page);

    // Records the page that `find` was last called for. Written later.
    void learn(std::uint64_t place, const Page& page, std::uint64_t bytes);
    // Writes what was learned if that are many pages, in a transaction of its own.
    Result<void> write_many();
    // A walk of so many pages has ended: writes the rest, and removes records of pages that lists no longer have.
    Result<void> end(std::uint64_t pages);

private:
    Result<bool> is_there();
    Result<void> write();

    storage::Database& database_;
    std::string resource_;
    std::string name_;    // quoted
    std::uint64_t form_;  // of the items: with another one, the same bytes have other digests
    ContentHash digest_;  // of the page that was looked up last
    std::optional<bool> is_there_;
    std::optional<storage::Statement> find_;
    storage::RowBatch learned_;
};

}  // namespace shelfd::mirror
