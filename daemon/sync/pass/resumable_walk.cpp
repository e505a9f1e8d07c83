#include "sync/pass/resumable_walk.hpp"

#include "base/sha256.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shelfd::sync {
namespace {

// For fewer pages, requesting them again costs less than keeping them.
constexpr std::uint64_t min_pages = 6;

// All that determines which rows the pages contain, and whose. Without a canary that names the library, another token
// set may belong to another customer.
std::string fingerprint(const ResumableWalk::Subject& subject, PassKind kind, const std::string& first_query)
{
    const auto& service = subject.library.service;
    const auto& resource = subject.resource;
    const auto owner = service.identity ? subject.set.library_id : fmt::format("generation {}", subject.set.generation);
    const auto text = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", service.base_url, owner, to_string(kind),
                                  subject.plan.path, first_query, static_cast<int>(resource.answers),
                                  fmt::join(resource.key, "\n"), fmt::join(resource.exclude, "\n"));
    return to_hex(sha256(text));
}

std::string fingerprint(const ResumableWalk::Subject& subject)
{
    return fingerprint(subject, subject.plan.kind, subject.plan.first_query);
}

std::string to_frame(const Page& page)
{
    return fmt::format("{} {} {}", to_string(page.envelope), page.count ? std::to_string(*page.count) : "-",
                       page.next_query ? "?" + page.next_query->text() : "");
}

std::optional<Page> from_frame(std::string_view frame)
{
    const auto take = [&frame] {
        const auto end = std::min(frame.find(' '), frame.size());
        const auto word = frame.substr(0, end);
        frame.remove_prefix(std::min(end + 1, frame.size()));
        return word;
    };
    const auto envelope = mirror::envelope_from(take());
    const auto count = take();
    if (!envelope) {
        return std::nullopt;
    }
    Page page;
    page.envelope = *envelope;
    if (std::uint64_t value = 0; std::from_chars(count.data(), count.data() + count.size(), value).ec == std::errc()) {
        page.count = value;
    }
    if (frame.starts_with('?')) {
        page.next_query.emplace(std::string(frame.substr(1)));
    }
    return page;
}

}  // namespace

ResumableWalk::ResumableWalk(const Subject& subject, Clock& clock, mirror::Mirror& mirror)
    : clock_(clock), mirror_(mirror), resource_(subject.resource.name),
      slice_(subject.plan.slice ? subject.plan.slice->name : ""),
      file_(mirror::page_record_name(mirror.path(), resource_)), plan_(fingerprint(subject)),
      whole_(subject.plan.whole_query.empty() ? "" : fingerprint(subject, PassKind::full, subject.plan.whole_query)),
      is_limited_(subject.library.service.requests_per_minute.has_value())
{
}

std::optional<Instant> ResumableWalk::left_by_another(const Subject& subject, const std::string& path, Instant now)
{
    const auto walk =
        mirror::KeptPages::look_at(mirror::page_record_name(path, subject.resource.name), fingerprint(subject), now);
    return walk ? std::optional(walk->as_of) : std::nullopt;
}

std::unique_ptr<RecalledPage> ResumableWalk::recall(const std::string& query, mirror::PassStart& start)
{
    if (!std::exchange(looked_, true) && !is_of_whole_walk()) {
        record_ = mirror::KeptPages::resume(file_, plan_, clock_.now());
        if (record_ && was_published()) {
            forget();
        }
        recalling_ = record_ != nullptr;
    }
    if (!recalling_) {
        return nullptr;
    }
    auto entry = record_->next();
    if (!entry) {
        recalling_ = false;
        return nullptr;
    }
    auto page = entry->query == query ? from_frame(entry->frame) : std::nullopt;
    if (!page) {
        forget();
        return nullptr;
    }
    any_page_ = true;
    start.as_of = record_->walk().as_of;
    start.token_generation = record_->walk().token_generation;
    auto recalled = std::make_unique<RecalledPage>(RecalledPage{std::move(*page), std::move(entry->results)});
    recalled->page.results = recalled->rows;
    return recalled;
}

bool ResumableWalk::is_of_whole_walk() const
{
    return !whole_.empty() && mirror::KeptPages::look_at(file_, whole_, clock_.now());
}

// A crash between publication and removal leaves pages of a walk that is visible already: they would bring old rows.
bool ResumableWalk::was_published()
{
    if (!slice_.empty()) {
        const auto slices = mirror_.slices(resource_);
        return !slices || std::any_of(slices->begin(), slices->end(), [this](const auto& slice) {
            return slice.name == slice_ && slice.as_of && *slice.as_of >= record_->walk().as_of;
        });
    }
    const auto summary = mirror_.summary(resource_);
    if (!summary) {
        return true;
    }
    return *summary && (*summary)->as_of && *(*summary)->as_of >= record_->walk().as_of;
}

bool ResumableWalk::is_long(const Page& page, std::uint64_t items) const
{
    return page.next_query && (!page.count || *page.count >= min_pages * items);
}

void ResumableWalk::keep(const std::string& query, const Page& page, std::uint64_t items,
                         const std::function<Result<std::string>()>& rows, const mirror::PassStart& start)
{
    const bool is_first = !std::exchange(any_page_, true);
    if (is_first && is_limited_ && is_long(page, items) && !is_of_whole_walk()) {
        auto begun = mirror::KeptPages::begin(file_, {plan_, start.as_of, start.token_generation});
        record_ = begun ? std::move(*begun) : nullptr;
    }
    if (!record_) {
        return;
    }
    auto kept = rows();
    if (!kept || !record_->append({clock_.now(), query, to_frame(page), std::move(*kept)})) {
        forget();
    }
}

void ResumableWalk::begin_anew()
{
    forget();
    any_page_ = false;
}

void ResumableWalk::forget()
{
    recalling_ = false;
    if (record_) {
        record_->remove();
        record_.reset();
    }
}

}  // namespace shelfd::sync
