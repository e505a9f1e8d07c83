#include "sync/inquiry/verification.hpp"

#include "http/url.hpp"
#include "mirror/json/exclusion.hpp"
#include "mirror/json/item_key.hpp"
#include "mirror/json/object.hpp"
#include "mirror/json/placing.hpp"
#include "mirror/json/text.hpp"
#include "mirror/lists/parents.hpp"
#include "sync/inquiry/inquiry.hpp"
#include "sync/plan/pass_plan.hpp"
#include "sync/service/item_address.hpp"
#include "sync/service/page_answer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace shelfd::sync {
namespace {

struct Subject {
    std::string key;                    // JSON
    std::optional<std::string> item;    // as in the mirror
    std::optional<std::string> listed;  // as shown by the list; equal to `item` for rows of the list
};

// Tries the key as JSON, then as a text.
Result<Subject> find_item(mirror::Mirror& mirror, const std::string& table, const std::string& typed)
{
    auto item = mirror.item(table, typed);
    if (item && *item) {
        return Subject{typed, std::move(*item), {}};
    }
    // An invalid key may be a text; no other error shows that the row is missing.
    const auto is_no_key = [](const auto& found) { return !found && found.error().kind() == ErrorKind::usage; };
    if (!item && !is_no_key(item)) {
        return std::move(item).error();
    }
    auto as_text = mirror::quoted_json(typed);
    auto text_item = mirror.item(table, as_text);
    if (is_no_key(text_item)) {
        return item ? Subject{typed, {}, {}} : Result<Subject>(std::move(item).error());
    }
    if (!text_item) {
        return std::move(text_item).error();
    }
    if (*text_item) {
        return Subject{std::move(as_text), std::move(*text_item), {}};
    }
    return Subject{mirror::read_key(typed) ? typed : std::move(as_text), {}, {}};
}

// In the lane.
Result<Subject> find_subject(mirror::Mirror& mirror, const std::string& resource, const std::string& table,
                             const std::string& typed)
{
    auto subject = find_item(mirror, table, typed);
    if (!subject) {
        return subject;
    }
    subject->listed = subject->item;
    if (table != resource) {
        auto row = mirror.item(resource, subject->key);
        subject->listed = row ? std::move(*row) : std::nullopt;
    }
    return subject;
}

// The newest repair that emptied the mirror; empty: there is none.
std::optional<mirror::Repair> last_refill(const std::vector<mirror::Repair>& repairs)
{
    const auto found = std::find_if(repairs.begin(), repairs.end(), [](const auto& one) { return !one.of_rows; });
    return found == repairs.end() ? std::nullopt : std::optional(*found);
}

// In the lane. Only rows that came from the service may be compared, not the empty file that replaced a damaged one.
// `known`: the last refill when the comparison began.
std::optional<Error> refuse_unloaded(mirror::Mirror& mirror, const std::string& table, std::optional<Instant> known)
{
    const auto refill = last_refill(mirror.repairs());
    if (refill && refill->at != known) {
        return Error(ErrorKind::not_found, fmt::format("there is nothing to compare now: the mirror {}; {}. Compare "
                                                       "again after it is filled (see: shelfctl status)",
                                                       refill->found, refill->done));
    }
    const auto summary = mirror.summary(table);
    if (summary && *summary && (*summary)->rows == 0 && !(*summary)->as_of) {
        return Error(ErrorKind::not_found, table + " has no rows to compare yet: it is filled first");
    }
    return std::nullopt;
}

// In the lane.
Result<std::vector<std::string>> keys_of(mirror::Mirror& mirror, const VerifyOrder& order, double random)
{
    if (!order.keys.empty()) {
        return order.keys;
    }
    auto sampled = mirror.sample_keys(order.table, order.sample, random);
    if (sampled && sampled->empty()) {
        return Error(ErrorKind::not_found,
                     order.table + (order.as_of ? " has no rows to compare: the service listed none"
                                                : " has no rows to compare yet (see: shelfctl status)"));
    }
    return sampled;
}

// The text of a member that is a string; "" if there is none.
std::string text_member(std::string_view item, const std::string& name)
{
    const std::array<std::string, 1> wanted = {name};
    std::vector<mirror::Member> found(1);
    std::string text;
    if (mirror::find_members(item, wanted, found) == nullptr && !found[0].value.empty() &&
        found[0].type == mirror::JsonType::string) {
        mirror::unescape(found[0].inside(), text);
    }
    return text;
}

// The path of the list followed by the item's own key, if that is one member; for a list that is one object, the path.
std::string address_in_list(const config::Resource& resource, const std::string& json)
{
    const auto key = mirror::read_key(json);
    if (!key || key->size() != resource.row_key().size()) {
        return "";
    }
    const auto path = list_path(resource, mirror::ItemKey{key->first, {}}.to_json());
    if (http::has_dot_segment(path)) {
        return "";
    }
    if (resource.answers == config::Answers::object) {
        return path;
    }
    if (resource.own_key().size() != 1) {
        return "";
    }
    const auto& part = (*key)[key->size() - 1];
    const bool slash = path.ends_with('/');
    auto address = path + (slash ? "" : "/") +
                   http::percent_encode(part.is_text ? part.text : std::to_string(part.integer)) + (slash ? "/" : "");
    return http::has_dot_segment(address) ? "" : address;
}

// The target that requests the item; "" if none is known at the service's origin.
std::string address_of(const LibraryContext& context, const config::Resource& resource, const Subject& subject)
{
    std::string address;
    if (subject.listed) {
        for (const auto& member : address_members(resource)) {
            address = address.empty() ? text_member(*subject.listed, member) : address;
        }
    }
    if (auto target = item_target(context.library, resource, subject.key, address)) {
        return std::move(*target);
    }
    const auto in_list = address_in_list(resource, subject.key);
    return in_list.empty() ? "" : with_fixed_params(context.library, in_list);
}

// When the service last changed the item, by the item's own date.
std::optional<Instant> modified_at(const config::Resource& resource, std::string_view item)
{
    const auto field = resource.incremental ? resource.incremental->field : std::string("modified_date");
    return Instant::from_rfc3339(text_member(item, field));
}

// The error that also prevents all further requests. `paused_until`: of the limiter, after it has seen the answer.
std::optional<Error> refusal(const Result<http::Response>& outcome, const std::optional<Instant>& paused_until,
                             const std::string& library)
{
    if (!outcome) {
        return outcome.error();
    }
    if (is_limited(*outcome)) {
        return Error(ErrorKind::throttled,
                     fmt::format("rate limited by the service ({}): no requests until {}; try again then",
                                 outcome->status, paused_until ? paused_until->to_short_text() : "a minute from now"));
    }
    switch (outcome->status) {
    case 401:
        return Error(ErrorKind::needs_person, "the access token was refused (401), and a comparison does not refresh "
                                              "it: wait for the next pass (shelfctl status), then try again");
    case 403:
        return Error(ErrorKind::needs_person,
                     fmt::format("the service does not show single items of this list to this token set (403): a scope "
                                 "or a permission is missing; what the set may do: shelfctl auth status {}",
                                 library));
    default: return std::nullopt;
    }
}

// Adds the parent as the mirror does: the list determines it, and the item need not contain it.
Result<std::string> with_parent(std::string item, const config::Resource& resource, const std::string& json)
{
    const auto key = mirror::read_key(json).value_or(mirror::ItemKey());
    SHELFD_TRY_ASSIGN(
        items, mirror::with_member("[" + item + "]", resource.parent->as, mirror::ItemKey{key.first, {}}.to_json()));
    return items.substr(1, items.size() - 2);
}

// The key in the item itself; empty if a part of it is missing or unusable.
std::optional<mirror::ItemKey> named_key(std::string_view item, const std::vector<std::string>& members)
{
    std::vector<mirror::Member> found(members.size());
    if (found.empty() || mirror::find_members(item, members, found) != nullptr) {
        return std::nullopt;
    }
    std::vector<mirror::KeyPart> parts;
    for (const auto& member : found) {
        auto part = member.value.empty() ? std::nullopt : mirror::key_part(member);
        if (!part) {
            return std::nullopt;
        }
        parts.push_back(std::move(*part));
    }
    return mirror::ItemKey{std::move(parts.front()), {parts.begin() + 1, parts.end()}};
}

// For a key that the mirror lacks: checks that the service's answer is the item with that key.
void judge_missing(VerifiedItem& verified, const config::Resource& resource, std::string_view theirs)
{
    const bool by_itself = resource.answers == config::Answers::object;
    const auto named = by_itself ? std::nullopt : named_key(theirs, resource.row_key());
    if (!by_itself && (!named || named->to_json() != verified.key)) {
        verified.verdict = Verified::not_compared;
        verified.why =
            named ? "the mirror has no such row, and the service answered with another item, " + named->to_json()
                  : "the mirror has no such row, and the service answered with an item without a key";
        return;
    }
    verified.verdict = Verified::missing;
    verified.why = "the service has this item, the mirror has no such row";
}

// In the lane. `ours` is empty if the mirror has no such row.
Result<void> compare(VerifiedItem& verified, const config::Resource& resource, const std::optional<std::string>& ours,
                     const http::Response& response)
{
    switch (classify_row(response)) {
    case RowAnswer::gone:
        verified.verdict = ours ? Verified::gone : Verified::not_here;
        verified.why = ours ? fmt::format("the service has no such item ({})", response.status)
                            : "neither the mirror nor the service has such an item";
        return {};
    case RowAnswer::there: break;
    default:
        verified.verdict = Verified::not_compared;
        verified.why = fmt::format("{}the service answered {} with something that is not an item",
                                   ours ? "" : "the mirror has no such row, and ", response.status);
        return {};
    }
    auto theirs = mirror::Exclusion(resource.exclude).apply(response.body);
    if (theirs && resource.parent) {
        theirs = with_parent(std::move(*theirs), resource, verified.key);
    }
    if (!theirs) {
        return theirs.error();
    }
    verified.modified = modified_at(resource, *theirs);
    if (!ours) {
        judge_missing(verified, resource, *theirs);
        return {};
    }
    SHELFD_TRY_ASSIGN(differences, mirror::compare_items(*ours, *theirs));
    verified.differences = std::move(differences);
    verified.verdict = verified.differences.empty() ? Verified::equal : Verified::differs;
    return {};
}

// Returns the verdict for one item, or the error that ends the comparison.
asio::awaitable<Result<VerifiedItem>> verify_one(LibraryContext& context, const config::Resource& resource,
                                                 const Subject& subject, Inquiry& inquiry)
{
    VerifiedItem verified;
    verified.key = subject.key;
    verified.address = address_of(context, resource, subject);
    if (verified.address.empty()) {
        verified.verdict = subject.item ? Verified::not_compared : Verified::not_here;
        verified.why = subject.item ? "it has no address of its own at the service (no member url, no path in detail, "
                                      "and no address can be made from its list)"
                                    : "the mirror has no such row, and no address is known to request it";
        co_return verified;
    }
    auto outcome = co_await inquiry.ask(verified.address);
    if (auto refused = refusal(outcome, context.limiter.status().paused_until, context.library.name)) {
        co_return std::move(*refused);
    }
    auto work = [&] { return compare(verified, resource, subject.item, *outcome); };
    SHELFD_CO_TRY(co_await context.lane.run(work));
    co_return verified;
}

}  // namespace

