// The rows of one list of one library: seeded, edited, ordered.
#pragma once

#include "base/instant.hpp"
#include "sim/json.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shelfd::sim {

// An item as it is served, but for the origin in its "url", which is made of each request's Host header.
struct Row {
    std::int64_t id = 0;
    Instant created;
    Instant modified;
    std::optional<Instant> archived;
    std::optional<Instant> date;  // midnight UTC of a ledger's day
    std::string text;             // compact JSON
    std::size_t origin_at = 0;    // where the origin belongs

    // `item` must have id and url; dates that cannot be read count as created_date.
    static Row from_item(const Json& item);
    void append_to(std::string& out, std::string_view origin) const;
};

enum class OrderField { created_date, modified_date, id };

struct Order {
    OrderField field = OrderField::created_date;
    bool descending = true;

    friend auto operator<=>(const Order&, const Order&) = default;
    // "-modified_date"; nothing for a field that lists cannot be ordered by.
    static std::optional<Order> from_text(std::string_view text);
};

// One thing that a person or a program did to the list.
struct Edit {
    std::vector<Json> add = {};     // objects; id, url and dates are filled in where they are missing
    std::vector<Json> change = {};  // objects with "id" and the members to replace; modified_date moves unless given
    std::vector<std::int64_t> remove = {};
    std::size_t add_seeded = 0;     // so many new rows as the seed makes them
    std::size_t remove_newest = 0;  // so many rows from the front of the list
};

// Not thread-safe. Views stay valid until the next edit.
class ListData {
public:
    using View = std::vector<const Row*>;

    // `path` is the list's own ("library/recipes"); its first row gets the id after `first_id`.
    ListData(std::string path, std::uint64_t seed, std::int64_t first_id, std::size_t rows);

    std::size_t size() const { return rows_.size(); }
    const Row* find(std::int64_t id) const;
    // Kept until the next edit, so that a walk over a long list sorts once.
    const View& ordered(Order order) const;

    // Applied at once. Ids that are not there are passed over.
    void apply(const Edit& edit, Instant now);
    // Applied when `page` of the next walk has been served: a walk begins with its page 1.
    void apply_after(std::size_t page, Edit edit);
    void page_served(std::size_t page, Instant now);

    // What the item's own address shows beyond the list's item: expensive members, made when asked for.
    Json detail(const Row& row) const;

private:
    struct Pending {
        std::size_t page;
        Edit edit;
        bool armed = false;
    };

    void add(Json item, Instant now);
    void change(const Json& fields, Instant now);

    std::string path_;
    std::uint64_t seed_;
    std::int64_t last_id_;
    std::map<std::int64_t, Row> rows_;
    std::vector<Pending> pending_;
    mutable std::map<Order, View> views_;
};

}  // namespace shelfd::sim
