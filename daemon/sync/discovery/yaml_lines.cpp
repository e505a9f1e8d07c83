#include "sync/discovery/yaml_lines.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace shelfd::sync {
namespace {

constexpr int max_depth = 40;

bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

// The place behind the text in quotes that begins at `at`; npos if it does not end.
std::size_t end_of_quoted(std::string_view text, std::size_t at)
{
    const char quote = text[at];
    for (++at; at < text.size(); ++at) {
        if (quote == '"' && text[at] == '\\') {
            ++at;
        } else if (text[at] == quote) {
            if (quote == '"' || at + 1 == text.size() || text[at + 1] != quote) {
                return at + 1;
            }
            ++at;  // '' is an apostrophe
        }
    }
    return std::string_view::npos;
}

std::string unquoted(std::string_view text)
{
    text = trimmed(text);
    const bool is_quoted = text.size() >= 2 && is_quote(text.front()) && text.back() == text.front();
    return std::string(is_quoted ? text.substr(1, text.size() - 2) : text);
}

// A comment begins with # behind a blank.
std::size_t begin_of_comment(std::string_view text)
{
    for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
        if (at == 0 || is_blank(text[at - 1])) {
            return at;
        }
    }
    return text.size();
}

// What stands in a line: the text in quotes, or all up to a comment.
std::string_view scalar_in(std::string_view value)
{
    value = trimmed(value);
    if (!value.empty() && is_quote(value.front())) {
        return value.substr(0, end_of_quoted(value, 0));
    }
    return trimmed(value.substr(0, begin_of_comment(value)));
}

// Without "&anchor" and "!tag" before it.
std::string_view bare_value(std::string_view value)
{
    value = trimmed(value);
    while (value.starts_with('&') || value.starts_with('!')) {
        value = trimmed(value.substr(std::min(value.find_first_of(" \t"), value.size())));
    }
    return value;
}

// Of the colon behind a key; npos if there is none.
std::size_t colon_in(std::string_view line)
{
    if (!line.empty() && is_quote(line.front())) {
        // A path in quotes may hold a colon.
        const auto end = end_of_quoted(line, 0);
        const auto colon = end == std::string_view::npos ? end : line.find_first_not_of(" \t", end);
        return colon != std::string_view::npos && line[colon] == ':' ? colon : std::string_view::npos;
    }
    for (auto at = line.find(':'); at != std::string_view::npos; at = line.find(':', at + 1)) {
        if (at + 1 == line.size() || is_blank(line[at + 1])) {
            return at < begin_of_comment(line) ? at : std::string_view::npos;
        }
    }
    return std::string_view::npos;
}

// Reads a value in flow style, character by character.
class Flow {
public:
    Flow(std::string_view text, const std::function<void(const YamlLine&)>& take) : text_(text), take_(take) {}

    bool value(std::size_t indent, int depth)
    {
        if (depth > max_depth) {
            return false;
        }
        const char end = text_[at_++] == '{' ? '}' : ']';
        for (skip(); at_ < text_.size(); skip()) {
            if (text_[at_] == end) {
                ++at_;
                return true;
            }
            if (text_[at_] == ',') {
                ++at_;
            } else if (!(end == '}' ? member(indent, depth) : element(indent, depth))) {
                return false;
            }
        }
        return false;
    }

    std::size_t at() const { return at_; }

private:
    bool opens() const { return at_ < text_.size() && (text_[at_] == '{' || text_[at_] == '['); }

    bool element(std::size_t indent, int depth) { return opens() ? value(indent, depth + 1) : scalar().has_value(); }

    bool member(std::size_t indent, int depth)
    {
        auto key = scalar();
        if (!key) {
            return false;
        }
        YamlLine line{indent, std::move(*key), ""};
        skip();
        if (at_ == text_.size() || text_[at_] != ':') {
            take_(line);
            return true;
        }
        ++at_;
        skip();
        if (opens()) {
            take_(line);
            return value(indent + 1, depth + 1);
        }
        const bool is_empty = at_ < text_.size() && (text_[at_] == ',' || text_[at_] == '}');
        auto content = is_empty ? std::optional<std::string>("") : scalar();
        if (!content) {
            return false;
        }
        line.value = std::move(*content);
        take_(line);
        return true;
    }

