#include "ctl/comparison/select_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace shelfd::ctl {
namespace {

// One result of a SELECT.
struct Item {
    std::string alias;   // "" = none
    std::string column;  // "" = another expression
    bool is_star = false;
    bool is_cast = false;
};

struct Select {
    std::vector<Item> items;
    bool is_compound = false;
};

// What is between two parentheses, or the whole statement.
struct Frame {
    std::vector<std::size_t> selects;
};

class Parser {
public:
    explicit Parser(const std::vector<SqlToken>& tokens) : tokens_(tokens) {}

    void run()
    {
        std::vector<Frame> frames(1);
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (at(i).is_sign("(")) {
                frames.emplace_back();
                note_column_list(i);
            } else if (at(i).is_sign(")") && frames.size() > 1) {
                frames.pop_back();
            } else if (at(i).is_word("select")) {
                frames.back().selects.push_back(selects_.size());
                read_items(i + 1);
                // Further ones without parentheses are the parts of a compound.
                for (const auto one : frames.back().selects) {
                    selects_[one].is_compound = frames.back().selects.size() > 1;
                }
            } else if (at(i).is_word("values") && !frames.back().selects.empty()) {
                selects_[frames.back().selects.back()].is_compound = true;
            } else if (at(i).is_word("order") && at(i + 1).is_word("by") && frames.back().selects.size() == 1) {
                read_keys(i + 2, frames.back().selects.back());
            }
        }
        note_other_names();
    }

    const std::vector<Select>& selects() const { return selects_; }
    const std::vector<std::pair<std::size_t, Item>>& keys() const { return keys_; }
    const std::set<std::string>& others() const { return others_; }

private:
    const SqlToken& at(std::size_t i) const
    {
        static const SqlToken outside;
        return i < tokens_.size() ? tokens_[i] : outside;
    }

    static bool is_one_of(const SqlToken& token, std::initializer_list<std::string_view> words)
    {
        return token.kind == SqlToken::Kind::word && std::find(words.begin(), words.end(), token.text) != words.end();
    }

    static bool ends_items(const SqlToken& token)
    {
        return token.kind == SqlToken::Kind::end || token.is_sign(")") || token.is_sign(";") ||
               is_one_of(token, {"from", "where", "group", "having", "window", "order", "limit", "union", "except",
                                 "intersect"});
    }

    // The end of what begins at `i`: a comma, or what `ends` says, outside of parentheses.
    template <typename Ends>
    std::size_t end_of(std::size_t i, Ends ends) const
    {
        for (int depth = 0; i < tokens_.size(); ++i) {
            if (depth == 0 && (at(i).is_sign(",") || ends(at(i)))) {
                return i;
            }
            depth += at(i).is_sign("(") ? 1 : at(i).is_sign(")") ? -1 : 0;
        }
        return i;
    }

    void read_items(std::size_t i)
    {
        Select select;
        i += is_one_of(at(i), {"distinct", "all"}) ? 1 : 0;
        for (;;) {
            const auto end = end_of(i, ends_items);
            select.items.push_back(read_item(i, end));
            if (!at(end).is_sign(",")) {
                break;
            }
            i = end + 1;
        }
        selects_.push_back(std::move(select));
    }

    Item read_item(std::size_t first, std::size_t end)
    {
        Item item;
        auto last = end;  // of the expression
        if (end - first >= 2 && at(end - 1).is_name() && !at(end - 1).is_word("as")) {
            const auto& before = at(end - 2);
            const bool follows_value = before.is_sign(")") || before.kind == SqlToken::Kind::number ||
                                       before.kind == SqlToken::Kind::text || before.kind == SqlToken::Kind::quoted ||
                                       before.is_word("end");
            const bool follows_column = before.kind == SqlToken::Kind::word && !column_in(first, end - 1).empty();
            if (before.is_word("as")) {
                last = end - 2;
            } else if (follows_value || follows_column) {
                last = end - 1;
            }
        }
        if (last != end) {
            item.alias = at(end - 1).text;
            named_.insert(end - 1);
        }
        item.is_star = end > first && at(end - 1).is_sign("*");
        item.is_cast = at(first).is_word("cast");
        item.column = column_in(first, last);
        return item;
    }

    // The column if there is nothing but its name, with tables before it or in parentheses; "" = something else.
    std::string column_in(std::size_t first, std::size_t end) const
    {
        while (end - first >= 3 && at(first).is_sign("(") && at(end - 1).is_sign(")")) {
            ++first;
            --end;
        }
        while (end - first >= 3 && at(first).is_name() && at(first + 1).is_sign(".")) {
            first += 2;
        }
        const bool is_value = is_one_of(
            at(first), {"null", "true", "false", "current_date", "current_time", "current_timestamp", "rowid", "oid"});
        return end - first == 1 && at(first).is_name() && !is_value ? at(first).text : "";
    }

