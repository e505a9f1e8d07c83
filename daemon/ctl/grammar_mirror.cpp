#include "ctl/change_reader.hpp"
#include "ctl/grammar.hpp"

#include <fmt/format.h>

namespace shelfd::ctl {

void Grammar::add_mirror_verbs()
{
    auto& changes = verb(app_, Verb::changes, "changes", "what was added, changed and deleted; needs no daemon");
    library(changes, true);
    const auto check = [](const std::string& text) {
        return text == "now" || Position::parse(text)
                   ? ""
                   : fmt::format("\"{}\" is no position: write now, or FEED:SEQ as an earlier call printed it", text);
    };
    changes.add_option("--since", command_.since, "a position that was printed before, or now (the oldest kept)")
        ->check(check)
        ->type_name("FEED:SEQ");
    changes.add_option("--resource", command_.resource, "of one table alone")->type_name("RESOURCE");
    changes.add_flag("--follow", command_.follow, "go on until interrupted");
    json(changes, "JSON lines");
}

}  // namespace shelfd::ctl
