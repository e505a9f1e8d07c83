// Converts sets and notes to the bytes of a slot, and back.
#include "oauth/journal/record_fields.hpp"

namespace shelfd::oauth {
namespace {

// "Bearer": no service needs more than a word.
constexpr std::size_t max_token_type = 256;
// Only a sentence that quotes a long reason of the service is longer; it is cut.
constexpr std::size_t max_remark = 1024;

void finish_slot(std::span<std::byte> slot, Header& header, std::size_t length)
{
    header.length = static_cast<std::uint32_t>(length);
    header.payload_digest = sha256(slot.subspan(header_size, length));
    const auto head = encode_header(header);
    std::copy(head.begin(), head.end(), slot.begin());
}

std::optional<std::span<const std::byte>> checked_payload(const Header& header, std::span<const std::byte> record)
{
    const auto size = width_of(header) * slot_size;
    if (record.size() < size || header.length > size - header_size) {
        return std::nullopt;
    }
    const auto payload = record.subspan(header_size, header.length);
    if (sha256(payload) != header.payload_digest) {
        return std::nullopt;
    }
    return payload;
}

void parse_token_field(TokenSet& set, const Field& field)
{
    switch (field.tag) {
    case Tag::access: set.access = Secret(field.text()); break;
    case Tag::refresh: set.refresh = Secret(field.text()); break;
    case Tag::token_type: set.token_type = field.text(); break;
    case Tag::scope: set.scope = field.text(); break;
    case Tag::issued_wall: set.issued.wall = field.instant(); break;
    case Tag::issued_boot: set.issued.boot = field.boot_time(); break;
    case Tag::issued_boot_id: set.issued.boot_id = field.id(); break;
    case Tag::lifetime: set.lifetime = Duration(field.number()); break;
    case Tag::origin: set.origin = static_cast<Origin>(field.number()); break;
    case Tag::keep: set.keep = static_cast<std::uint64_t>(field.number()); break;
    case Tag::service: set.service = field.text(); break;
    case Tag::client_id: set.client_id = field.text(); break;
    case Tag::library_id: set.library_id = field.text(); break;
    case Tag::rotates: set.learned.rotates = field.flag(); break;
    case Tag::old_token_dies: set.learned.old_token_dies = field.flag(); break;
    case Tag::canary_refuses: set.learned.canary_refuses = field.flag(); break;
    case Tag::grace: set.learned.grace = Duration(field.number()); break;
    case Tag::day_start: set.pace.day_start = field.instant(); break;
    case Tag::day_count: set.pace.day_count = field.count(); break;
    case Tag::hurried: set.pace.hurried = field.count(); break;
    case Tag::moved_at: set.moved_at = field.instant(); break;
    case Tag::moved_to: set.moved_to = field.text(); break;
    case Tag::canary: set.learned.canary = field.text(); break;
    case Tag::from_login: set.from_login = field.flag(); break;
    case Tag::remark_at: set.remark_at = field.instant(); break;
    case Tag::remark: set.remark = field.text(); break;
    default: break;
    }
}

void write_set(FieldWriter& out, const TokenSet& set, std::string_view scope)
{
    out.text(Tag::access, set.access.reveal());
    out.text(Tag::refresh, set.refresh.reveal());
    out.text(Tag::token_type, std::string_view(set.token_type).substr(0, max_token_type));
    out.text(Tag::scope, scope);
    out.moment(Tag::issued_wall, Tag::issued_boot, Tag::issued_boot_id, set.issued);
    out.number(Tag::lifetime, set.lifetime.count());
    out.number(Tag::origin, static_cast<std::int64_t>(set.origin));
    out.number(Tag::keep, static_cast<std::int64_t>(set.keep));
    out.text(Tag::service, set.service);
    out.text(Tag::client_id, set.client_id);
    out.text(Tag::library_id, set.library_id);
    out.fact(Tag::rotates, set.learned.rotates);
    out.fact(Tag::old_token_dies, set.learned.old_token_dies);
    out.fact(Tag::canary_refuses, set.learned.canary_refuses);
    out.number(Tag::grace, set.learned.grace.count());
    out.text(Tag::canary, set.learned.canary);
    out.number(Tag::day_start, set.pace.day_start.micros());
    out.number(Tag::day_count, set.pace.day_count);
    out.number(Tag::hurried, set.pace.hurried);
    if (set.from_login) {
        out.number(Tag::from_login, 1);
    }
    if (set.moved_at) {
        out.number(Tag::moved_at, set.moved_at->micros());
        out.text(Tag::moved_to, std::string_view(set.moved_to).substr(0, 256));
    }
}

void write_remark(FieldWriter& out, const TokenSet& set)
{
    if (set.remark_at) {
        out.number(Tag::remark_at, set.remark_at->micros());
        out.text(Tag::remark, std::string_view(set.remark).substr(0, max_remark));
    }
}

void write_file_mark(FieldWriter& out, const storage::FileMark& file)
{
    if (storage::is_known(file)) {
        out.number(Tag::file_inode, static_cast<std::int64_t>(file.inode));
        out.number(Tag::file_birth, file.birth);
        out.number(Tag::file_generation, file.generation);
        out.text(Tag::file_system, file.file_system);
    }
}

void parse_file_field(storage::FileMark& file, const Field& field)
{
    switch (field.tag) {
    case Tag::file_inode: file.inode = static_cast<std::uint64_t>(field.number()); break;
    case Tag::file_birth: file.birth = field.number(); break;
    case Tag::file_generation: file.generation = field.count(); break;
    case Tag::file_system: file.file_system = field.text(); break;
    default: break;
    }
}

Moment& made(std::optional<Moment>& moment)
{
    return moment ? *moment : moment.emplace();
}

void parse_note_field(Note& note, const Field& field)
{
    switch (field.tag) {
    case Tag::standing: note.standing = static_cast<Standing>(field.number()); break;
    case Tag::earlier_doubt: note.earlier_doubt = field.flag(); break;
    case Tag::access_was_alive: note.access_was_alive = field.flag(); break;
    case Tag::committed: note.committed = field.flag(); break;
    case Tag::replays: note.replays = field.count(); break;
    case Tag::server_errors: note.server_errors = field.count(); break;
    case Tag::since: note.since = field.instant(); break;
    case Tag::first_sent_wall: note.first_sent.wall = field.instant(); break;
    case Tag::first_sent_boot: note.first_sent.boot = field.boot_time(); break;
    case Tag::first_sent_boot_id: note.first_sent.boot_id = field.id(); break;
    case Tag::last_sent_wall: note.last_sent.wall = field.instant(); break;
    case Tag::last_sent_boot: note.last_sent.boot = field.boot_time(); break;
    case Tag::last_sent_boot_id: note.last_sent.boot_id = field.id(); break;
    case Tag::reason: note.reason = field.text(); break;
    case Tag::code_sent_wall: made(note.code_sent).wall = field.instant(); break;
    case Tag::code_sent_boot: made(note.code_sent).boot = field.boot_time(); break;
    case Tag::code_sent_boot_id: made(note.code_sent).boot_id = field.id(); break;
    case Tag::code_service: note.code_service = field.text(); break;
    case Tag::code_client_id: note.code_client_id = field.text(); break;
    case Tag::told_to_wait_wall: made(note.told_to_wait).wall = field.instant(); break;
    case Tag::told_to_wait_boot: made(note.told_to_wait).boot = field.boot_time(); break;
    case Tag::told_to_wait_boot_id: made(note.told_to_wait).boot_id = field.id(); break;
    default: break;
    }
}

}  // namespace

std::optional<WipedBytes> encode_token(Header& header, const TokenSet& set, const storage::FileMark& file)
{
    // A service may send a scope of any length. The set works without it, and without a remark: empty means unknown.
    struct Attempt {
        std::size_t size;
        std::string_view scope;
        storage::FileMark file;
        bool has_remark;
    };
    const std::array<Attempt, 5> attempts = {{{slot_size, set.scope, file, true},
                                              {2 * slot_size, set.scope, file, true},
                                              {2 * slot_size, "", file, true},
                                              {2 * slot_size, "", file, false},
                                              {2 * slot_size, "", {}, false}}};
    for (const auto& attempt : attempts) {
        WipedBytes record(attempt.size);
        FieldWriter out(record.span().subspan(header_size));
        write_set(out, set, attempt.scope);
        if (attempt.has_remark) {
            write_remark(out, set);
        }
        write_file_mark(out, attempt.file);
        if (out.fits()) {
            header.kind = RecordKind::token;
            header.generation = set.generation;
            finish_slot(record.span(), header, out.used());
            return record;
        }
    }
    return std::nullopt;
}

WipedBytes encode_note_slot(Header header, const Note& note)
{
    WipedBytes slot(slot_size);
    FieldWriter out(slot.span().subspan(header_size));
    out.number(Tag::standing, static_cast<std::int64_t>(note.standing));
    out.number(Tag::earlier_doubt, note.earlier_doubt ? 1 : 0);
    out.number(Tag::access_was_alive, note.access_was_alive ? 1 : 0);
    out.number(Tag::committed, note.committed ? 1 : 0);
    out.number(Tag::replays, note.replays);
    out.number(Tag::server_errors, note.server_errors);
    out.number(Tag::since, note.since.micros());
    out.moment(Tag::first_sent_wall, Tag::first_sent_boot, Tag::first_sent_boot_id, note.first_sent);
    out.moment(Tag::last_sent_wall, Tag::last_sent_boot, Tag::last_sent_boot_id, note.last_sent);
    out.text(Tag::reason, std::string_view(note.reason).substr(0, 1024));
    if (note.code_sent) {
        out.moment(Tag::code_sent_wall, Tag::code_sent_boot, Tag::code_sent_boot_id, *note.code_sent);
        out.text(Tag::code_service, note.code_service);
        out.text(Tag::code_client_id, note.code_client_id);
    }
    if (note.told_to_wait) {
        out.moment(Tag::told_to_wait_wall, Tag::told_to_wait_boot, Tag::told_to_wait_boot_id, *note.told_to_wait);
    }
    finish_slot(slot.span(), header, out.used());
    return slot;
}

bool payload_is_intact(const Header& header, std::span<const std::byte> record)
{
    return checked_payload(header, record).has_value();
}

std::optional<TokenSet> decode_token(const Header& header, std::span<const std::byte> record)
{
    const auto payload = checked_payload(header, record);
    TokenSet set;
    set.generation = header.generation;
    const auto take = [&set](const Field& field) { parse_token_field(set, field); };
    if (header.kind != RecordKind::token || !payload || !for_each_field(*payload, take)) {
        return std::nullopt;
    }
    // Earlier versions did not store `from_login`.
    set.from_login = set.from_login || set.origin == Origin::granted;
    return set;
}

storage::FileMark decode_file_mark(const Header& header, std::span<const std::byte> record)
{
    const auto payload = checked_payload(header, record);
    storage::FileMark file;
    const auto take = [&file](const Field& field) { parse_file_field(file, field); };
    const bool is_whole = header.kind == RecordKind::token && payload && for_each_field(*payload, take);
    return is_whole ? file : storage::FileMark();
}

std::optional<Note> decode_note(const Header& header, std::span<const std::byte> slot)
{
    const auto payload = checked_payload(header, slot);
    Note note;
    const auto take = [&note](const Field& field) { parse_note_field(note, field); };
    const auto is_note = header.kind == RecordKind::intent || header.kind == RecordKind::verdict;
    if (!is_note || !payload || !for_each_field(*payload, take)) {
        return std::nullopt;
    }
    return note;
}

}  // namespace shelfd::oauth
