#include "sync/service/envelope_kind.hpp"

#include "base/words/cure.hpp"
#include "mirror/json/object.hpp"
#include "mirror/json/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace shelfd::sync {
namespace {

enum class Level { top, below };

// Names of members that hold arrays, "items" or "data.items", which may be the rows.
void find_arrays(std::string_view object, const std::string& place, Level level, std::vector<std::string>& found)
{
    std::vector<mirror::Member> members;
    if (mirror::parse_members(object, members) != nullptr) {
        return;
    }
    for (const auto& member : members) {
        std::string name;
        mirror::unescape(member.key, name);
        if (member.type == mirror::JsonType::array) {
            found.push_back(place + name);
        } else if (member.type == mirror::JsonType::object && level == Level::top) {
            find_arrays(member.value, name + ".", Level::below, found);
        }
    }
}

}  // namespace

std::optional<Envelope> agree(std::optional<Envelope> known, Envelope seen)
{
    const auto counts = [](Envelope envelope) { return envelope == Envelope::counted || envelope == Envelope::offset; };
    const auto is_either = [](Envelope envelope) {
        return envelope == Envelope::cursor || envelope == Envelope::uncounted;
    };
    if (!known || *known == seen) {
        return seen;
    }
    if (is_either(*known) && is_either(seen)) {
        return Envelope::uncounted;
    }
    return counts(*known) && counts(seen) ? std::optional(Envelope::offset) : std::nullopt;
}

std::optional<Envelope> agree_behind_first(Envelope known, Envelope seen)
{
    const bool counts = known == Envelope::counted || known == Envelope::offset;
    const bool counts_no_more = seen == Envelope::cursor || seen == Envelope::uncounted;
    return counts && counts_no_more ? known : agree(known, seen);
}

Error unreadable(std::string_view what)
{
    return Error(ErrorKind::protocol, fmt::format("the answer is not readable as a page of a list: {}", what));
}

Error misfit(std::string why, std::string cure)
{
    return Error(ErrorKind::config, std::move(why)).with(TroubleSource::shape).advise("; ", std::move(cure));
}

Error other_shape(std::string_view seen, config::Answers answers)
{
    if (answers == config::Answers::object) {
        return misfit(fmt::format("the answer is {}, not one object", seen), "check `path` and `answers`");
    }
    return misfit(
        fmt::format("the answer is {}, not a list (an array, or an object with \"results\" and \"next\")", seen),
        "check `path`, or set answers = \"object\"");
}

Error no_rows(std::string_view object)
{
    constexpr std::size_t most = 3;
    constexpr std::size_t longest = 100;
    std::vector<std::string> arrays;
    find_arrays(object, "", Level::top, arrays);
    if (arrays.empty() || arrays.front().size() > longest) {
        return other_shape("one object", config::Answers::list);
    }
    const bool is_one = arrays.size() == 1;
    arrays.resize(std::min(arrays.size(), most));
    return misfit(fmt::format("the answer is one object, not a list (an array, or an object with \"results\" and "
                              "\"next\"): {} hold{} an array, but rows are read from \"results\" only, and no setting "
                              "names another member",
                              fmt::join(arrays, ", "), is_one ? "s" : ""),
                  std::string(Cure(CureKind::check_path_or_object).words()));
}

Error other_type(std::string_view member, std::string_view wanted)
{
    return misfit(fmt::format("the answer has a member {} that is not {}, so it is not a list", member, wanted),
                  "check `path`");
}

}  // namespace shelfd::sync
