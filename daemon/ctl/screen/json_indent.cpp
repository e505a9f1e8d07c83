#include "ctl/screen/json_indent.hpp"

namespace shelfd::ctl {
namespace {

constexpr std::size_t step = 2;
// Each level adds blanks to each of its lines: a megabyte of brackets would become a terabyte.
constexpr std::size_t deepest = 256;

bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// The position after the closing quote of the string at `at`; npos if there is none.
std::size_t end_of_string(std::string_view json, std::size_t at)
{
    for (++at; at < json.size(); ++at) {
        if (json[at] == '\\') {
            ++at;
        } else if (json[at] == '"') {
            return at + 1;
        }
    }
    return std::string_view::npos;
}

std::size_t skip_blanks(std::string_view json, std::size_t at)
{
    while (at < json.size() && is_blank(json[at])) {
        ++at;
    }
    return at;
}

class Indenter {
public:
    explicit Indenter(std::string_view json) : json_(json) {}

    bool run()
    {
        for (auto at = skip_blanks(json_, 0); at < json_.size(); at = skip_blanks(json_, at)) {
            at = take(at);
            if (at == std::string_view::npos) {
                return false;
            }
        }
        return open_.empty() && !out_.empty();
    }
    std::string take_text() { return std::move(out_); }

private:
    // Returns the position after the value or bracket at `at`.
    std::size_t take(std::size_t at)
    {
        const char c = json_[at];
        switch (c) {
        case '{':
        case '[': return begin(at, c == '{' ? '}' : ']');
        case '}':
        case ']':
            if (open_.empty() || open_.back() != c) {
                return std::string_view::npos;
            }
            open_.pop_back();
            new_line();
            out_ += c;
            return at + 1;
        case ',':
            out_ += c;
            new_line();
            return open_.empty() ? std::string_view::npos : at + 1;
        case ':': out_ += ": "; return at + 1;
        case '"': {
            const auto end = end_of_string(json_, at);
            out_ += json_.substr(at, end == std::string_view::npos ? 0 : end - at);
            return end;
        }
        default: out_ += c; return at + 1;
        }
    }

    std::size_t begin(std::size_t at, char closing)
    {
        out_ += json_[at];
        const auto next = skip_blanks(json_, at + 1);
        if (next < json_.size() && json_[next] == closing) {
            out_ += closing;
            return next + 1;
        }
        open_ += closing;
        new_line();
        return open_.size() > deepest ? std::string_view::npos : at + 1;
    }

    void new_line() { out_ += '\n' + std::string(open_.size() * step, ' '); }

    std::string_view json_;
    std::string open_;  // the closing brackets still expected
    std::string out_;
};

}  // namespace

std::optional<std::string> indented(std::string_view json)
{
    Indenter indenter(json);
    return indenter.run() ? std::optional(indenter.take_text()) : std::nullopt;
}

}  // namespace shelfd::ctl
