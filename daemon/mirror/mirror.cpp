#include "mirror/mirror.hpp"

#include "mirror/columns/columns.hpp"
#include "mirror/columns/item_reader.hpp"
#include "mirror/declare/retype.hpp"
#include "mirror/deletions/held_rows.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/lists/parents.hpp"
#include "mirror/mirror_parts.hpp"
#include "mirror/pass_parts.hpp"
#include "mirror/records/runs.hpp"
#include "mirror/records/slices.hpp"
#include "mirror/rows/sample.hpp"
#include "mirror/staging/tables.hpp"
#include "mirror/values/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shelfd::mirror {
namespace {

// The same rows, as their own addresses say them.
ResourceSpec details_of(const ResourceSpec& list)
{
    return {.name = detail_name(list.name),
            .key = list.key,
            .late_after = list.detail->refresh_within,
            .changes = list.changes,
            .exclude = list.exclude,
            .detail_of = list.name,
            .source = list.detail->source};
}

// What a pass left that a crash ended.
Result<void> drop_left_over(storage::Database& database, const std::string& resource)
{
    auto there = has_table(database, seen_name(resource));
    return there && *there ? drop_staging(database, resource) : there ? Result<void>() : std::move(there).error();
}

Result<void> require_table(storage::Database& database, const std::string& table)
{
    auto there = has_table(database, table);
    if (there && !*there) {
        return Error(ErrorKind::corrupt, fmt::format("somebody took {} out of it", table));
    }
    return there ? Result<void>() : std::move(there).error();
}

}  // namespace

Mirror::Mirror(MirrorOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}

Mirror::~Mirror() = default;

Result<void> Mirror::open()
{
    return parts_->with_file([](storage::Database&) { return Result<void>(); });
}

Result<void> Mirror::declare(std::vector<ResourceSpec> resources)
{
    for (const auto& spec : resources) {
        if (spec.key.empty() || spec.name.empty() || spec.name.starts_with("_") || spec.name.starts_with("sqlite_") ||
            spec.name == "freshness") {
            return Error(ErrorKind::usage, fmt::format("\"{}\" cannot be a table", spec.name));
        }
    }
    parts_->specs = std::move(resources);
    for (std::size_t i = 0; i < parts_->specs.size(); ++i) {
        if (parts_->specs[i].detail) {
            const auto after = parts_->specs.begin() + static_cast<std::ptrdiff_t>(i) + 1;
            parts_->specs.insert(after, details_of(parts_->specs[i]));
        }
    }
    return parts_->with_file([this](storage::Database&) { return parts_->declare(parts_->specs); });
}

Result<std::unique_ptr<Pass::Parts>> Mirror::Parts::begin_pass(storage::Database& connected,
                                                               const std::string& resource, const PassStart& start)
{
    if (passes.contains(resource)) {
        return Error(ErrorKind::usage, fmt::format("a pass over {} is under way", resource));
    }
    SHELFD_TRY_ASSIGN(facts, load_facts(connected, resource));
    if (!facts) {
        return Error(ErrorKind::usage, fmt::format("{} is no resource of this mirror", resource));
    }
    if (start.slice.has_value() == facts->axis.empty()) {
        return Error(ErrorKind::usage,
                     fmt::format("{} is {}", resource, start.slice ? "not walked in slices" : "walked in slices"));
    }
    if (!start.slice && start.asks_changes && !facts->published) {
        return Error(ErrorKind::storage, fmt::format("{} is empty: only a full pass can fill it", resource));
    }
    SHELFD_TRY(require_table(connected, resource));
    SHELFD_TRY(drop_left_over(connected, resource));
    auto begun = start;
    if (begun.slice && begun.slice->is_list_by_parent()) {
        SHELFD_TRY_ASSIGN(number, number_of(connected, resource, begun.slice->name));
        begun.slice->first = number;
        begun.slice->past = number + 1;
        auto whole = start.asks_changes ? was_whole(connected, resource, *begun.slice) : Result<bool>(true);
        if (!whole || !*whole) {
            return whole ? Error(ErrorKind::storage, fmt::format("{} has nothing of the list of {}: only a walk over "
                                                                 "the whole of it can fill it",
                                                                 resource, begun.slice->name))
                         : std::move(whole).error();
        }
    }
    auto pass = std::make_unique<Pass::Parts>(connected, options, std::move(*facts), std::move(begun));
    const auto spec = spec_of(resource);
    pass->changes = spec.changes;
    pass->exclusion = Exclusion(spec.exclude);
    pass->keep_deleted = spec.keep_deleted;
    pass->ended = [this, resource](const std::optional<Error>& broken) {
        passes.erase(resource);
        if (broken && broken->kind() == ErrorKind::corrupt) {
            mark_suspect(*broken);
        }
        record_writing();
    };
    passes[resource] = pass.get();
    return pass;
}

Result<std::unique_ptr<Pass>> Mirror::begin_pass(const std::string& resource, const PassStart& start)
{
    return parts_->with_sound_file([&](storage::Database& database) -> Result<std::unique_ptr<Pass>> {
        SHELFD_TRY(parts_->check_other_tables(database));
        if (auto looked = start.asks_changes ? Result<void>() : parts_->verify_table_when_due(database, resource);
            !looked) {
            return std::move(looked).error();
        }
        SHELFD_TRY_ASSIGN(parts, parts_->begin_pass(database, resource, start));
        return std::unique_ptr<Pass>(new Pass(std::move(parts)));
    });
}

Result<void> Mirror::set_state(const std::string& resource, const ResourceState& state)
{
    return parts_->with_file([&](storage::Database& database) {
        return save_state(database, resource, state, parts_->options.clock.now());
    });
}

