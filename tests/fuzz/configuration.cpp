// A configuration file.
#include "config/bind/bind.hpp"
#include "config/check/tree_check.hpp"
#include "config/show.hpp"
#include "config/tree/environment.hpp"
#include "config/tree/nesting.hpp"
#include "config/tree/toml_reader.hpp"
#include "fuzz/input.hpp"

#include <algorithm>

using namespace shelfd;
using namespace shelfd::config;
using fuzz::promise;

namespace {

const std::string file_name = "shelfd.toml";

std::size_t depth_of(const Node& node)
{
    std::size_t deepest = 0;
    for (const auto& child : node.children) {
        deepest = std::max(deepest, depth_of(child));
    }
    return deepest + 1;
}

// As load() does it, but for the files.
std::optional<Configuration> read(std::string_view text, FaultList& faults)
{
    auto tree = read_toml(text, file_name, faults);
    if (!tree) {
        promise(!faults.empty(), "what cannot be read has a fault");
        return std::nullopt;
    }
    promise(depth_of(*tree) <= 2 * deepest_nesting + 2, "no tree is deeper than it may be");
    expand_environment(*tree, {{"NAME", "value"}}, faults);
    check_tree(*tree, {faults, "", Secrets::not_now});
    auto configuration = bind(*tree, KeepOrigins::no, faults);
    return faults.empty() ? std::optional(std::move(configuration)) : std::nullopt;
}

void check_faults(const std::vector<Fault>& faults, std::string_view text)
{
    const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    for (const auto& fault : faults) {
        promise(!fault.text.empty(), "a fault says what is wrong");
        promise(fault.position.line >= 1 && fault.position.line <= lines, "and in which line of the file");
        promise(fault.position.column >= 1, "and where in it");
        promise(fault.text.find('\n') == std::string::npos, "in one line");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::text_of(data, size);
    FaultList faults;
    const auto configuration = read(text, faults);
    if (!configuration) {
        promise(!faults.empty(), "a configuration that is refused has a fault");
        check_faults(faults.take_faults({file_name}), text);
        return 0;
    }
    const auto shown = show(*configuration, ShowOrigin::no);
    FaultList others;
    const auto again = read(shown, others);
    promise(again.has_value(), "what is shown can be read");
    promise(again->libraries == configuration->libraries && again->storage == configuration->storage &&
                again->control == configuration->control,
            "and means the same");
    return 0;
}
