// One item: its members, each stored in a column of every kind and read from there.
#include "fuzz/input.hpp"
#include "fuzz/scratch_file.hpp"
#include "mirror/columns/encode.hpp"
#include "mirror/columns/kind.hpp"
#include "mirror/json/instants.hpp"
#include "mirror/json/object.hpp"
#include "mirror/json/text.hpp"
#include "storage/sqlite.hpp"

#include <array>
#include <cmath>

using namespace shelfd;
using namespace shelfd::mirror;
using fuzz::promise;

namespace {

storage::Statement prepare()
{
    static const fuzz::ScratchFile file;
    file.fill("");
    static auto database = storage::Database::open(file.path(), storage::OpenMode::scratch);
    auto statement = database->prepare("SELECT ?");
    return std::move(*statement);
}

void bind(storage::Statement& row, const Encoded& stored)
{
    switch (stored.storage) {
    case Storage::null: row.bind_null(1); break;
    case Storage::integer: row.bind(1, stored.integer); break;
    case Storage::real: row.bind(1, stored.real); break;
    case Storage::text: row.bind(1, stored.text); break;
    }
}

// Equal as JSON: strings by what they say, all else by its text.
bool says_the_same(const Member& sent, std::string_view decoded)
{
    if (sent.type != JsonType::string || sent.value == decoded) {
        return sent.value == decoded;
    }
    std::string before;
    std::string after;
    return decoded.size() >= 2 && decoded.front() == '"' && unescape(sent.inside(), before) == Fidelity::exact &&
           unescape(decoded.substr(1, decoded.size() - 2), after) == Fidelity::exact && before == after;
}

bool is_same_instant(const Member& sent, std::string_view decoded)
{
    std::string text;
    unescape(sent.inside(), text);
    const auto before = Instant::from_rfc3339(text);
    const auto after = Instant::from_rfc3339(decoded.substr(1, decoded.size() - 2));
    return before && before == after;
}

void check_stored(const Member& member, Kind kind, storage::Statement& row)
{
    TextArena workshop;
    const auto stored = encode(kind, member, workshop);
    promise(stored.storage != Storage::real || !std::isnan(stored.real), "no number is none");
    if (!stored.exact) {
        return;
    }
    bind(row, stored);
    promise(row.step().value_or(false), "a value can be stored");
    const auto decoded = decode(kind, row, 0);
    row.reset();
    promise(check_value(decoded) == nullptr, "what is read back is JSON");
    promise(says_the_same(member, decoded) || (kind == Kind::datetime && is_same_instant(member, decoded)),
            "what is called exact is read back as it was sent");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static auto row = prepare();
    const auto text = fuzz::text_of(data, size);
    std::vector<Member> members;
    const bool is_object = parse_members(text, members) == nullptr;
    if (!is_object) {
        const auto first = text.find_first_not_of(" \t\r\n");
        promise(first == text.npos || text[first] != '{' || check_value(text) != nullptr,
                "a value in braces is an object");
        return 0;
    }
    for (const auto& member : members) {
        promise(check_value(member.value) == nullptr, "a member's value is JSON by itself");
        const auto value = class_of(member);
        promise(value == is_null || expects(kind_for(value), value), "a column made for a value expects it");
        for (const auto kind : {Kind::undecided, Kind::integer, Kind::real, Kind::text, Kind::boolean, Kind::datetime,
                                Kind::date, Kind::json, Kind::any}) {
            check_stored(member, kind, row);
        }
        std::string key;
        if (unescape(member.key, key) == Fidelity::exact) {
            std::string again;
            const auto quoted = quoted_json(key);
            promise(check_value(quoted) == nullptr, "a quoted text is JSON");
            unescape(std::string_view(quoted).substr(1, quoted.size() - 2), again);
            promise(key == again, "a text is quoted and read as the same");
        }
        if (member.type == JsonType::number) {
            const auto number = real_of(member.value);
            promise(!std::isfinite(number) || real_of(real_text(number)) == number,
                    "a number is written and read as the same");
        }
    }
    return 0;
}
