#include "mirror/staging/staging.hpp"

#include "mirror/records/runs.hpp"
#include "mirror/staging/tables.hpp"
#include "mirror/values/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace shelfd::mirror {

namespace {

Kind key_kind(Kind now, bool integers, bool texts)
{
    const bool integers_fit = now == Kind::undecided || now == Kind::integer;
    const bool texts_fit = now == Kind::undecided || now == Kind::text;
    if (integers && texts) {
        return Kind::any;
    }
    if (integers) {
        return integers_fit ? Kind::integer : Kind::any;
    }
    return texts_fit ? Kind::text : Kind::any;
}

}  // namespace

Staging::Staging(storage::Database& database, ResourceFacts& facts, const PassStart& start, Columns columns,
                 KeySets shapes)
    : database_(database), facts_(facts), start_(start), columns_(std::move(columns)), shapes_(std::move(shapes)),
      layouts_(columns_, shapes_), writer_(database, staging_name(facts.name), columns_)
{
}

Result<std::unique_ptr<Staging>> Staging::open(storage::Database& database, ResourceFacts& facts,
                                               const PassStart& start)
{
    SHELFD_TRY_ASSIGN(columns, Columns::load(database, facts.name, facts.key));
    SHELFD_TRY_ASSIGN(shapes, KeySets::load(database, facts.name));
    return std::unique_ptr<Staging>(new Staging(database, facts, start, std::move(columns), std::move(shapes)));
}

std::span<const Member> Staging::members_of(const Piece& piece) const
{
    return std::span(members_).subspan(piece.first, piece.size);
}

// Holds the buffers only between `take` and `write` of a page, which run on one thread: a walk that waits for its next
// page has none.
void Staging::borrow()
{
    auto& spare = spare_of_thread();
    members_.swap(spare.members);
    pieces_.swap(spare.pieces);
    members_.clear();
    pieces_.clear();
}

void Staging::give_back()
{
    constexpr std::size_t max_kept = 64U << 10U;  // members of 48 bytes each
    members_.clear();
    pieces_.clear();
    auto& spare = spare_of_thread();
    if (members_.capacity() <= max_kept) {
        members_.swap(spare.members);
        pieces_.swap(spare.pieces);
    }
    members_ = std::vector<Member>();  // {} would keep the memory
    pieces_ = std::vector<Piece>();
}

Staging::Spare& Staging::spare_of_thread()
{
    thread_local Spare spare;
    return spare;
}

Result<void> Staging::take(const Page& page)
{
    borrow();
    layouts_.forget_many();
    // In the order of the key, which is the order of the target tables.
    for (const std::uint32_t place : page.sorted) {
        const PageItem& item = page.items[place];
        if (!item.is_new_or_changed()) {
            continue;
        }
        const std::size_t first = members_.size();
        const auto fault = [&](std::string_view why) {
            return Error(ErrorKind::protocol, fmt::format("{}: item {} of a page, key {}: {}", facts_.name, place + 1,
                                                          item.key.to_json(), why));
        };
        if (const char* broken = parse_members(item.text, members_)) {
            pieces_.clear();
            return fault(broken);
        }
        pieces_.push_back({place, first, members_.size() - first, nullptr});
        pieces_.back().member_places = &layouts_.of(members_of(pieces_.back()));
        if (pieces_.back().member_places->key_repeated) {
            pieces_.clear();
            return fault("a part of its key occurs twice");
        }
    }
    return {};
}

Result<void> Staging::write(Page& page, Commit commit)
{
    SHELFD_TRY(decide_kinds(page));
    if (!seen_) {
        seen_.emplace(database_, seen_name(facts_.name), facts_.state_shape());
    }
    const MemberPlaces* marked = nullptr;
    waiting_.begin_run();
    for (const auto& piece : pieces_) {
        if (writer_.rows().is_full()) {
            SHELFD_TRY(write_waiting());
            waiting_.begin_run();
        }
        if (piece.member_places != marked) {
            mark_met(*piece.member_places);
            marked = piece.member_places;
        }
        add_row(page.items[piece.item], piece);
    }
    give_back();
    if (commit == Commit::now) {
        return flush();
    }
    return writer_.rows().is_full() ? write_waiting() : Result<void>();
}

void Staging::add_row(PageItem& item, const Piece& piece)
{
    if (!item.staged) {
        added_ += item.known ? 0U : 1U;
        item.staged.emplace();
        item.staged->ordinal = item.known ? item.known->ordinal : facts_.next_ordinal++;
        item.staged->hash = item.known ? item.known->hash : item.hash;
    }
    if (item.known) {
        changed_ -= item.staged->hash != item.known->hash ? 1U : 0U;
        changed_ += item.hash != item.known->hash ? 1U : 0U;
    }
    item.staged->hash = item.hash;
    item.staged->place = item.place.value_or(0);
    writer_.take(item, members_of(piece), *piece.member_places);
    seen_->take(item.key, *item.staged);
    waiting_.add(item.key);
}

// Frees memory, because the next page may be a minute away, and a thousand libraries wait for theirs.
Result<void> Staging::flush()
{
    auto written = write_waiting();
    if (written && seen_) {
        writer_.rows().release();
        seen_->rows().release();
        waiting_ = {};
    }
    return written;
}

