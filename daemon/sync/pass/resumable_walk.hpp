// Keeps the pages of a walk until it ends, so that a walk interrupted by a crash, a stop or an outage can resume.
#pragma once

#include "config/model/model.hpp"
#include "mirror/file/kept_pages.hpp"
#include "mirror/mirror.hpp"
#include "mirror/pass.hpp"
#include "oauth/status/token_status.hpp"
#include "runtime/async/clock.hpp"
#include "sync/plan/pass_plan.hpp"
#include "sync/service/envelope.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace shelfd::sync {

// A kept page with its rows.
struct RecalledPage {
    Page page;  // its `results` point into `rows`
    std::string rows;
};

// Only for walks that the request limit makes long: several pages, at a service with a limit. Pages that cannot be
// written or read again are dropped; the walk continues without them. An incremental pass does not touch the pages of a
// walk over the whole list, which may resume later. Constructed on the loop; non-const calls block, in the lane.
class ResumableWalk {
public:
    // What the pages contain: the rows by the plan, and their owner by the token set.
    struct Subject {
        const config::Library& library;
        const config::Resource& resource;
        const PassPlan& plan;
        oauth::TokenStatus set;
    };
    // `clock` and `mirror` must outlive this object.
    ResumableWalk(const Subject& subject, Clock& clock, mirror::Mirror& mirror);

    // The `as_of` of the pages that an earlier process kept for the mirror at `path`, if a walk of `subject` can resume
    // with them; otherwise empty.
    static std::optional<Instant> left_by_another(const Subject& subject, const std::string& path, Instant now);

    // The answer to `query` from an earlier walk with the same plan, in its order. nullptr: request this and all later
    // pages from the service. Sets in `start` what that walk began with.
    std::unique_ptr<RecalledPage> recall(const std::string& query, mirror::PassStart& start);
    // Keeps a page of `items` rows that was requested with `query` and staged; call for every page in order. `rows` is
    // called only if the page is kept, and returns the rows as the mirror keeps them.
    void keep(const std::string& query, const Page& page, std::uint64_t items,
              const std::function<Result<std::string>()>& rows, const mirror::PassStart& start);
    // True if `recall` may have the next page.
    bool may_recall() const { return !looked_ || recalling_; }
    void forget();
    // The walk starts over: its first page is next.
    void begin_anew();

private:
    bool is_long(const Page& page, std::uint64_t items) const;
    bool was_published();
    bool is_of_whole_walk() const;

    Clock& clock_;
    mirror::Mirror& mirror_;
    std::string resource_;
    std::string slice_;  // name of the slice; "" if the table has none
    std::string file_;
    std::string plan_;   // fingerprint of the plan
    std::string whole_;  // for an incremental pass: fingerprint of the walk over the whole list; otherwise ""
    bool is_limited_;
    std::unique_ptr<mirror::KeptPages> record_;
    bool looked_ = false;     // it is known whether there are pages to resume with
    bool recalling_ = false;  // there are more of them
    bool any_page_ = false;
};

}  // namespace shelfd::sync
