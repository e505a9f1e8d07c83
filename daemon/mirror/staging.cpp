#include "mirror/staging.hpp"

#include "mirror/names.hpp"
#include "mirror/staging_tables.hpp"

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

// Five pages of 200: of more, little is saved.
constexpr std::size_t most_left_open = 1'000;

}  // namespace

Staging::Staging(storage::Database& database, ResourceFacts& facts, Columns columns, Shapes shapes)
    : database_(database), joined_(database), facts_(facts), columns_(std::move(columns)), shapes_(std::move(shapes)),
      layouts_(columns_, shapes_), writer_(database, staging_name(facts.name), columns_)
{
}

Result<std::unique_ptr<Staging>> Staging::open(storage::Database& database, ResourceFacts& facts)
{
    auto columns = Columns::load(database, facts.name, facts.key);
    if (!columns) {
        return std::move(columns).error();
    }
    auto shapes = Shapes::load(database, facts.name);
    if (!shapes) {
        return std::move(shapes).error();
    }
    return std::unique_ptr<Staging>(new Staging(database, facts, std::move(*columns), std::move(*shapes)));
}

std::span<const Member> Staging::members_of(const Piece& piece) const
{
    return std::span(members_).subspan(piece.first, piece.size);
}

Result<void> Staging::take(const Page& page)
{
    members_.clear();
    pieces_.clear();
    layouts_.forget_many();
    // In the order of the key, which is the order of the tables they go to.
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
        if (const char* broken = take_members(item.text, members_)) {
            pieces_.clear();
            return fault(broken);
        }
        pieces_.push_back({place, first, members_.size() - first, nullptr});
        pieces_.back().layout = &layouts_.of(members_of(pieces_.back()));
        if (pieces_.back().layout->key_repeated) {
            pieces_.clear();
            return fault("a part of its key is there twice");
        }
    }
    return {};
}

Result<void> Staging::write(Page& page, Commit commit)
{
    auto transaction = joined_.next();
    if (!transaction) {
        return std::move(transaction).error();
    }
    if (auto decided = decide_kinds(page); !decided) {
        return decided;
    }
    if (!begun_) {
        if (auto made = begin(); !made) {
            return made;
        }
    }
    for (const auto& piece : pieces_) {
        if (auto written = write_piece(page, piece); !written) {
            return written;
        }
    }
    left_open_ += pieces_.size();
    pieces_.clear();
    if (commit == Commit::may_wait && left_open_ < most_left_open) {
        joined_.leave_open(*transaction);
        return {};
    }
    left_open_ = 0;
    return transaction->commit();
}

Result<void> Staging::begin()
{
    if (auto made = create_staging(database_, facts_, columns_); !made) {
        return made;
    }
    seen_.emplace(database_, seen_name(facts_.name), facts_.state_shape());
    begun_ = true;
    return {};
}

Result<void> Staging::write_piece(Page& page, const Piece& piece)
{
    PageItem& item = page.items[piece.item];
    if (!item.staged) {
        ++(item.known ? changed_ : added_);
        item.staged.emplace();
        item.staged->ordinal = item.known ? item.known->ordinal : facts_.next_ordinal++;
    }
    item.staged->hash = item.hash;
    item.staged->place = item.place.value_or(0);
    mark_met(*piece.layout);
    if (auto written = writer_.write(item, members_of(piece), *piece.layout); !written) {
        return written;
    }
    return seen_->put(item.key, *item.staged);
}

void Staging::mark_met(const Layout& layout)
{
    met_.resize(columns_.size());
    for (const auto& place : layout.places) {
        if (place.treatment != Layout::Treatment::exact_only) {
            met_[place.column] = true;
        }
    }
}

// A kind is what the page's values of a key share; it is fixed by the first page that has any.
Result<void> Staging::decide_kinds(const Page& page)
{
    if (auto decided = decide_key_kinds(page); !decided) {
        return decided;
    }
    classes_.assign(columns_.size(), is_null);
    for (const auto& piece : pieces_) {
        const auto members = members_of(piece);
        for (std::size_t i = 0; i < members.size(); ++i) {
            const auto place = piece.layout->places[i];
            if (place.treatment != Layout::Treatment::exact_only && columns_[place.column].kind == Kind::undecided) {
                classes_[place.column] |= class_of(members[i]);
            }
        }
    }
    for (std::size_t place = columns_.key_size(); place < classes_.size(); ++place) {
        if (classes_[place] != is_null) {
            if (auto stored = store_column(place, kind_for(classes_[place])); !stored) {
                return stored;
            }
        }
    }
    return {};
}

Result<void> Staging::decide_key_kinds(const Page& page)
{
    bool rebuild = false;
    bool all_integers = facts_.key.size() == 1;
    for (std::size_t part = 0; part < facts_.key.size(); ++part) {
        bool integers = false;
        bool texts = false;
        for (const auto& piece : pieces_) {
            (page.items[piece.item].key[part].is_text ? texts : integers) = true;
        }
        const Kind now = columns_[part].kind;
        const Kind needed = key_kind(now, integers, texts);
        rebuild = rebuild || (now != Kind::undecided && needed != now);
        all_integers = all_integers && needed == Kind::integer;
        columns_.store(part, needed);
    }
    facts_.integer_key = all_integers;
    if (!rebuild) {
        return {};
    }
    ++rebuilds_;
    if (facts_.rows > 0) {
        if (auto done = rebuild_key(database_, facts_, columns_); !done) {
            return done;
        }
    }
    if (begun_) {
        seen_.emplace(database_, seen_name(facts_.name), facts_.state_shape());
        return rebuild_staging_key(database_, facts_, columns_);
    }
    return {};
}

Result<void> Staging::store_column(std::size_t place, Kind kind)
{
    const bool was_stored = columns_[place].stored;
    if (!columns_.store(place, kind) || was_stored || !begun_) {
        return {};
    }
    return database_.execute(fmt::format("ALTER TABLE {} ADD COLUMN {}", identifier(staging_name(facts_.name)),
                                         column_definition(columns_[place])));
}

Result<void> Staging::add_null_columns()
{
    for (std::size_t place = 0; place < met_.size(); ++place) {
        if (met_[place] && !columns_[place].stored && columns_[place].kind == Kind::undecided) {
            if (auto stored = store_column(place, Kind::undecided); !stored) {
                return stored;
            }
        }
    }
    return {};
}

}  // namespace shelfd::mirror
