// What is found out about a list, by tries and by its passes.
#include "sync/answer.hpp"
#include "sync/page_fetcher.hpp"
#include "sync/pass_chooser.hpp"

#include <fmt/core.h>

namespace shelfd::sync {
namespace {

using mirror::Obedience;

// No row was changed later than that.
constexpr Duration far_future = std::chrono::hours(24 * 3650);

// Unknown where the answer says nothing about the filter. In the lane: a filter that is ignored may bring many rows.
Obedience read_verdict(std::string& body, config::Answers answers)
{
    const auto page = read_page(body, answers);
    if (!page) {
        return Obedience::unknown;
    }
    const bool empty = page->count ? *page->count == 0 : page->results.find('{') == std::string_view::npos;
    return empty ? Obedience::obeyed : Obedience::ignored;
}

}  // namespace

asio::awaitable<void> PassChooser::look_at_rows()
{
    auto look = co_await ledger_->look_at_rows(discovery_, spent_);
    if (!look) {
        co_return;  // what was known before stays known
    }
    window_fault_ = std::move(look->fault);
    if (look->form.empty() || !window_fault_.empty()) {
        co_return;  // looked for again with the next pass
    }
    discovery_.place_form = std::move(look->form);
    discovery_.looked_at = context_.clock.now();
    co_await save();
}

asio::awaitable<void> PassChooser::try_filter()
{
    PageFetcher fetcher(context_, resource_, path(), budget::Purpose::incremental);
    auto query = filter_query(context_.library, resource_, discovery_, context_.clock.now() + far_future);
    auto fetched = co_await fetcher.fetch(std::move(query), budget::Reason::filter_try);
    spent_.add(fetcher.sent());
    if (fetched.no_token) {
        co_return;
    }
    const auto kind = classify(fetched.outcome).kind;
    auto verdict = Obedience::unknown;
    if (kind == AnswerKind::page) {
        auto read = [&] { return read_verdict(fetched.outcome->body, resource_.answers); };
        verdict = co_await context_.lane.run(read);
    } else if (kind == AnswerKind::bad_request) {
        verdict = Obedience::refused;
    }
    if (verdict == Obedience::unknown) {
        co_return;  // what is known stays; the pass meets the same trouble, and deals with it
    }
    discovery_.filter = verdict;
    discovery_.filter_tried_at = context_.clock.now();
    co_await save();
    warn("");
}

asio::awaitable<void> PassChooser::learn(const PassReport& pass)
{
    if (children_) {
        children_->learn(pass);
    } else if (ledger_) {
        ledger_->learn(pass);
    }
    if (pass.known) {
        discovery_ = *pass.known;
    } else if (pass.published || children_) {
        if (const auto loaded = co_await load(); !loaded) {
            co_return;  // the next pass meets the same disk, and reports it
        }
    }
    auto learned = discovery_;
    if (pass.published && !pass.learned.envelope.empty()) {
        learned.envelope = pass.learned.envelope;
    }
    if (pass.learned.ordering != Obedience::unknown) {
        learned.ordering = pass.learned.ordering;
        if (is_look_due(discovery_.looked_at)) {
            learned.looked_at = pass.started;
        }
    }
    const bool disobeyed = !pass.learned.unsolicited.empty();
    if (disobeyed) {
        learned.filter = Obedience::ignored;
        learned.filter_tried_at = context_.clock.now();
    }
    if (learned != discovery_) {
        discovery_ = std::move(learned);
        co_await save();
    }
    if (disobeyed) {
        warn(fmt::format("a row came whose {} is {}, though only later changes were asked for: ",
                         resource_.incremental->field, pass.learned.unsolicited));
    }
}

void PassChooser::warn(const std::string& seen) const
{
    if (const auto text = warning(); !text.empty()) {
        context_.log.warning(fmt::format("{} of {}: {}{}", resource_.name, context_.library.name, seen, text),
                             {{"library", context_.library.name}, {"resource", resource_.name}});
    }
}

asio::awaitable<void> PassChooser::save()
{
    auto write = [this] { return context_.mirror.set_discovery(resource_.name, discovery_); };
    if (const auto saved = co_await context_.lane.run(write); !saved) {
        context_.log.debug("cannot keep what was learned: " + saved.error().text(),
                           {{"library", context_.library.name}, {"resource", resource_.name}});
    }
}

std::string PassChooser::warning() const
{
    const bool is_unused = discovery_.filter == Obedience::ignored || discovery_.filter == Obedience::refused;
    if (!resource_.incremental || !is_unused) {
        return "";
    }
    return fmt::format("the service {} the filter {}, so every pass walks the whole list; correct `incremental`, or "
                       "drop it",
                       discovery_.filter == Obedience::ignored ? "ignores" : "refuses", resource_.incremental->param);
}

}  // namespace shelfd::sync
