#include "mirror/mirror.hpp"

#include "base/words/key_form.hpp"
#include "mirror/columns/columns.hpp"
#include "mirror/columns/item_reader.hpp"
#include "mirror/declare/retype.hpp"
#include "mirror/deletions/held_rows.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/mirror_parts.hpp"
#include "mirror/pass_parts.hpp"
#include "mirror/records/feed_consumers.hpp"
#include "mirror/records/library.hpp"
#include "mirror/records/runs.hpp"
#include "mirror/records/slices.hpp"
#include "mirror/rows/sample.hpp"

#include <fmt/format.h>

#include <utility>

namespace shelfd::mirror {

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

Result<std::optional<std::string>> read_item(storage::Database& database, const std::string& resource,
                                             const std::string& key)
{
    SHELFD_TRY_ASSIGN(facts, load_facts(database, resource));
    const auto wanted = read_key(key);
    if (!facts) {
        return Error(ErrorKind::not_found, "there is no table " + resource);
    }
    if (!wanted || wanted->size() != facts->key.size()) {
        return Error(ErrorKind::usage, fmt::format("{} is not a key of {}: {}", key, resource, key_form(facts->key)));
    }
    SHELFD_TRY_ASSIGN(columns, Columns::load(database, resource, facts->key));
    SHELFD_TRY_ASSIGN(finder, RowFinder::open(database, resource, resource, columns));
    SHELFD_TRY_ASSIGN(found, finder.find(*wanted));
    return found ? std::optional(to_json(*found)) : std::nullopt;
}

// The library may have been renamed, with its mirror.
Result<void> take_name(storage::Database& database, const std::string& library)
{
    SHELFD_TRY_ASSIGN(known, read_meta(database, "library"));
    return known == library ? Result<void>() : write_meta(database, "library", library);
}

}  // namespace

Mirror::Mirror(MirrorOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}

Mirror::~Mirror() = default;

Result<void> Mirror::open()
{
    return parts_->file.with_file([](storage::Database&) { return Result<void>(); });
}

Result<void> Mirror::declare(std::vector<ResourceSpec> resources)
{
    SHELFD_TRY(parts_->tables.set(std::move(resources)));
    return parts_->file.with_file([this](storage::Database& database) -> Result<void> {
        SHELFD_TRY(take_name(database, parts_->options.library));
        return parts_->file.make_tables();
    });
}

Result<std::unique_ptr<Pass>> Mirror::begin_pass(const std::string& resource, const PassStart& start)
{
    auto& parts = *parts_;
    const auto ended = [&file = parts.file](const std::optional<Error>& broken) {
        if (broken && broken->kind() == ErrorKind::corrupt) {
            file.mark_suspect(*broken);
        }
        file.record_writing();
    };
    return parts.file.with_sound_file([&](storage::Database& database) -> Result<std::unique_ptr<Pass>> {
        SHELFD_TRY(parts.file.check_after_others(database));
        if (!start.asks_changes) {
            SHELFD_TRY(parts.checks.before_pass(database, resource, parts.tables.specs(), parts.file.epoch()));
        }
        return Pass::begin({database, parts.options, parts.passes, ended}, parts.tables.spec_of(resource), start);
    });
}

Result<void> Mirror::set_state(const std::string& resource, const ResourceState& state)
{
    return parts_->file.with_file([&](storage::Database& database) {
        return save_state(database, resource, state, parts_->options.clock.now());
    });
}

Result<void> Mirror::record_run(const RunRecord& run)
{
    return parts_->file.in_transaction([&](storage::Database& database) { return record_unpublished(database, run); });
}

Result<void> Mirror::record_act(const ActRecord& act)
{
    return parts_->file.in_transaction([&](storage::Database& database) { return mirror::record_act(database, act); });
}

Result<void> Mirror::record_asker(const std::string& resource, const std::string& run_id, const std::string& who)
{
    return parts_->file.in_transaction(
        [&](storage::Database& database) { return mirror::record_asker(database, resource, run_id, who); });
}

Result<std::optional<ResourceSummary>> Mirror::summary(const std::string& resource)
{
    return parts_->file.with_file([&](storage::Database& database) { return summarise(database, resource); });
}

Result<Discovery> Mirror::discovery(const std::string& resource)
{
    const auto member = parts_->tables.spec_of(resource).dated_by;
    return parts_->file.with_file([&](storage::Database& database) {
        auto known = load_discovery(database, resource);
        if (known && !member.empty()) {
            // The next pass finds and reports a table that cannot be read.
            const auto resolution = resolution_of_dates(database, resource, member);
            known->resolution = resolution ? *resolution : std::nullopt;
        }
        return known;
    });
}

Result<void> Mirror::set_discovery(const std::string& resource, const Discovery& discovery)
{
    return parts_->file.with_file(
        [&](storage::Database& database) { return save_discovery(database, resource, discovery); });
}

Result<std::optional<Instant>> Mirror::last_whole_run(const std::string& resource, const std::string& run_id)
{
    return parts_->file.with_file(
        [&](storage::Database& database) { return mirror::last_whole_run(database, resource, run_id); });
}