std::string_view to_string(Verified verdict)
{
    switch (verdict) {
    case Verified::equal: return "equal";
    case Verified::differs: return "differs";
    case Verified::gone: return "gone";
    case Verified::missing: return "missing";
    case Verified::not_here: return "not_here";
    case Verified::not_compared: return "not_compared";
    }
    std::abort();
}

asio::awaitable<Result<void>> verify(LibraryContext& context, const config::Resource& resource, VerifyOrder order,
                                     std::function<void(const VerifiedItem&)> tell)
{
    const auto refill = last_refill(context.state.repairs);
    const auto known = refill ? std::optional(refill->at) : std::nullopt;
    auto choose = [&, random = context.random()]() -> Result<std::vector<std::string>> {
        auto chosen = keys_of(context.mirror, order, random);
        auto refused = refuse_unloaded(context.mirror, order.table, known);
        return refused ? std::move(*refused) : std::move(chosen);
    };
    SHELFD_CO_TRY_ASSIGN(keys, co_await context.lane.run(choose));
    Inquiry inquiry(context, resource.name, budget::Reason::verify);
    for (const auto& key : keys) {
        // One at a time: rows may be large, and passes need the lane.
        auto find = [&]() -> Result<Subject> {
            auto found = find_subject(context.mirror, resource.name, order.table, key);
            auto refused = refuse_unloaded(context.mirror, order.table, known);
            return refused ? std::move(*refused) : std::move(found);
        };
        SHELFD_CO_TRY_ASSIGN(subject, co_await context.lane.run(find));
        SHELFD_CO_TRY_ASSIGN(verified, co_await verify_one(context, resource, subject, inquiry));
        verified.changed_since = verified.modified && order.as_of && verified.modified > *order.as_of;
        tell(verified);
    }
    co_return Result<void>();
}

}  // namespace shelfd::sync
