#include "sim/control_verbs.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace shelfd::sim {

namespace {

std::optional<std::int64_t> integer_of(const Json& value)
{
    std::int64_t number = 0;
    const auto* end = value.text.data() + value.text.size();
    const bool whole = value.is(Json::Type::number) && std::from_chars(value.text.data(), end, number).ptr == end;
    return whole ? std::optional(number) : std::nullopt;
}

// "add": a number of seeded rows or an array of objects; "delete": a number of the newest or an array of ids.
Edit read_edit(MemberReader& reader)
{
    Edit edit;
    if (const auto* add = reader.member("add")) {
        edit.add = add->items;
        edit.add_seeded = add->is(Json::Type::number) ? reader.whole("add", 0) : 0;
    }
    if (const auto* change = reader.member("change")) {
        edit.change = change->items;
    }
    if (const auto* remove = reader.member("delete")) {
        edit.remove_newest = remove->is(Json::Type::number) ? reader.whole("delete", 0) : 0;
        for (const auto& id : remove->items) {
            if (const auto number = integer_of(id)) {
                edit.remove.push_back(*number);
            } else {
                reader.complain("delete", "must be a number or an array of ids");
            }
        }
    }
    return edit;
}

std::optional<Consent> consent_from(std::string_view word)
{
    if (word == "form") {
        return Consent::form;
    }
    if (word == "automatic") {
        return Consent::automatic;
    }
    if (word == "refused") {
        return Consent::refused;
    }
    return word == "signed_out" ? std::optional(Consent::signed_out) : std::nullopt;
}

}  // namespace

Result<Json> edit_rows(World& world, MemberReader& reader)
{
    const auto path = reader.word("path");
    const auto name = reader.word("library");
    const auto after_page = reader.whole("after_page", 0);
    auto edit = read_edit(reader);
    if (auto complaint = reader.first_complaint()) {
        return Error(ErrorKind::usage, std::move(*complaint));
    }
    auto* library = find_library(world, name);
    auto* list = library == nullptr ? nullptr : world.find_list(*library, path);
    if (list == nullptr) {
        return Error(ErrorKind::usage, "no such library or path");
    }
    if (after_page > 0) {
        list->apply_after(after_page, std::move(edit));
    } else {
        list->apply(edit, world.now());
    }
    return Json::object({{"rows", std::uint64_t(list->size())}});
}

Result<Json> change_policy(World& world, MemberReader& reader)
{
    auto policy = world.tokens.policy;
    policy.grace = std::chrono::seconds(reader.whole("grace", static_cast<std::size_t>(policy.grace.count())));
    const auto lifetime = static_cast<std::size_t>(policy.expires_in.count());
    policy.expires_in = std::chrono::seconds(reader.whole("expires_in", lifetime));
    policy.family_revocation = reader.flag("family_revocation", policy.family_revocation);
    policy.rotation = reader.flag("rotation", policy.rotation);
    auto consent = std::optional(world.consent);
    if (const auto word = reader.word("consent"); !word.empty()) {
        consent = consent_from(word);
    }
    if (!consent) {
        reader.complain("consent", "must be \"form\", \"automatic\", \"refused\" or \"signed_out\"");
    }
    const auto redirect_uri = reader.word("redirect_uri");
    auto* library = find_library(world, reader.word("library"));
    if (library == nullptr) {
        reader.complain("library", "is not known");
    }
    if (auto complaint = reader.first_complaint()) {
        return Error(ErrorKind::usage, std::move(*complaint));
    }
    world.tokens.policy = policy;
    world.consent = *consent;
    if (!redirect_uri.empty()) {
        library->redirect_uris.push_back(redirect_uri);
    }
    return done();
}

