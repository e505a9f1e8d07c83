#include "sim/list_data.hpp"

#include "sim/catalogue.hpp"
#include "sim/random.hpp"
#include "sim/seed_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace shelfd::sim {

namespace {

constexpr std::string_view url_member = "\"url\":\"";

std::optional<Instant> instant_of(const Json& item, std::string_view key)
{
    const auto* value = item.find(key);
    if (value == nullptr || !value->is(Json::Type::string)) {
        return std::nullopt;
    }
    const bool is_day = value->text.size() == 10;
    const auto aware = Instant::from_rfc3339(is_day ? value->text + "T00:00:00Z" : value->text);
    // Without a zone: what clocks show is compared as it stands.
    return aware ? aware : Instant::from_rfc3339(value->text + "Z");
}

std::optional<std::int64_t> id_of(const Json& item)
{
    const auto* value = item.find("id");
    std::int64_t id = 0;
    if (value == nullptr || !value->is(Json::Type::number)) {
        return std::nullopt;
    }
    const auto* end = value->text.data() + value->text.size();
    return std::from_chars(value->text.data(), end, id).ptr == end ? std::optional(id) : std::nullopt;
}

}  // namespace

Row Row::from_item(const Json& item)
{
    Row row;
    row.id = id_of(item).value_or(0);
    row.created = instant_of(item, "created_date").value_or(Instant());
    row.modified = instant_of(item, "modified_date").value_or(row.created);
    row.archived = instant_of(item, "archived_date");
    row.date = instant_of(item, "date");
    row.text = to_text(item);
    row.origin_at = row.text.find(url_member) + url_member.size();
    return row;
}

void Row::append_to(std::string& out, std::string_view origin) const
{
    out.append(text, 0, origin_at);
    out += origin;
    out.append(text, origin_at);
}

std::optional<Order> Order::from_text(std::string_view text)
{
    Order order;
    order.descending = text.starts_with('-');
    text.remove_prefix(order.descending ? 1 : 0);
    if (text == "id") {
        order.field = OrderField::id;
    } else if (text == "created_date") {
        order.field = OrderField::created_date;
    } else if (text == "modified_date") {
        order.field = OrderField::modified_date;
    } else {
        return std::nullopt;
    }
    return order;
}

ListData::ListData(std::string path, std::uint64_t seed, std::int64_t first_id, std::size_t rows)
    : path_(std::move(path)), seed_(seed_for(seed, path_)), last_id_(first_id)
{
    for (std::size_t number = 0; number < rows; ++number) {
        const auto id = ++last_id_;
        rows_.emplace(id, Row::from_item(seeded_item(path_, seed_, id, number, seeded_date(number, rows))));
    }
}

const Row* ListData::find(std::int64_t id) const
{
    const auto found = rows_.find(id);
    return found == rows_.end() ? nullptr : &found->second;
}

const ListData::View& ListData::ordered(Order order) const
{
    const auto present = views_.find(order);
    if (present != views_.end()) {
        return present->second;
    }
    const auto rank = [&](const Row& row) {
        switch (order.field) {
        case OrderField::created_date: return row.created;
        case OrderField::modified_date: return row.modified;
        case OrderField::id: break;
        }
        return Instant::from_micros(row.id);
    };
    View view;
    view.reserve(rows_.size());
    for (const auto& [id, row] : rows_) {
        view.push_back(&row);
    }
    // Rows come in the order of their ids, so equal ranks keep it.
    std::stable_sort(view.begin(), view.end(), [&](const Row* a, const Row* b) { return rank(*a) < rank(*b); });
    if (order.descending) {
        std::reverse(view.begin(), view.end());
    }
    return views_.emplace(order, std::move(view)).first->second;
}

void ListData::add(Json item, Instant now)
{
    const auto id = id_of(item).value_or(last_id_ + 1);
    last_id_ = std::max(last_id_, id);
    auto whole = Json::object({{"id", id}, {"url", fmt::format("{}{}/{}/", api_root, path_, id)}});
    for (auto& [key, value] : item.members) {
        if (key != "id" && key != "url") {
            whole.set(key, std::move(value));
        }
    }
    for (const char* key : {"created_date", "modified_date"}) {
        if (whole.find(key) == nullptr) {
            whole.set(key, now.to_text());
        }
    }
    rows_.insert_or_assign(id, Row::from_item(whole));
}

void ListData::change(const Json& fields, Instant now)
{
    const auto found = rows_.find(id_of(fields).value_or(0));
    if (found == rows_.end()) {
        return;
    }
    auto item = parse_json(found->second.text).value();
    if (item.find("modified_date") != nullptr) {
        item.set("modified_date", now.to_text());
    }
    for (const auto& [key, value] : fields.members) {
        if (key != "id" && key != "url") {
            item.set(key, value);
        }
    }
    found->second = Row::from_item(item);
}

void ListData::apply(const Edit& edit, Instant now)
{
    for (const auto& fields : edit.change) {
        change(fields, now);
    }
    for (const auto id : edit.remove) {
        rows_.erase(id);
    }
    if (edit.remove_newest > 0) {
        const auto& newest = ordered({});
        for (std::size_t at = 0; at < std::min(edit.remove_newest, newest.size()); ++at) {
            rows_.erase(newest[at]->id);
        }
    }
    for (const auto& item : edit.add) {
        add(item, now);
    }
    for (std::size_t number = 0; number < edit.add_seeded; ++number) {
        const auto id = ++last_id_;
        const auto created = now + std::chrono::microseconds(number);
        rows_.insert_or_assign(id,
                               Row::from_item(seeded_item(path_, seed_, id, static_cast<std::size_t>(id), created)));
    }
    views_.clear();
}

void ListData::apply_after(std::size_t page, Edit edit)
{
    pending_.push_back({page, std::move(edit)});
}

void ListData::page_served(std::size_t page, Instant now)
{
    std::vector<Edit> due;
    std::erase_if(pending_, [&](Pending& pending) {
        pending.armed = pending.armed || page == 1;
        if (!pending.armed || pending.page != page) {
            return false;
        }
        due.push_back(std::move(pending.edit));
        return true;
    });
    for (const auto& edit : due) {
        apply(edit, now);
    }
}

Json ListData::detail(const Row& row) const
{
    auto item = parse_json(row.text).value();
    if (path_ == "library/recipes") {
        add_recipe_detail(item, seed_, row.id);
    }
    return item;
}

}  // namespace shelfd::sim
