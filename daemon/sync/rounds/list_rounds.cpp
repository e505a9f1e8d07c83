#include "sync/rounds/list_rounds.hpp"

#include "sync/library/run_id.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace shelfd::sync {
namespace {

// How often a list whose rows moved is walked again before the next round.
constexpr std::uint32_t max_tries_again = 2;
constexpr Duration first_try_again = std::chrono::minutes(1);
constexpr Duration last_try_again = std::chrono::hours(1);

}  // namespace

ListRounds::ListRounds(LibraryContext& context, const config::Resource& resource, const Rhythm& rhythm)
    : context_(context), resource_(resource), rhythm_(rhythm), backoff_(first_try_again, last_try_again)
{
}

asio::awaitable<Result<void>> ListRounds::load()
{
    auto read = [this] { return look(); };
    co_return co_await context_.lane.run(read);
}

// In the lane. Errors of the parent's table are ignored: the round meets and reports them.
Result<void> ListRounds::look()
{
    outlook_ = {};
    unproven_.clear();
    const auto parents = context_.mirror.parent_rows(resource_.parent->resource, resource_.parent->key);
    SHELFD_TRY_ASSIGN(known, context_.mirror.slices(resource_.name));
    if (!parents) {
        return {};
    }
    std::map<std::string, const mirror::SliceFacts*> walked;
    for (const auto& slice : known) {
        walked.emplace(slice.name, &slice);
    }
    const std::uint64_t page = context_.library.service.page_size;
    std::optional<std::uint64_t> most;
    for (const auto& key : parents->keys) {
        const auto found = walked.find(key);
        const bool is_known = found != walked.end() && found->second->asked_at;
        const auto rows = is_known ? found->second->rows : 0;
        ++outlook_.lists;
        outlook_.never_asked += is_known ? 0U : 1U;
        // Of a list that could not be walked since, or is no longer there, the round says that.
        if (found != walked.end() && found->second->why.empty() && !found->second->trouble.empty()) {
            unproven_.emplace(key, found->second->trouble);
        }
        outlook_.requests += rows <= page ? 1 : (rows + page - 1) / page + 1;
        if (!most || rows > *most) {
            most = rows;
            outlook_.parent = key;
        }
    }
    return {};
}

asio::awaitable<Round> ListRounds::prepare(Kind kind, bool anew)
{
    kind_ = kind;
    mirror::PassStart start;
    start.started = context_.clock.now();
    start.run_id = make_run_id(start.started, context_.random());
    start.mode = mirror::RunMode::parents;
    auto work = [this, kind, anew, &start] { return read(kind, anew, start); };
    auto round = co_await context_.lane.run(work);
    if (round) {
        co_return std::move(*round);
    }
    Round none;
    none.ordinary = kind != Kind::backfill;
    none.by_parent.emplace().obstacle = round.error();
    co_return none;
}

// In the lane.
Result<Round> ListRounds::read(Kind kind, bool anew, const mirror::PassStart& start)
{
    const auto& parent = *resource_.parent;
    const auto now = start.started;
    SHELFD_TRY_ASSIGN(parents, context_.mirror.parent_rows(parent.resource, parent.key));
    if (!parents.as_of) {
        return Error(ErrorKind::not_found,
                     fmt::format("waits for {}, which was not filled yet: its rows name the lists", parent.resource))
            .with(TroubleSource::parent);
    }
    // While the parent is a ledger that is still loading, its other rows are still to come.
    SHELFD_TRY_ASSIGN(gone, parents.complete ? context_.mirror.drop_other_lists(resource_.name, parents, start)
                                             : Result<std::uint64_t>(0));
    auto begun = context_.mirror.round_at(resource_.name);
    const auto known = context_.mirror.slices(resource_.name);
    if (!begun || !known) {
        return begun ? known.error() : begun.error();
    }
    Round round;
    round.ordinary = kind != Kind::backfill;
    auto& by_parent = round.by_parent.emplace();
    by_parent.parents = parents.keys;
    by_parent.gone = gone;
    by_parent.parents_as_of = *parents.as_of;
    if (kind == Kind::backfill) {
        std::set<std::string> again;
        for (const auto& [name, tries] : again_) {
            again.insert(name);
        }
        by_parent.lists = lists_between(parents.keys, *known, again, now);
    } else {
        const bool goes_on = *begun && !anew && **begun <= now && now < **begun + rhythm_.distance_after(**begun);
        by_parent.whole = kind == Kind::whole;
        by_parent.lists = due_lists(parents.keys, *known, {by_parent.whole, goes_on ? *begun : std::nullopt}, now);
        if (!goes_on) {
            SHELFD_TRY(context_.mirror.begin_round(resource_.name, now));
        }
    }
    put_behind(by_parent.lists, failed_);
    std::set<std::string> chosen;
    for (const auto& list : by_parent.lists) {
        chosen.insert(list.parent);
    }
    by_parent.good_elsewhere = std::any_of(known->begin(), known->end(), [&](const mirror::SliceFacts& slice) {
        return slice.as_of && slice.why.empty() && !chosen.contains(slice.name);
    });
    return round;
}

// In the lane. The sentence stays after a restart, until a whole walk proves the list.
Result<void> ListRounds::record_unproven(const std::vector<mirror::SliceTrouble>& walked)
{
    SHELFD_TRY_ASSIGN(known, context_.mirror.slices(resource_.name));
    std::map<std::string, std::string> sentences;
    for (const auto& list : walked) {
        sentences[list.name] = list.why;
    }
    std::vector<mirror::SliceTrouble> news;
    for (const auto& slice : known) {
        const auto found = sentences.find(slice.name);
        if (found != sentences.end() && found->second != slice.trouble) {
            news.push_back({slice.name, slice.first, slice.past, found->second});
        }
    }
    return news.empty() ? Result<void>() : context_.mirror.record_trouble(resource_.name, news);
}

std::string ListRounds::warning() const
{
    if (unproven_.empty()) {
        return "";
    }
    const auto others = unproven_.size() - 1;
    return unproven_.begin()->second +
           (others == 0 ? "" : fmt::format("; and {} other list{}", others, others == 1 ? "" : "s"));
}

asio::awaitable<void> ListRounds::learn(const PassReport& report)
{
    if (!report.lists.whole.empty()) {
        auto record = [this, &report] { return record_unproven(report.lists.whole); };
        if (const auto recorded = co_await context_.lane.run(record); !recorded) {
            context_.log.debug("cannot record which lists were not proven: " + recorded.error().text(),
                               {{"library", context_.library.name}, {"resource", resource_.name}});
        }
    }
    // Only a backfill is a try: an ordinary round walks the lists because they are due.
    const bool is_try = kind_ == Kind::backfill;
    std::map<std::string, std::uint32_t> again;
    for (const auto& list : report.lists.again) {
        const auto before = again_.find(list.parent);
        const auto tries = before == again_.end() ? 0 : before->second + (is_try ? 1U : 0U);
        if (list.failed || tries < max_tries_again) {
            again.emplace(list.parent, tries);
        }
    }
    if (kind_ == Kind::changes) {
        again.merge(again_);  // a round for changes proves no list
    }
    again_ = std::move(again);
    if (report.trouble == Trouble::none) {
        failed_.clear();  // failures of single lists were recorded
    }
    failed_.insert(report.lists.failed.begin(), report.lists.failed.end());
    if (again_.empty()) {
        backoff_.reset();
        again_at_.reset();
    } else if (is_try || !again_at_) {
        again_at_ = context_.clock.now() + backoff_.next(context_.random());
    }
}

}  // namespace shelfd::sync
