#include "mirror/mirror.hpp"

#include "base/words/key_form.hpp"
#include "mirror/access/wal_readers.hpp"
#include "mirror/columns/columns.hpp"
#include "mirror/columns/item_reader.hpp"
#include "mirror/declare/retype.hpp"
#include "mirror/deletions/held_rows.hpp"
#include "mirror/file/schema.hpp"
#include "mirror/mirror_contents.hpp"
#include "mirror/pass_walk.hpp"
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

Mirror::Mirror(MirrorOptions options) : contents_(std::make_unique<Contents>(std::move(options))) {}

Mirror::~Mirror() = default;

Result<void> Mirror::open()
{
    return contents_->file.with_file([](storage::Database&) { return Result<void>(); });
}

Result<void> Mirror::declare(std::vector<ResourceSpec> resources)
{
    SHELFD_TRY(contents_->tables.set(std::move(resources)));
    return contents_->file.with_file([this](storage::Database& database) -> Result<void> {
        SHELFD_TRY(take_name(database, contents_->options.library));
        return contents_->file.make_tables();
    });
}

Result<std::unique_ptr<Pass>> Mirror::begin_pass(const std::string& resource, const PassStart& start)
{
    auto& contents = *contents_;
    const auto ended = [&file = contents.file](const std::optional<Error>& broken) {
        if (broken && broken->kind() == ErrorKind::corrupt) {
            file.mark_suspect(*broken);
        }
        file.record_writing();
        file.bound_cache();
    };
    const auto page_added = [&file = contents.file] { file.bound_cache(); };
    const auto damage_found = [&file = contents.file](const DamagedRows& found) { file.record_damage(found); };
    return contents.file.with_sound_file([&](storage::Database& database) -> Result<std::unique_ptr<Pass>> {
        SHELFD_TRY(contents.file.check_after_others(database));
        if (!start.asks_changes) {
            SHELFD_TRY(contents.checks.before_pass(database, resource, contents.tables.specs(), contents.file.epoch()));
        }
        return Pass::begin({database, contents.options, contents.passes, page_added, ended, damage_found},
                           contents.tables.spec_of(resource), start);
    });
}

Result<void> Mirror::set_state(const std::string& resource, const ResourceState& state)
{
    return contents_->file.with_file([&](storage::Database& database) {
        return save_state(database, resource, state, contents_->options.clock.now());
    });
}

Result<void> Mirror::record_run(const RunRecord& run)
{
    return contents_->file.in_transaction(
        [&](storage::Database& database) { return record_unpublished(database, run); });
}

Result<void> Mirror::record_act(const ActRecord& act)
{
    return contents_->file.in_transaction(
        [&](storage::Database& database) { return mirror::record_act(database, act); });
}

Result<StoredState> Mirror::store_state(const std::string& resource, const ResourceState& state,
                                        const std::optional<RunAsker>& asker)
{
    auto& file = contents_->file;
    return file.with_file([&](storage::Database& database) -> Result<StoredState> {
        SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(database));
        SHELFD_TRY(save_state(database, resource, state, contents_->options.clock.now()));
        if (asker) {
            SHELFD_TRY(record_asker(database, resource, asker->run_id, asker->who));
        }
        SHELFD_TRY_ASSIGN(summary, summarise(database, resource));
        SHELFD_TRY(transaction.commit());
        SHELFD_TRY_ASSIGN(waits, file.sync_feed(database));
        return StoredState{std::move(summary), waits};
    });
}

Result<std::optional<ResourceSummary>> Mirror::summary(const std::string& resource, NewestRun run)
{
    return contents_->file.with_file([&](storage::Database& database) { return summarise(database, resource, run); });
}

