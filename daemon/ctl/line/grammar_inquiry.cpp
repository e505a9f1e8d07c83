#include "ctl/line/grammar.hpp"

#include <CLI/App.hpp>

namespace shelfd::ctl {

void Grammar::add_inquiries()
{
    auto& verify = verb(*app_, Verb::verify, "verify", "compare rows, value by value, with the service as it is now");
    library(verify, true);
    verify.add_option("RESOURCE", command_.resource, "the table")->required()->type_name("");
    auto* keys = verify.add_option("KEY", command_.keys, "of the rows")->type_name("");
    verify.add_option("--sample", command_.sample, "so many rows by chance, one request each")
        ->check(CLI::Range(1, 10'000))
        ->excludes(keys)
        ->type_name("N");
    json(verify, "JSON lines");

    auto& get = verb(*app_, Verb::get, "get", "ask the service for one address, with the library's token");
    library(get, true);
    get.add_option("PATH", command_.paths, "begins with /; may hold a query")->required()->expected(1)->type_name("");
    get.add_flag("--raw", command_.raw, "the answer as it came, not indented");

    auto& probe = verb(*app_, Verb::probe, "probe", "get to know lists of the service, about ten requests each");
    library(probe, true);
    probe.add_option("PATH", command_.paths, "of a list, begins with / (those that are configured)")->type_name("");
    json(probe, "JSON lines");
}

}  // namespace shelfd::ctl