Result<std::vector<CanaryFitness>> Mirror::canaries()
{
    return parts_->file.with_file([](storage::Database& database) { return load_canaries(database); });
}

Result<void> Mirror::record_canary(const CanaryFitness& fitness)
{
    return parts_->file.with_file([&](storage::Database& database) { return save_canary(database, fitness); });
}

Result<void> Mirror::record_library(const LibraryRecord& record)
{
    return parts_->file.with_file(
        [&](storage::Database& database) { return save_library(database, record, parts_->options.clock.now()); });
}

Result<std::optional<RecordedTokenState>> Mirror::recorded_token_state()
{
    return parts_->file.with_file([](storage::Database& database) { return load_token_state(database); });
}

Result<std::vector<FeedConsumer>> Mirror::feed_consumers()
{
    return parts_->file.with_file([](storage::Database& database) { return load_feed_consumers(database); });
}

Result<void> Mirror::acknowledge(const Acknowledgement& said)
{
    return parts_->file.with_file(
        [&](storage::Database& database) { return mirror::acknowledge(database, said, parts_->options.clock.now()); });
}

Result<void> Mirror::forget_feed_consumer(const Acknowledgement& said)
{
    return parts_->file.with_file(
        [&](storage::Database& database) { return mirror::forget_feed_consumer(database, said); });
}

Result<std::optional<std::string>> Mirror::fact(Fact fact)
{
    return parts_->file.with_file([&](storage::Database& database) { return read_meta(database, name_of(fact)); });
}

Result<void> Mirror::set_fact(Fact fact, std::string_view value)
{
    return parts_->file.with_file(
        [&](storage::Database& database) { return write_meta(database, name_of(fact), value); });
}

Result<std::optional<std::string>> Mirror::item(const std::string& resource, const std::string& key)
{
    return parts_->file.with_file([&](storage::Database& database) { return read_item(database, resource, key); });
}

Result<std::vector<std::string>> Mirror::sample_keys(const std::string& resource, std::uint64_t most, double random)
{
    return parts_->file.with_file([&](storage::Database& database) -> Result<std::vector<std::string>> {
        SHELFD_TRY_ASSIGN(facts, load_facts(database, resource));
        if (!facts) {
            return Error(ErrorKind::not_found, "there is no table " + resource);
        }
        return sample_rows(database, *facts, most, random);
    });
}

Result<RetypeOutcome> Mirror::retype(const std::string& resource, const std::string& column)
{
    return parts_->file.with_sound_file([&](storage::Database& database) -> Result<RetypeOutcome> {
        SHELFD_TRY_ASSIGN(facts, parts_->facts_to_change(database, resource));
        return retype_column(database, facts, column);
    });
}

Result<HeldList> Mirror::held(const std::string& resource, std::size_t most)
{
    return parts_->file.with_file([&](storage::Database& database) -> Result<HeldList> {
        ResourceFacts facts;
        facts.name = resource;
        SHELFD_TRY(count_held(database, facts));
        SHELFD_TRY_ASSIGN(rows, list_held(database, resource, most));
        return HeldList{std::move(rows), facts.held, facts.kept};
    });
}

Result<HeldOutcome> Mirror::decide(const std::string& resource, const HeldDecision& decision)
{
    return parts_->file.in_transaction([&](storage::Database& database) -> Result<HeldOutcome> {
        SHELFD_TRY_ASSIGN(facts, parts_->facts_to_change(database, resource));
        return decide_held(database, facts, decision, parts_->tables.spec_of(resource), parts_->options.clock.now());
    });
}

Result<bool> Mirror::checkpoint(storage::CheckpointMode mode)
{
    return parts_->file.checkpoint(mode);
}

Result<void> Mirror::checkpoint_feed()
{
    return parts_->file.checkpoint_feed();
}

std::uint64_t Mirror::wal_bytes() const
{
    return parts_->file.wal_bytes();
}

void Mirror::release_memory()
{
    parts_->file.release_memory();
}

Result<void> Mirror::close_idle()
{
    return parts_->file.close_idle();
}

bool Mirror::is_open() const
{
    return parts_->file.is_open();
}

bool Mirror::handle_wanted_elsewhere() const
{
    return parts_->options.handles->is_full();
}

Result<void> Mirror::keep_readable()
{
    return parts_->file.keep_readable();
}

void Mirror::renew_access()
{
    parts_->file.renew_access();
}

const std::optional<Error>& Mirror::closed_to_readers() const
{
    return parts_->file.closed_to_readers();
}

void Mirror::mark_suspect(const Error& met)
{
    parts_->file.mark_suspect(met);
}

bool Mirror::has_news() const
{
    return parts_->file.has_news();
}

std::optional<std::string> Mirror::take_notice()
{
    return parts_->file.take_notice();
}

bool Mirror::take_rebuilt()
{
    return parts_->file.take_rebuilt();
}

const std::vector<Repair>& Mirror::repairs() const
{
    return parts_->file.repairs();
}

std::string Mirror::path() const
{
    return parts_->file.path();
}

}  // namespace shelfd::mirror