    void read_keys(std::size_t i, std::size_t select)
    {
        const auto ends = [](const SqlToken& token) {
            return token.kind == SqlToken::Kind::end || token.is_sign(")") || token.is_sign(";") ||
                   is_one_of(token, {"limit"});
        };
        for (;;) {
            const auto end = end_of(i, ends);
            auto last = end;
            while (last > i + 1 && is_one_of(at(last - 1), {"asc", "desc", "nulls", "first", "last"})) {
                --last;
            }
            if (last == i + 1) {
                if (const auto item = find_item(at(i), selects_[select])) {
                    keys_.emplace_back(select, *item);
                }
            }
            if (!at(end).is_sign(",")) {
                return;
            }
            i = end + 1;
        }
    }

    // The result that a sort key means by its position or its name.
    static std::optional<Item> find_item(const SqlToken& key, const Select& select)
    {
        const auto& items = select.items;
        if (key.kind == SqlToken::Kind::number) {
            std::size_t position = 0;
            const auto* end = key.text.data() + key.text.size();
            const auto read = std::from_chars(key.text.data(), end, position);
            const bool is_there = read.ec == std::errc() && read.ptr == end && position > 0 && position <= items.size();
            const auto upto = items.begin() + static_cast<std::ptrdiff_t>(is_there ? position : 0);
            return is_there && std::none_of(items.begin(), upto, [](const Item& one) { return one.is_star; })
                       ? std::optional(items[position - 1])
                       : std::nullopt;
        }
        const auto found = std::find_if(items.begin(), items.end(), [&](const Item& one) {
            return key.is_name() && !one.alias.empty() && one.alias == key.text;
        });
        return found != items.end() ? std::optional(*found) : std::nullopt;
    }

    // WITH name (a, b) AS (…): the names are those of its results.
    void note_column_list(std::size_t open)
    {
        auto i = open + 1;
        while (at(i).is_name() && at(i + 1).is_sign(",")) {
            i += 2;
        }
        const auto& body = at(i + 3);
        const bool is_list = open > 0 && at(open - 1).is_name() && at(i).is_name() && at(i + 1).is_sign(")") &&
                             at(i + 2).is_word("as") && (body.is_sign("(") || is_one_of(body, {"not", "materialized"}));
        for (auto name = open + 1; is_list && name <= i; name += 2) {
            others_.insert(at(name).text);
        }
    }

    // Tables that are named with AS, and the types of a CAST.
    void note_other_names()
    {
        for (std::size_t i = 1; i < tokens_.size(); ++i) {
            if (at(i).is_name() && at(i - 1).is_word("as") && !named_.contains(i)) {
                others_.insert(at(i).text);
            }
        }
    }

    const std::vector<SqlToken>& tokens_;
    std::vector<Select> selects_;
    std::vector<std::pair<std::size_t, Item>> keys_;  // with the number of their SELECT
    std::set<std::size_t> named_;                     // positions of names of results
    std::set<std::string> others_;
};

// The end of a chain of names; "" if it has none.
std::string follow(const std::map<std::string, std::string>& sources, std::string name)
{
    for (std::size_t steps = 0; steps <= sources.size(); ++steps) {
        const auto next = sources.find(name);
        if (next == sources.end()) {
            return name;
        }
        name = next->second;
    }
    return "";
}

}  // namespace

SelectNames read_select_names(const std::vector<SqlToken>& tokens,
                              const std::function<bool(const std::string&)>& is_column)
{
    Parser parser(tokens);
    parser.run();
    SelectNames names;
    names.renamed = parser.others();
    std::map<std::string, std::set<std::string>> meanings;  // by name: columns, "" = another expression
    std::map<std::string, bool> casts;
    for (const auto& select : parser.selects()) {
        for (const auto& item : select.items) {
            if (item.alias.empty()) {
                continue;
            }
            if (item.alias != item.column) {
                names.renamed.insert(item.alias);
            }
            meanings[item.alias].insert(select.is_compound ? "" : item.column);
            const auto known = casts.find(item.alias);
            casts[item.alias] = item.is_cast && !select.is_compound && (known == casts.end() || known->second);
        }
    }
    std::map<std::string, std::string> sources;
    for (const auto& [alias, columns] : meanings) {
        const auto& column = *columns.begin();
        const bool is_certain = columns.size() == 1 && !parser.others().contains(alias) && !is_column(alias);
        if (is_certain && !column.empty() && column != alias) {
            sources[alias] = column;
        } else if (is_certain && casts[alias]) {
            names.casts.insert(alias);
        }
    }
    for (const auto& [alias, column] : sources) {
        if (const auto end = follow(sources, column); !end.empty() && !names.renamed.contains(end)) {
            names.aliases[alias] = end;
        }
    }
    for (const auto& [select, item] : parser.keys()) {
        const auto known = names.aliases.find(item.column);
        const auto column = known != names.aliases.end() ? known->second : item.column;
        if (!column.empty() && !parser.selects()[select].is_compound && !names.renamed.contains(column)) {
            names.sorted.insert(column);
        }
    }
    return names;
}

}  // namespace shelfd::ctl
