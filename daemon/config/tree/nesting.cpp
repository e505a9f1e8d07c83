#include "config/tree/nesting.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <vector>

namespace shelfd::config {
namespace {

class NestingScan {
public:
    explicit NestingScan(std::string_view text) : text_(text) {}

    std::optional<DeepPlace> run()
    {
        while (at_ < text_.size()) {
            take();
            if (depth() > deepest_nesting) {
                return place();
            }
        }
        return std::nullopt;
    }

private:
    // A bracket that is open at the current position.
    struct Bracket {
        bool is_table;
        std::size_t key;  // levels of the key before it
    };

    std::size_t depth() const { return header_ + outer_ + brackets_.size() + key_; }

    void take()
    {
        const char c = text_[at_];
        switch (c) {
        case '"':
        case '\'': skip_string(c); return;
        case '#': at_ = std::min(text_.find('\n', at_), text_.size()); return;
        case '\n': end_line(); break;
        case '[': in_key_&& brackets_.empty() && is_first_ ? begin_header() : open(false); break;
        case '{': open(true); break;
        case ']':
        case '}': close(); break;
        case ',': begin_key_in_table(); break;
        case '=': in_key_ = false; break;
        case '.': key_ += in_key_ ? 1 : 0; break;
        default: break;
        }
        is_first_ = is_first_ && (c == ' ' || c == '\t' || c == '\n' || c == '\r');
        ++at_;
    }

    void end_line()
    {
        if (!brackets_.empty()) {
            return;
        }
        if (in_header_) {
            header_ = key_ + 1;
            in_header_ = false;
        }
        key_ = 0;
        in_key_ = true;
        is_first_ = true;
    }

    // [table] and [[table]]: the second bracket follows immediately and does not count.
    void begin_header()
    {
        header_ = 0;
        in_header_ = true;
        at_ += text_.substr(at_ + 1).starts_with('[') ? 1 : 0;
    }

    void open(bool is_table)
    {
        brackets_.push_back({is_table, key_});
        outer_ += key_;
        key_ = 0;
        in_key_ = is_table;
    }

    void close()
    {
        if (in_header_ || brackets_.empty()) {
            return;
        }
        key_ = brackets_.back().key;
        outer_ -= key_;
        brackets_.pop_back();
        in_key_ = false;
    }

    void begin_key_in_table()
    {
        if (!brackets_.empty() && brackets_.back().is_table) {
            key_ = 0;
            in_key_ = true;
        }
    }

    void skip_string(char quote)
    {
        const std::string_view three(quote == '"' ? "\"\"\"" : "'''");
        const bool is_long = text_.substr(at_).starts_with(three);
        at_ += is_long ? 3 : 1;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\\' && quote == '"') {
                at_ += 2;
            } else if (c == '\n' && !is_long) {
                return;  // a syntax fault
            } else if (c == quote && (!is_long || text_.substr(at_).starts_with(three))) {
                at_ += is_long ? 3 : 1;
                // Up to two quotes before the closing three belong to the string.
                for (int more = 0; is_long && more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) {
                    ++at_;
                }
                is_first_ = false;
                return;
            } else {
                ++at_;
            }
        }
        at_ = text_.size();
    }

    DeepPlace place() const
    {
        DeepPlace found;
        for (const char c : text_.substr(0, at_ - 1)) {
            const bool continues = (static_cast<unsigned char>(c) & 0xc0) == 0x80;
            found.column = c == '\n' ? 1 : found.column + (continues ? 0 : 1);
            found.line += c == '\n' ? 1 : 0;
        }
        return found;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<Bracket> brackets_;
    std::size_t header_ = 0;  // levels of the table of this line
    std::size_t outer_ = 0;   // levels of the keys before the open brackets
    std::size_t key_ = 0;     // dots of the key read now or last
    bool in_key_ = true;
    bool in_header_ = false;
    bool is_first_ = true;  // only blanks since the beginning of the line
};

}  // namespace

std::optional<DeepPlace> find_deep_nesting(std::string_view text)
{
    return NestingScan(without_byte_order_mark(text)).run();
}

}  // namespace shelfd::config
