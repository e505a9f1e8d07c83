#include "mirror/json/object.hpp"

#include "mirror/json/plain_text.hpp"
#include "mirror/json/text.hpp"

#include <cstring>

namespace shelfd::mirror {

namespace {

// A cursor over the text. Each function moves it past what it read, or returns why it failed.
class Walker {
public:
    explicit Walker(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

    // Calls `visit` for each member; stops without an error when it returns false.
    template <typename Visit>
    const char* members(char open, char close, Visit visit);
    const char* value(Member& member, int depth);
    bool at_end()
    {
        skip_space();
        return at_ == end_;
    }

private:
    void skip_space()
    {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) {
            ++at_;
        }
    }
    bool take(char wanted)
    {
        if (at_ == end_ || *at_ != wanted) {
            return false;
        }
        ++at_;
        return true;
    }
    bool is_digit() const { return at_ != end_ && *at_ >= '0' && *at_ <= '9'; }
    std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

    const char* key(Member& member);
    const char* string(bool& escaped);
    const char* escape();
    const char* number(bool& whole);
    const char* word(std::string_view wanted);
    const char* container(char close, int depth);

    const char* at_;
    const char* end_;
};

const char* Walker::escape()
{
    if (at_ == end_) {
        return "a string does not end";
    }
    const char letter = *at_++;
    if (letter != 'u') {
        return std::strchr("\"\\/bfnrt", letter) != nullptr && letter != '\0' ? nullptr
                                                                              : "an unknown escape in a string";
    }
    for (int i = 0; i < 4; ++i) {
        if (at_ == end_ ||
            !((*at_ >= '0' && *at_ <= '9') || (*at_ >= 'a' && *at_ <= 'f') || (*at_ >= 'A' && *at_ <= 'F'))) {
            return "a \\u escape without four hexadecimal digits";
        }
        ++at_;
    }
    return nullptr;
}

// The opening quote has been read.
const char* Walker::string(bool& escaped)
{
    for (;;) {
        at_ = skip_plain(at_, end_);
        if (at_ == end_) {
            return "a string does not end";
        }
        const char c = *at_++;
        if (c == '"') {
            return nullptr;
        }
        if (c != '\\') {
            return "a control character inside a string";
        }
        escaped = true;
        if (const char* fault = escape()) {
            return fault;
        }
    }
}

const char* Walker::number(bool& whole)
{
    constexpr const char* fault = "an invalid number";
    take('-');
    if (!take('0')) {
        if (!is_digit()) {
            return fault;
        }
        while (is_digit()) {
            ++at_;
        }
    }
    whole = true;
    if (take('.')) {
        whole = false;
        if (!is_digit()) {
            return fault;
        }
        while (is_digit()) {
            ++at_;
        }
    }
    if (take('e') || take('E')) {
        whole = false;
        if (!take('+')) {
            take('-');
        }
        if (!is_digit()) {
            return fault;
        }
        while (is_digit()) {
            ++at_;
        }
    }
    return nullptr;
}

const char* Walker::word(std::string_view wanted)
{
    if (std::string_view(at_, left()).substr(0, wanted.size()) != wanted) {
        return "an invalid word";
    }
    at_ += wanted.size();
    return nullptr;
}

// The opening bracket has been read; `depth` is its nesting depth.
const char* Walker::container(char close, int depth)
{
    if (depth > max_nesting) {
        return "values nested deeper than 100 levels";
    }
    skip_space();
    if (take(close)) {
        return nullptr;
    }
    Member ignored;
    for (;;) {
        if (const char* fault = close == '}' ? key(ignored) : nullptr) {
            return fault;
        }
        if (const char* fault = value(ignored, depth)) {
            return fault;
        }
        skip_space();
        if (take(close)) {
            return nullptr;
        }
        if (!take(',')) {
            return "a comma or a closing bracket is missing";
        }
    }
}

const char* Walker::value(Member& member, int depth)
{
    skip_space();
    if (at_ == end_) {
        return "a value is missing";
    }
    const char* begin = at_;
    const char* fault = nullptr;
    member.escaped = false;
    member.whole = false;
    switch (*at_) {
    case '"':
        ++at_;
        member.type = JsonType::string;
        fault = string(member.escaped);
        break;
    case '{':
    case '[':
        member.type = *at_ == '{' ? JsonType::object : JsonType::array;
        fault = container(*at_++ == '{' ? '}' : ']', depth + 1);
        break;
    case 't':
    case 'f':
        member.type = JsonType::boolean;
        fault = word(*at_ == 't' ? "true" : "false");
        break;
    case 'n':
        member.type = JsonType::null;
        fault = word("null");
        break;
    default: member.type = JsonType::number; fault = number(member.whole);
    }
    member.value = std::string_view(begin, static_cast<std::size_t>(at_ - begin));
    return fault;
}

const char* Walker::key(Member& member)
{
    skip_space();
    const char* begin = at_;
    if (!take('"')) {
        return "an object's key is not a string";
    }
    if (const char* fault = string(member.key_escaped)) {
        return fault;
    }
    member.key = std::string_view(begin + 1, static_cast<std::size_t>(at_ - begin - 2));
    skip_space();
    return take(':') ? nullptr : "a key without a colon";
}

template <typename Visit>
const char* Walker::members(char open, char close, Visit visit)
{
    skip_space();
    if (!take(open)) {
        return open == '{' ? "not an object" : "not an array";
    }
    skip_space();
    if (take(close)) {
        return nullptr;
    }
    for (;;) {
        Member member;
        if (const char* fault = close == '}' ? key(member) : nullptr) {
            return fault;
        }
        if (const char* fault = value(member, 0)) {
            return fault;
        }
        if (!visit(member)) {
            at_ = end_;
            return nullptr;
        }
        skip_space();
        if (take(close)) {
            return nullptr;
        }
        if (!take(',')) {
            return "a comma or a closing bracket is missing";
        }
    }
}

bool has_key(const Member& member, std::string_view wanted)
{
    if (!member.key_escaped) {
        return member.key == wanted;
    }
    std::string key;
    return unescape(member.key, key) == Fidelity::exact && key == wanted;
}

auto collect_in(std::vector<Member>& members)
{
    return [&members](const Member& member) {
        members.push_back(member);
        return true;
    };
}

}  // namespace

const char* find_members(std::string_view object, std::span<const std::string> wanted, std::vector<Member>& found)
{
    found.assign(wanted.size(), Member());
    std::size_t missing = wanted.size();
    return Walker(object).members('{', '}', [&](const Member& member) {
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (found[i].value.empty() && has_key(member, wanted[i])) {
                found[i] = member;
                --missing;
            }
        }
        return missing > 0;
    });
}

const char* parse_members(std::string_view object, std::vector<Member>& members)
{
    Walker walker(object);
    if (const char* fault = walker.members('{', '}', collect_in(members))) {
        return fault;
    }
    return walker.at_end() ? nullptr : "something follows the object";
}

const char* parse_elements(std::string_view array, std::vector<Member>& elements)
{
    Walker walker(array);
    if (const char* fault = walker.members('[', ']', collect_in(elements))) {
        return fault;
    }
    return walker.at_end() ? nullptr : "something follows the array";
}

const char* check_value(std::string_view value)
{
    Walker walker(value);
    Member member;
    if (const char* fault = walker.value(member, 0)) {
        return fault;
    }
    return walker.at_end() ? nullptr : "something follows the value";
}

}  // namespace shelfd::mirror
