#include "mirror/columns/columns.hpp"
#include "mirror/columns/item_reader.hpp"
#include "mirror/details/details.hpp"
#include "mirror/json/page.hpp"
#include "mirror/json/placing.hpp"
#include "mirror/json/text.hpp"
#include "mirror/mirror.hpp"
#include "mirror/mirror_contents.hpp"
#include "mirror/pass_walk.hpp"
#include "mirror/records/resource.hpp"
#include "mirror/values/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {

namespace {

Result<ResourceFacts> facts_of_list(storage::Database& database, const std::string& resource)
{
    SHELFD_TRY_ASSIGN(facts, load_facts(database, resource));
    if (!facts) {
        return Error(ErrorKind::not_found, fmt::format("the mirror has no table {}", resource));
    }
    SHELFD_TRY_ASSIGN(has_details, DetailQueue(database, resource, facts->key.size()).exists());
    return has_details ? Result(std::move(*facts))
                       : Error(ErrorKind::usage, fmt::format("{} has no details", resource));
}

std::string text_of_member(const std::vector<ItemMember>& item, const std::string& name)
{
    std::string text;
    const auto key = quoted_json(name);
    for (const auto& member : item) {
        if (member.key == key && member.value.starts_with('"')) {
            text.clear();
            unescape(std::string_view(member.value).substr(1, member.value.size() - 2), text);
        }
    }
    return text;
}

// Sets the own addresses of items, as their rows in the list state them.
Result<void> find_addresses(storage::Database& database, const ResourceFacts& facts, const std::string& member,
                            std::vector<DetailItem>& items)
{
    SHELFD_TRY_ASSIGN(columns, Columns::load(database, facts.name, facts.key));
    SHELFD_TRY_ASSIGN(finder, RowFinder::open(database, facts.name, facts.name, columns));
    for (auto& item : items) {
        const auto key = read_key(item.key);
        SHELFD_TRY_ASSIGN(row, key ? finder.find(*key) : std::optional<std::vector<ItemMember>>());
        item.address = row ? text_of_member(*row, member) : "";
    }
    return {};
}

// Returns the item as a page; for lists by parent with the member that names the parent.
Result<std::string> page_of(const std::string& body, const ItemKey& key, const std::string& parent_member)
{
    const auto begin = body.find_first_not_of(" \t\r\n");
    if (begin != std::string::npos && body[begin] == '[') {
        return Error(ErrorKind::protocol, "the address answered with a list instead of one item");
    }
    auto page = "[" + body + "]";
    return parent_member.empty() ? page : with_member(page, parent_member, ItemKey{key.first, {}}.to_json());
}

// Returns "" if `page` has exactly the item with this key; otherwise why it has not.
std::string fault_of(PageReader& reader, const Result<std::string>& items, const std::string& key)
{
    auto page = items ? reader.read(*items) : items.error();
    if (!page) {
        return page.error().text();
    }
    if (page->items.size() != 1) {
        return "the address answered without an item";
    }
    const auto found = page->items.front().key.to_json();
    return found == key ? "" : fmt::format("the address answered with another item, {}", found);
}

}  // namespace

Result<DetailFacts> Mirror::details(const std::string& resource, Instant again_before)
{
    return contents_->file.with_file([&](storage::Database& database) -> Result<DetailFacts> {
        SHELFD_TRY_ASSIGN(facts, facts_of_list(database, resource));
        return count_details(database, facts, contents_->options.clock.now(), again_before);
    });
}

Result<void> Mirror::end_postponement(const std::string& resource)
{
    return contents_->file.in_transaction([&](storage::Database& database) -> Result<void> {
        SHELFD_TRY_ASSIGN(facts, facts_of_list(database, resource));
        return DetailQueue(database, resource, facts.key.size()).end_postponement(contents_->options.clock.now());
    });
}

Result<std::vector<DetailItem>> Mirror::next_details(const std::string& resource, const DetailShare& share)
{
    return contents_->file.with_file([&](storage::Database& database) -> Result<std::vector<DetailItem>> {
        SHELFD_TRY_ASSIGN(facts, facts_of_list(database, resource));
        DetailQueue queue(database, resource, facts.key.size());
        SHELFD_TRY_ASSIGN(items, queue.next(share, contents_->options.clock.now()));
        const auto spec = contents_->tables.spec_of(resource);
        if (spec.detail && !spec.detail->address_member.empty()) {
            SHELFD_TRY(find_addresses(database, facts, spec.detail->address_member, items));
        }
        return std::move(items);
    });
}

Result<DetailOutcome> Mirror::put_details(const std::string& resource, const DetailRun& run,
                                          std::span<const DetailAnswer> answers)
{
    return contents_->file.with_file([&](storage::Database&) { return put_details_once(resource, run, answers); });
}

Result<DetailOutcome> Mirror::put_details_once(const std::string& resource, const DetailRun& run,
                                               std::span<const DetailAnswer> answers)
{
    const auto name = detail_name(resource);
    const PassStart start{.run_id = run.run_id, .mode = RunMode::detail, .started = run.started};
    SHELFD_TRY_ASSIGN(begun, begin_pass(name, start));
    auto& pass = *begun;
    auto& database = pass.walk_->database;
    const auto& key_names = pass.walk_->facts.key;
    DetailQueue queue(database, resource, key_names.size());
    PageReader reader(name, key_names);
    const auto parent_member = contents_->tables.spec_of(resource).parent_member;
    DetailBatch batch(database, pass.walk_->facts, run, contents_->options.clock.now());
    DetailOutcome outcome;
    for (const auto& answer : answers) {
        const auto key = read_key(answer.key);
        SHELFD_TRY_ASSIGN(listed, key ? queue.contains(*key) : Result<bool>(false));
        if (!listed) {
            ++outcome.unlisted;
            continue;
        }
        const bool is_item = answer.kind == DetailAnswer::Kind::item;
        const auto items = is_item ? page_of(answer.body, *key, parent_member) : Result<std::string>("");
        auto why = is_item ? fault_of(reader, items, answer.key) : answer.why;
        if (is_item && why.empty()) {
            auto staged = pass.add_page(*items, Commit::may_wait);
            if (!staged && staged.error().kind() != ErrorKind::protocol) {
                return std::move(staged).error();
            }
            why = staged ? "" : staged.error().text();
            outcome.withheld = run.new_rows == NewRows::withheld && staged && staged->fresh > 0;
            if (outcome.withheld) {
                pass.abandon();
                return outcome;
            }
        }
        if (answer.kind == DetailAnswer::Kind::gone) {
            batch.gone(*key, answer);
        } else if (why.empty()) {
            batch.took(*key, answer);
        } else {
            if (is_item) {
                outcome.unreadable.push_back({answer.key, why});
            }
            batch.failed(*key, answer, std::move(why));
        }
    }
    if (run.losing == Losing::withheld) {
        SHELFD_TRY_ASSIGN(loss, pass.value_loss());
        if (loss.any()) {
            pass.abandon();
            outcome.withheld = true;
            outcome.loss = loss;
            return outcome;
        }
    } else if (run.losing == Losing::spared) {
        SHELFD_TRY(pass.keep_members());
    }
    SHELFD_TRY(pass.publish_details(batch, outcome));
    return outcome;
}

}  // namespace shelfd::mirror
