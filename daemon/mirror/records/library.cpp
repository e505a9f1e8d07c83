#include "mirror/records/library.hpp"

#include "storage/query.hpp"

namespace shelfd::mirror {
namespace {

std::optional<std::string> text_of(const std::optional<Instant>& at)
{
    return at ? std::optional(at->to_text()) : std::nullopt;
}

std::optional<std::string> text_of(const std::string& text)
{
    return text.empty() ? std::nullopt : std::optional(text);
}

Result<void> save_consumers(storage::Database& database, const std::vector<ConsumerRecord>& consumers, Instant now)
{
    SHELFD_TRY(database.execute("DELETE FROM _consumers"));
    for (const auto& one : consumers) {
        SHELFD_TRY(storage::run(database, "INSERT INTO _consumers VALUES (?, ?, ?, ?, ?, ?)", one.hook,
                                text_of(one.position), one.waiting, text_of(one.waiting_since), text_of(one.why),
                                now.to_text()));
    }
    return {};
}

}  // namespace

Result<bool> save_library(storage::Database& database, const LibraryRecord& record, Instant now)
{
    constexpr std::string_view insert = R"sql(
        INSERT INTO _library SELECT value, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM _meta WHERE key = 'library'
    )sql";
    SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(database));
    SHELFD_TRY(database.execute("DELETE FROM _library"));
    SHELFD_TRY(storage::run(database, insert, record.token_state, record.token_needs_person,
                            text_of(record.token_since), text_of(record.token_why), text_of(record.token_expires_at),
                            text_of(record.token_next_refresh), text_of(record.token_deadline), text_of(record.do_this),
                            record.limit_group, record.request_limit, record.requests_used,
                            text_of(record.paused_until), now.to_text()));
    if (record.consumers) {
        SHELFD_TRY(save_consumers(database, *record.consumers, now));
    }
    SHELFD_TRY_ASSIGN(consumers, database.prepare("SELECT 1 FROM _consumers"));
    SHELFD_TRY_ASSIGN(any, consumers.step());
    consumers.reset();
    SHELFD_TRY(transaction.commit());
    return any;
}

Result<std::optional<RecordedTokenState>> load_token_state(storage::Database& database)
{
    std::optional<RecordedTokenState> recorded;
    SHELFD_TRY(storage::each_row(database, "SELECT token_state, token_since FROM _library",
                                 [&](const storage::Statement& row) {
                                     recorded = {std::string(row.text(0)), Instant::from_rfc3339(row.text(1))};
                                 }));
    return recorded;
}

}  // namespace shelfd::mirror
