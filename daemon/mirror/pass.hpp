// One walk over a resource on its way into the mirror: pages are staged, then published in one transaction or dropped.
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

// Made by Mirror::begin_pass; the mirror must outlive it. Passes of several resources may be open at once, one of each.
// Every call blocks and is made in the library's lane. Before `publish` no reader sees anything of it. Ends by publish,
// abandon or destruction (which abandons). After an error of kind storage, busy or corrupt only `abandon` makes sense;
// after protocol (a fault of the page: broken JSON or UTF-8, a key that is missing, null, twice in the page or of no
// usable type, nesting beyond 100) nothing of that page was taken, and the page may be asked for again; likewise after
// config (a row that does not belong to the slice), where that would change nothing.
class Pass {
public:
    ~Pass();

    // `results` is the array of items as the service sent it: `[{"id": 1, …}, …]`. A key met again replaces the
    // earlier sight of it. `items`: the texts of its items where they are known, as PageReader::read takes them.
    Result<PageFacts> add_page(std::string_view results, Commit commit = Commit::now,
                               std::span<const std::string_view> items = {});
    // The same without what is excluded, as it may touch a disk. Errors: protocol.
    Result<std::string> without_excluded(std::string_view results) const;
    // Distinct keys of all pages so far.
    std::uint64_t distinct_keys() const;
    // At most `most` rows that the walk did not meet, held and kept ones included: a sample, spread over all of
    // them, each with the text of the first of `address_members` that it has. Worth asking for when the pass is
    // complete.
    Result<std::vector<MissingRow>> missing(std::size_t most, const std::vector<std::string>& address_members);
    // Whether there is any that was not missing before; held and kept ones are not meant.
    Result<bool> lacks_rows();
    void add_evidence(const MissingRow& row, Witness witness);
    // Rows may go though the walk lacks none: of a ledger, those that were sought in this window last; of a table that
    // is filled anew, out of the feed, what it lacks of the file before.
    Result<bool> may_take_others() const;
    // The place of an item in the slices of the table, as its own address answers for it. nothing: it tells none.
    std::optional<std::int64_t> place_of(std::string_view item) const;
    void testify_moved(const MissingRow& row, std::int64_t place);
    // `dates` is asked before anything is written.
    Result<PublishOutcome> publish(const Proof& proof, const DateWatch* dates = nullptr);
    void abandon();

private:
    friend class Mirror;
    struct Parts;
    // Over the table of `spec`, which need not be declared any more.
    static Result<std::unique_ptr<Pass>> begin(PassServices services, const ResourceSpec& spec, PassStart start);
    explicit Pass(std::unique_ptr<Parts> parts);
    // Items of a table of details, and what else their addresses answered.
    Result<void> publish_details(DetailBatch& batch, DetailOutcome& outcome);
    std::unique_ptr<Parts> parts_;
};

}  // namespace shelfd::mirror