Result<void> Staging::write_waiting()
{
    if (!waiting_.any()) {
        return {};
    }
    SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(database_));
    SHELFD_TRY(begun_ ? add_columns() : create_staging(database_, facts_, columns_));
    const auto order = waiting_.in_order();
    writer_.rows().put_in_order(order);
    seen_->rows().put_in_order(order);
    SHELFD_TRY(writer_.write());
    SHELFD_TRY(seen_->write());
    SHELFD_TRY(transaction.commit());
    begun_ = true;
    new_columns_.clear();
    waiting_.clear();
    writer_.rows().clear();
    seen_->rows().clear();
    return {};
}

// Waiting rows are not in the table yet: if the page meets one, they are written first.
Result<void> Staging::look_up(Page& page)
{
    if (waiting_.meets(page)) {
        SHELFD_TRY(write_waiting());
    }
    return begun_ ? seen_->look_up(page, &PageItem::staged) : Result<void>();
}

void Staging::mark_met(const MemberPlaces& member_places)
{
    met_.resize(columns_.size());
    for (const auto& place : member_places.places) {
        if (place.treatment != MemberPlaces::Treatment::exact_only) {
            met_[place.column] = true;
        }
    }
}

// The kind of a column fits all values of a key on the first page that has any.
Result<void> Staging::decide_kinds(const Page& page)
{
    SHELFD_TRY(decide_key_kinds(page));
    classes_.assign(columns_.size(), is_null);
    const MemberPlaces* decided = nullptr;  // all its columns are decided
    for (const auto& piece : pieces_) {
        if (piece.member_places == decided) {
            continue;
        }
        decided = piece.member_places;
        const auto members = members_of(piece);
        for (std::size_t i = 0; i < members.size(); ++i) {
            const auto place = piece.member_places->places[i];
            if (place.treatment != MemberPlaces::Treatment::exact_only &&
                columns_[place.column].kind == Kind::undecided) {
                classes_[place.column] |= class_of(members[i]);
                decided = nullptr;
            }
        }
    }
    for (std::size_t place = columns_.key_size(); place < classes_.size(); ++place) {
        if (classes_[place] != is_null) {
            store_column(place, kind_for(classes_[place]));
        }
    }
    return {};
}

Result<void> Staging::decide_key_kinds(const Page& page)
{
    bool rebuild = false;
    strange_.resize(facts_.key.size());
    std::vector<Kind> needed;
    for (std::size_t part = 0; part < facts_.key.size(); ++part) {
        bool integers = false;
        bool texts = false;
        for (const auto& piece : pieces_) {
            (page.items[piece.item].key[part].is_text ? texts : integers) = true;
        }
        const Kind now = columns_[part].kind;
        needed.push_back(key_kind(now, integers, texts));
        if (now != Kind::undecided && needed.back() != now) {
            rebuild = true;
            strange_[part] = now == Kind::integer ? is_text : is_integer;
        }
        // The column then accepts all of them; for people, this pass continues to count.
        if (strange_[part]) {
            record_key_drift(page, part, *strange_[part]);
        }
    }
    if (rebuild) {
        SHELFD_TRY(write_waiting());
    }
    for (std::size_t part = 0; part < needed.size(); ++part) {
        columns_.store(part, needed[part]);
    }
    facts_.integer_key = needed.size() == 1 && needed.front() == Kind::integer;
    return rebuild ? rebuild_keys() : Result<void>();
}

void Staging::record_key_drift(const Page& page, std::size_t part, ValueClass found)
{
    for (const auto& piece : pieces_) {
        const auto& item = page.items[piece.item];
        if (const auto& value = item.key[part]; value.is_text == (found == is_text)) {
            writer_.add_drift(item, part, found, ItemKey{value, {}}.to_json());
        }
    }
}

Result<void> Staging::rebuild_keys()
{
    ++rebuilds_;
    SHELFD_TRY_ASSIGN(transaction, storage::Transaction::begin(database_));
    if (facts_.rows > 0) {
        SHELFD_TRY(rebuild_key(database_, facts_, columns_));
        // The table stays rebuilt even if the pass fails, and no later pass meets drift in the key.
        SHELFD_TRY(
            record_drift(database_, facts_.name, columns_, writer_.take_key_drifts(), start_.run_id, start_.started));
    }
    if (begun_) {
        SHELFD_TRY(rebuild_staging_key(database_, facts_, columns_));
    }
    seen_.emplace(database_, seen_name(facts_.name), facts_.state_shape());
    return transaction.commit();
}

void Staging::store_column(std::size_t place, Kind kind)
{
    const bool was_stored = columns_[place].stored;
    if (columns_.store(place, kind) && !was_stored && begun_) {
        new_columns_.push_back(place);
    }
}

Result<void> Staging::add_columns()
{
    return mirror::add_columns(database_, facts_, staging_name(facts_.name), columns_, new_columns_, added_ + changed_);
}

Result<void> Staging::add_null_columns()
{
    for (std::size_t place = 0; place < met_.size(); ++place) {
        if (met_[place] && !columns_[place].stored && columns_[place].kind == Kind::undecided) {
            store_column(place, Kind::undecided);
        }
    }
    return add_columns();
}

}  // namespace shelfd::mirror
