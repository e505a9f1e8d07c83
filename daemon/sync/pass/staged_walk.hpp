// The pages of one walk on their way into the mirror: reads the frame, stages the rows, then publishes or drops them.
#pragma once

#include "mirror/mirror.hpp"
#include "mirror/values/commit.hpp"
#include "sync/pass/pass_machine.hpp"
#include "sync/pass/resumable_walk.hpp"
#include "sync/plan/pass_plan.hpp"
#include "sync/service/envelope.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::sync {

// All non-const calls block and are made in the library's lane. References and those in `subject` must outlive it.
class StagedWalk {
public:
    StagedWalk(const ResumableWalk::Subject& subject, Clock& clock, mirror::Mirror& mirror)
        : library_(subject.library), resource_(subject.resource), plan_(subject.plan), clock_(clock), mirror_(mirror),
          record_(subject, clock, mirror), envelope_(plan_.envelope), end_(make_search())
    {
    }

    // Stages the answer to `query`, and keeps it for a walk that may have to resume this one. `start` applies to the
    // first page. Errors: protocol if the page should be requested again; config if a person has to act; storage and
    // similar from the mirror.
    Result<PageSeen> take(http::Response& response, const Query& query, const mirror::PassStart& start,
                          mirror::Commit commit);
    // The page was a test for more rows, and `status` shows that there is no such page.
    PageSeen handle_refusal(int status);
    // The same as `take` for the closing look at page 1, which is not kept.
    Result<PageSeen> handle_closing(http::Response& response, const Query& query, const mirror::PassStart& start);
    // Stages the kept answer to `query` of an interrupted walk; empty if there is none. Sets in `start` what that walk
    // began with. Errors as `take`; afterwards no page is recalled.
    Result<std::optional<PageSeen>> recall(const Query& query, mirror::PassStart& start);
    bool may_recall() const { return record_.may_recall(); }
    // A sample of the rows that the walk lacked, each with the target that requests it by itself; rows without a target
    // at the service's own origin are left out.
    Result<std::vector<mirror::MissingRow>> missing(std::size_t most);
    // True if a 404 for that row, one of `missing`, is evidence that it was deleted.
    bool shows_absence(const mirror::MissingRow& row) const { return !asked_by_plain_name_.contains(row.key); }
    // True if the walk would delete rows.
    bool lacks_rows() const { return lacks_rows_; }
    void add_evidence(const mirror::MissingRow& row, mirror::Witness witness) { pass_->add_evidence(row, witness); }
    // True if this answer for a missing row shows that it is outside the walked slice; also records that.
    bool check_for_move(const mirror::MissingRow& row, std::string_view item);
    // What publishing would do to rows that the table has.
    Result<mirror::ValueLoss> value_loss() { return pass_ ? pass_->value_loss() : mirror::ValueLoss(); }
    // For a window of a ledger: its rows that the table has in other windows.
    Result<mirror::TakenRows> taken_rows() { return pass_ ? pass_->taken_rows() : mirror::TakenRows(); }
    Result<void> keep_members() { return pass_->keep_members(); }
    Result<mirror::PublishOutcome> publish(const mirror::Proof& proof, const mirror::DateWatch* dates);
    void drop() { pass_.reset(); }
    // No other walk resumes with this one's pages.
    void forget() { record_.forget(); }
    // Starts another walk with the same plan.
    void begin_anew()
    {
        drop();
        first_items_ = 0;
        end_ = make_search();
        is_named_ = false;
        lacks_rows_ = is_chain_ = counts_pages_ = ends_early_ = false;
        record_.begin_anew();
    }

    // The predictable queries of the pages after the newest one, nearest first; `query` is that one's.
    std::vector<std::string> queries_behind(const Query& query) const;
    const std::optional<Envelope>& envelope() const { return envelope_; }
    // Empty if no request was needed to find the end of the list.
    std::optional<EndHabit> end_habit() const;
    // True if the next page is requested only to learn whether the list ends here.
    bool is_asking_for_end() const { return end_.is_asking() && !end_.is_walking(); }
    // True if the newest answer was a page of the list, so that errors concern its rows.
    bool has_frame() const { return has_frame_; }
    // True if the last error of `take` is about the key of a row.
    bool is_key_at_fault() const { return pass_ && pass_->is_key_at_fault(); }
    // See first_unsolicited; over all pages.
    const std::string& unsolicited() const { return unsolicited_; }

private:
    // Whether the rows are searched in the answer, or left to the mirror, which may know the page.
    enum class Rows { searched, of_mirror };
    Result<Page> read(http::Response& response, const Query& query, Rows rows);
    Error another_form(std::string_view form) const;
    enum class Look { walk, recalled, closing };
    Result<PageSeen> stage(Page page, const Query& query, const mirror::PassStart& start, mirror::Commit commit,
                           Look look = Look::walk);
    EndSearch make_search() const;
    void drop_count_of_page(Page& page, std::uint64_t items);
    bool lacks_rows_of_mirror() const;
    std::optional<EndSearch::Step> search_end(const Page& page, const Query& query, const mirror::PageFacts& facts);

    const config::Library& library_;
    const config::Resource& resource_;
    const PassPlan& plan_;
    Clock& clock_;
    mirror::Mirror& mirror_;
    ResumableWalk record_;
    std::unique_ptr<mirror::Pass> pass_;
    std::optional<Envelope> envelope_;
    Page page_;  // the newest one, without its rows
    std::uint64_t items_ = 0;
    std::uint64_t first_items_ = 0;  // of the first page
    EndSearch end_;
    bool is_named_ = false;  // a page has named the next one
    std::string key_set_;
    std::uint64_t even_items_ = 0;  // rows of each page but the last, if the service cuts pages
    std::string unsolicited_;
    bool has_frame_ = false;
    bool lacks_rows_ = false;
    std::set<std::string> asked_by_plain_name_;  // keys of missing rows, see WitnessTarget
    bool is_short_ = false;                      // later pages are longer than the first
    bool counts_pages_ = false;                  // the "count" may be that of each page
    bool is_doubted_ = false;                    // the page says that it is the last one, and rows are missing
    bool ends_early_ = false;                    // see Gap::remains
    bool is_chain_ = false;                      // an array whose pages follow each other by cursor
};

}  // namespace shelfd::sync