    std::optional<std::string> scalar()
    {
        const auto begin = at_;
        if (at_ < text_.size() && is_quote(text_[at_])) {
            const auto end = end_of_quoted(text_, at_);
            if (end == std::string_view::npos) {
                return std::nullopt;
            }
            at_ = end;
        } else {
            while (at_ < text_.size() && !ends_scalar()) {
                ++at_;
            }
        }
        return at_ == begin ? std::nullopt : std::optional(unquoted(text_.substr(begin, at_ - begin)));
    }

    bool ends_scalar() const
    {
        const char c = text_[at_];
        const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : ' ';
        return std::string_view("{}[],").find(c) != std::string_view::npos || (is_blank(c) && next == '#') ||
               (c == ':' && (is_blank(next) || std::string_view("{}[],").find(next) != std::string_view::npos));
    }

    // Blanks and comments.
    void skip()
    {
        while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '#')) {
            if (text_[at_] == '#' && (at_ == 0 || is_blank(text_[at_ - 1]))) {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (text_[at_] == '#') {
                return;
            } else {
                ++at_;
            }
        }
    }

    std::string_view text_;
    const std::function<void(const YamlLine&)>& take_;
    std::size_t at_ = 0;
};

// The value in flow style that begins at `at`, as far as it can be read. It ends early before a line that is not
// indented further than `outer`, unless that closes it.
std::string_view flow_at(std::string_view text, std::size_t at, std::optional<std::size_t> outer)
{
    const std::function<void(const YamlLine&)> ignore = [](const YamlLine&) {};
    Flow flow(text.substr(at), ignore);
    (void)flow.value(0, 0);
    const auto all = text.substr(at, flow.at());
    for (auto end = all.find('\n'); outer && end != std::string_view::npos; end = all.find('\n', end + 1)) {
        const auto first = all.find_first_not_of(' ', end + 1);
        if (first != std::string_view::npos && first - end - 1 <= *outer &&
            std::string_view("}]\r\n").find(all[first]) == std::string_view::npos) {
            return all.substr(0, end);
        }
    }
    return all;
}

}  // namespace

std::optional<YamlLine> YamlLines::next()
{
    while (at_ < text_.size()) {
        const auto begin = at_;
        const auto end = std::min(text_.find('\n', at_), text_.size());
        at_ = std::min(end + 1, text_.size());
        ++number_;
        auto line = text_.substr(begin, end - begin);
        line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
        if (!line.empty()) {
            if (auto read = read_line(line, begin)) {
                return read;
            }
        }
    }
    return std::nullopt;
}

std::optional<YamlLine> YamlLines::read_line(std::string_view line, std::size_t begin)
{
    const auto outer = line.find_first_not_of(' ');
    if (text_below_ && outer > *text_below_) {
        return std::nullopt;
    }
    text_below_.reset();
    YamlLine read;
    read.indent = outer;
    read.number = number_;
    while (line.substr(read.indent).starts_with("- ")) {
        read.indent = line.find_first_not_of(' ', read.indent + 1);
    }
    const auto content = line.substr(read.indent);
    if (content.front() == '#') {
        return std::nullopt;
    }
    if (content.front() == '{' || content.front() == '[') {
        take_value(read, content, begin + read.indent, read.indent == 0 ? std::nullopt : std::optional(outer));
        return read;
    }
    if (content.starts_with("? ")) {
        read.key = "?";  // its value is the key, and may be long
        return read;
    }
    const auto colon = colon_in(content);
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    read.key = unquoted(content.substr(0, colon));
    take_value(read, content.substr(colon + 1), begin + read.indent + colon + 1, outer);
    return read;
}

// `at`: its place in the whole text.
void YamlLines::take_value(YamlLine& line, std::string_view value, std::size_t at, std::optional<std::size_t> outer)
{
    const auto bare = bare_value(value);
    if (!bare.starts_with('{') && !bare.starts_with('[')) {
        line.value = unquoted(scalar_in(bare));
        if (bare.starts_with('|') || bare.starts_with('>')) {
            text_below_ = line.indent;
        }
        return;
    }
    line.flow = flow_at(text_, at + static_cast<std::size_t>(bare.data() - value.data()), outer);
    const auto end = static_cast<std::size_t>(line.flow.data() - text_.data()) + line.flow.size();
    if (end > at_) {
        number_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                       text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
        at_ = end;
        const auto rest = std::min(text_.find('\n', end), text_.size());  // of the line that closes it
        number_ += 1;
        at_ = std::min(rest + 1, text_.size());
    }
}

bool read_flow(std::string_view flow, std::size_t indent, const std::function<void(const YamlLine&)>& take)
{
    return !flow.empty() && Flow(flow, take).value(indent, 0);
}

}  // namespace shelfd::sync
