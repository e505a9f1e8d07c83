// One walk over a resource: its pages are staged, then published in one transaction or dropped.
#pragma once

#include "base/instant.hpp"
#include "base/result.hpp"
#include "mirror/values/commit.hpp"
#include "mirror/values/slice.hpp"
#include "mirror/values/walk.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::mirror {

class DetailBatch;
struct DateWatch;
struct DetailOutcome;
struct PassServices;
struct ResourceSpec;

// Created by Mirror::begin_pass; the mirror must outlive it. One pass for each resource may be open. All calls block
// and must be made in the library's lane. Readers see nothing before `publish`. Ends with publish, abandon, or
// destruction (which abandons). After an error of kind storage, busy or corrupt, only `abandon` is useful. After
// protocol, nothing of the page was taken, and it may be requested again (faults: invalid JSON or UTF-8; a key that is
// missing, null, repeated in the page or of no usable type; nesting beyond 100). The same after config (a row that does
// not belong to the slice), but another request would not help.
class Pass {
public:
    ~Pass();

    // `results` is the array of items as the service sent it: `[{"id": 1, …}, …]`. `items`: see PageReader::read. An
    // item replaces an earlier one of the pass with the same key.
    Result<PageFacts> add_page(std::string_view results, Commit commit = Commit::now,
                               std::span<const std::string_view> items = {});
    // True if the last error of add_page was about the key of an item: missing, null, of no usable type, or repeated.
    bool is_key_at_fault() const;
    // Returns the same without excluded members, as it may be written to disk. Errors: protocol.
    Result<std::string> without_excluded(std::string_view results) const;
    // Number of distinct keys on all pages so far.
    std::uint64_t distinct_keys() const;
    // Returns at most `most` rows that the walk did not meet, including held and kept ones: a random sample, each with
    // the text of the first of `address_members` that it has. Useful only if the pass is complete.
    Result<std::vector<MissingRow>> missing(std::size_t most, const std::vector<std::string>& address_members);
    // True if rows are missing, apart from held and kept ones.
    Result<bool> lacks_rows();
    void add_evidence(const MissingRow& row, Witness witness);
    // True if publishing may delete or report rows although the walk lacks none: rows of a ledger last sought in this
    // window, or the difference to the file before a rebuild.
    Result<bool> may_take_others() const;
    // For a window of a ledger.
    Result<TakenRows> taken_rows() const;
    // Only from the rows staged so far.
    Result<ValueLoss> value_loss();
    // Rows take what the pass brought, and keep the members that it lacks.
    Result<void> keep_members();
    // The place of an item from its own address in the slices of the table; an empty optional if it states none.
    std::optional<std::int64_t> place_of(std::string_view item) const;
    void testify_moved(const MissingRow& row, std::int64_t place);
    // `dates` is called before anything is written.
    Result<PublishOutcome> publish(const Proof& proof, const DateWatch* dates = nullptr);
    void abandon();

private:
    friend class Mirror;
    struct Walk;
    // Passes over the table of `spec`, which need not be declared any more.
    static Result<std::unique_ptr<Pass>> begin(PassServices services, const ResourceSpec& spec, PassStart start);
    explicit Pass(std::unique_ptr<Walk> walk);
    // Publishes items of a table of details, and the other answers of their addresses.
    Result<void> publish_details(DetailBatch& batch, DetailOutcome& outcome);
    std::unique_ptr<Walk> walk_;
};

}  // namespace shelfd::mirror