Result<void> Mirror::record_run(const RunRecord& run)
{
    return parts_->in_transaction([&](storage::Database& database) { return record_unpublished(database, run); });
}

Result<std::optional<ResourceSummary>> Mirror::summary(const std::string& resource)
{
    return parts_->with_file([&](storage::Database& database) { return summarise(database, resource); });
}

Result<Discovery> Mirror::discovery(const std::string& resource)
{
    const auto member = parts_->spec_of(resource).dated_by;
    return parts_->with_file([&](storage::Database& database) {
        auto known = load_discovery(database, resource);
        if (known && !member.empty()) {
            // A table that cannot be read is met, and said, by the next pass.
            const auto resolution = resolution_of_dates(database, resource, member);
            known->resolution = resolution ? *resolution : std::nullopt;
        }
        return known;
    });
}

Result<void> Mirror::set_discovery(const std::string& resource, const Discovery& discovery)
{
    return parts_->with_file(
        [&](storage::Database& database) { return save_discovery(database, resource, discovery); });
}

Result<std::optional<Instant>> Mirror::last_whole_run(const std::string& resource, const std::string& run_id)
{
    return parts_->with_file(
        [&](storage::Database& database) { return mirror::last_whole_run(database, resource, run_id); });
}

Result<std::vector<CanaryFitness>> Mirror::canaries()
{
    return parts_->with_file([](storage::Database& database) { return load_canaries(database); });
}

Result<void> Mirror::record_canary(const CanaryFitness& fitness)
{
    return parts_->with_file([&](storage::Database& database) { return save_canary(database, fitness); });
}

namespace {

std::string_view name_of(Fact fact)
{
    switch (fact) {
    case Fact::token_generation: return "token_generation";
    case Fact::library_id: return "library_id";
    case Fact::origin: return "origin";
    case Fact::snapshot_at: return "snapshot_at";
    }
    return "";
}

}  // namespace

Result<std::optional<std::string>> Mirror::fact(Fact fact)
{
    return parts_->with_file([&](storage::Database& database) { return read_meta(database, name_of(fact)); });
}

Result<void> Mirror::set_fact(Fact fact, std::string_view value)
{
    return parts_->with_file([&](storage::Database& database) { return write_meta(database, name_of(fact), value); });
}

namespace {

Result<std::optional<std::string>> read_item(storage::Database& database, const std::string& resource,
                                             const std::string& key)
{
    SHELFD_TRY_ASSIGN(facts, load_facts(database, resource));
    const auto wanted = read_key(key);
    if (!facts || !wanted || wanted->size() != facts->key.size()) {
        return Error(ErrorKind::usage, fmt::format("{} is no key of {}", key, resource));
    }
    SHELFD_TRY_ASSIGN(columns, Columns::load(database, resource, facts->key));
    SHELFD_TRY_ASSIGN(finder, RowFinder::open(database, resource, resource, columns));
    auto found = finder.find(*wanted);
    if (!found) {
        return std::move(found).error();
    }
    return *found ? std::optional(to_json(**found)) : std::nullopt;
}

}  // namespace

Result<std::optional<std::string>> Mirror::item(const std::string& resource, const std::string& key)
{
    return parts_->with_file([&](storage::Database& database) { return read_item(database, resource, key); });
}

Result<std::vector<std::string>> Mirror::sample_keys(const std::string& resource, std::uint64_t most, double random)
{
    return parts_->with_file([&](storage::Database& database) -> Result<std::vector<std::string>> {
        auto facts = load_facts(database, resource);
        if (!facts || !*facts) {
            return facts ? Error(ErrorKind::not_found, "there is no table " + resource) : std::move(facts).error();
        }
        return sample_rows(database, **facts, most, random);
    });
}

Result<RetypeOutcome> Mirror::retype(const std::string& resource, const std::string& column)
{
    return parts_->with_sound_file([&](storage::Database& database) -> Result<RetypeOutcome> {
        SHELFD_TRY_ASSIGN(facts, parts_->facts_to_change(resource));
        return retype_column(database, facts, column);
    });
}

Result<HeldList> Mirror::held(const std::string& resource, std::size_t most)
{
    return parts_->with_file([&](storage::Database& database) -> Result<HeldList> {
        ResourceFacts facts;
        facts.name = resource;
        SHELFD_TRY(count_held(database, facts));
        SHELFD_TRY_ASSIGN(rows, list_held(database, resource, most));
        return HeldList{std::move(rows), facts.held, facts.kept};
    });
}

Result<HeldOutcome> Mirror::decide(const std::string& resource, const HeldDecision& decision)
{
    return parts_->in_transaction([&](storage::Database& database) -> Result<HeldOutcome> {
        SHELFD_TRY_ASSIGN(facts, parts_->facts_to_change(resource));
        return decide_held(database, facts, decision, parts_->spec_of(resource), parts_->options.clock.now());
    });
}

void Mirror::mark_suspect(const Error& met)
{
    parts_->mark_suspect(met);
}

bool Mirror::has_news() const
{
    return parts_->has_news;
}

std::optional<std::string> Mirror::take_notice()
{
    parts_->has_news = false;
    return std::exchange(parts_->notice, std::nullopt);
}

bool Mirror::take_rebuilt()
{
    return std::exchange(parts_->rebuilt, false);
}

const std::vector<Repair>& Mirror::repairs() const
{
    return parts_->repairs;
}

std::string Mirror::path() const
{
    return parts_->file;
}

}  // namespace shelfd::mirror