Result<Json> change_throttle(World& world, MemberReader& reader)
{
    ThrottlePolicy policy;
    if (const auto* limit = reader.member("limit"); limit != nullptr && !limit->is(Json::Type::null)) {
        policy.limit = reader.whole("limit", 0);
    }
    const auto headers = rate_headers_from(reader.word("headers", "none"));
    if (!headers) {
        reader.complain("headers", "must be \"none\", \"x_ratelimit\", \"ratelimit\" or \"combined\"");
    }
    const auto retry_after = reader.word("retry_after", "seconds");
    if (retry_after != "seconds" && retry_after != "date") {
        reader.complain("retry_after", "must be \"seconds\" or \"date\"");
    }
    if (auto complaint = reader.first_complaint()) {
        return Error(ErrorKind::usage, std::move(*complaint));
    }
    policy.headers = *headers;
    policy.retry_after = retry_after == "date" ? RetryAfter::http_date : RetryAfter::seconds;
    world.throttle = policy;
    return done();
}

namespace {

ListHabits read_habits(MemberReader& reader)
{
    ListHabits habits;
    habits.cap = reader.whole("cap", 0);
    habits.deepest_page = reader.whole("deepest_page", 0);
    struct Flag {
        std::string_view name;
        bool ListHabits::*member;
    };
    constexpr Flag flags[] = {
        {"skips_capped", &ListHabits::skips_capped},       {"ends_early", &ListHabits::ends_early},
        {"pages_from_0", &ListHabits::pages_from_0},       {"names_one_more", &ListHabits::names_one_more},
        {"omits_next", &ListHabits::omits_next},           {"null_for_no_rows", &ListHabits::null_for_no_rows},
        {"bare_single_row", &ListHabits::bare_single_row}, {"no_content", &ListHabits::no_content},
        {"partial_content", &ListHabits::partial_content},
    };
    for (const auto& flag : flags) {
        habits.*flag.member = reader.flag(flag.name, false);
    }
    if (const auto count = reader.word("count"); !count.empty()) {
        habits.count = count;
    }
    constexpr std::pair<std::string_view, Paging> ways[] = {{"page", Paging::page},
                                                            {"page_from_0", Paging::page_from_0},
                                                            {"offset", Paging::offset},
                                                            {"page_size", Paging::page_size},
                                                            {"nothing", Paging::nothing}};
    const auto word = reader.word("obeys", "page");
    const auto* found =
        std::find_if(std::begin(ways), std::end(ways), [&](const auto& way) { return way.first == word; });
    if (found == std::end(ways)) {
        reader.complain("obeys", "must be \"page\", \"page_from_0\", \"offset\", \"page_size\" or \"nothing\"");
    } else {
        habits.paging = found->second;
    }
    return habits;
}

}  // namespace

Result<Json> change_list(World& world, MemberReader& reader)
{
    const auto path = reader.word("path");
    ListQuirks quirks;
    if (const auto word = reader.word("envelope"); !word.empty()) {
        quirks.envelope = envelope_from(word);
        if (!quirks.envelope) {
            reader.complain("envelope", "must be \"page_number\", \"limit_offset\", \"cursor\" or \"array\"");
        }
    }
    if (const auto* ignores = reader.member("ignores")) {
        for (const auto& word : ignores->items) {
            quirks.ignores_filters = quirks.ignores_filters || word.text == "filters";
            quirks.ignores_ordering = quirks.ignores_ordering || word.text == "ordering";
        }
    }
    if (const auto* offset = reader.member("count_offset")) {
        quirks.count_offset = integer_of(*offset).value_or(0);
    }
    quirks.omits_count = reader.flag("omits_count", false);
    if (const auto base = reader.word("next_base"); !base.empty()) {
        quirks.next_base = base;
    }
    if (const auto* hidden = reader.member("hides")) {
        for (const auto& id : hidden->items) {
            quirks.hides.insert(integer_of(id).value_or(0));
        }
    }
    quirks.habits = read_habits(reader);
    quirks.next_is_self = reader.flag("next_is_self", false);
    if (sim::find_list(path) == nullptr) {
        reader.complain("path", "is no list");
    }
    if (auto complaint = reader.first_complaint()) {
        return Error(ErrorKind::usage, std::move(*complaint));
    }
    world.quirks(path) = std::move(quirks);
    return done();
}

}  // namespace shelfd::sim