Result<Discovery> Mirror::discovery(const std::string& resource)
{
    const auto member = contents_->tables.spec_of(resource).dated_by;
    return contents_->file.with_file([&](storage::Database& database) {
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
    return contents_->file.with_file(
        [&](storage::Database& database) { return save_discovery(database, resource, discovery); });
}

Result<std::optional<Instant>> Mirror::last_whole_run(const std::string& resource, const std::string& run_id)
{
    return contents_->file.with_file(
        [&](storage::Database& database) { return mirror::last_whole_run(database, resource, run_id); });
}

Result<std::vector<CanaryFitness>> Mirror::canaries()
{
    return contents_->file.with_file([](storage::Database& database) { return load_canaries(database); });
}

Result<void> Mirror::record_canary(const CanaryFitness& fitness)
{
    return contents_->file.with_file([&](storage::Database& database) { return save_canary(database, fitness); });
}

Result<bool> Mirror::record_library(const LibraryRecord& record)
{
    return contents_->file.with_file(
        [&](storage::Database& database) { return save_library(database, record, contents_->options.clock.now()); });
}

Result<std::optional<RecordedTokenState>> Mirror::recorded_token_state()
{
    return contents_->file.with_file([](storage::Database& database) { return load_token_state(database); });
}

Result<std::vector<FeedConsumer>> Mirror::feed_consumers()
{
    return contents_->file.with_file([](storage::Database& database) { return load_feed_consumers(database); });
}

Result<void> Mirror::acknowledge(const Acknowledgement& said)
{
    return contents_->file.with_file([&](storage::Database& database) {
        return mirror::acknowledge(database, said, contents_->options.clock.now());
    });
}

Result<void> Mirror::forget_feed_consumer(const Acknowledgement& said)
{
    return contents_->file.with_file(
        [&](storage::Database& database) { return mirror::forget_feed_consumer(database, said); });
}

Result<std::optional<std::string>> Mirror::fact(Fact fact)
{
    return contents_->file.with_file([&](storage::Database& database) { return read_meta(database, name_of(fact)); });
}

Result<void> Mirror::set_fact(Fact fact, std::string_view value)
{
    return contents_->file.with_file(
        [&](storage::Database& database) { return write_meta(database, name_of(fact), value); });
}

Result<std::optional<std::string>> Mirror::item(const std::string& resource, const std::string& key)
{
    return contents_->file.with_file([&](storage::Database& database) { return read_item(database, resource, key); });
}

Result<std::vector<std::string>> Mirror::sample_keys(const std::string& resource, std::uint64_t most, double random)
{
    return contents_->file.with_file([&](storage::Database& database) -> Result<std::vector<std::string>> {
        SHELFD_TRY_ASSIGN(facts, load_facts(database, resource));
        if (!facts) {
            return Error(ErrorKind::not_found, "there is no table " + resource);
        }
        return sample_rows(database, *facts, most, random);
    });
}

Result<RetypeOutcome> Mirror::retype(const std::string& resource, const std::string& column)
{
    return contents_->file.with_sound_file([&](storage::Database& database) -> Result<RetypeOutcome> {
        SHELFD_TRY_ASSIGN(facts, contents_->facts_to_change(database, resource));
        return retype_column(database, facts, column);
    });
}

Result<HeldList> Mirror::held(const std::string& resource, std::size_t most)
{
    return contents_->file.with_file([&](storage::Database& database) -> Result<HeldList> {
        ResourceFacts facts;
        facts.name = resource;
        SHELFD_TRY(count_held(database, facts));
        SHELFD_TRY_ASSIGN(rows, list_held(database, resource, most));
        return HeldList{std::move(rows), facts.held, facts.kept};
    });
}

Result<HeldOutcome> Mirror::decide(const std::string& resource, const HeldDecision& decision)
{
    return contents_->file.in_transaction([&](storage::Database& database) -> Result<HeldOutcome> {
        SHELFD_TRY_ASSIGN(facts, contents_->facts_to_change(database, resource));
        return decide_held(database, facts, decision, contents_->tables.spec_of(resource),
                           contents_->options.clock.now());
    });
}

Result<bool> Mirror::checkpoint(storage::CheckpointMode mode)
{
    return contents_->file.checkpoint(mode);
}

Result<void> Mirror::checkpoint_feed()
{
    return contents_->file.checkpoint_feed();
}

std::vector<pid_t> Mirror::wal_readers() const
{
    return find_wal_readers(contents_->file.path());
}

std::uint64_t Mirror::wal_bytes() const
{
    return contents_->file.wal_bytes();
}

void Mirror::release_memory()
{
    contents_->file.release_memory();
}

Result<void> Mirror::close_idle()
{
    return contents_->file.close_idle();
}

bool Mirror::is_open() const
{
    return contents_->file.is_open();
}

bool Mirror::handle_wanted_elsewhere() const
{
    return contents_->options.handles->is_full();
}

Result<void> Mirror::keep_readable()
{
    return contents_->file.keep_readable();
}

void Mirror::renew_access()
{
    contents_->file.renew_access();
}

const std::optional<Error>& Mirror::closed_to_readers() const
{
    return contents_->file.closed_to_readers();
}

void Mirror::mark_suspect(const Error& met)
{
    contents_->file.mark_suspect(met);
}

bool Mirror::has_news() const
{
    return contents_->file.has_news();
}

std::optional<std::string> Mirror::take_notice()
{
    return contents_->file.take_notice();
}

bool Mirror::take_rebuilt()
{
    return contents_->file.take_rebuilt();
}

const std::vector<Repair>& Mirror::repairs() const
{
    return contents_->file.repairs();
}

std::string Mirror::path() const
{
    return contents_->file.path();
}

}  // namespace shelfd::mirror
