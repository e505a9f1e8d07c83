// Metrics as a scraper, a text file and a reader of the mirror get them from a daemon.
#include "site.hpp"
#include "support/catch.hpp"
#include "support/plain_get.hpp"

#include <fmt/format.h>

using namespace shelfd;

namespace {

std::string scrape(int port, const std::string& query = "")
{
    return plain_get(fmt::format("http://127.0.0.1:{}/metrics{}", port, query));
}

bool holds(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a scraper, shelfctl metrics and the table _library say the same of a running daemon")
{
    Site site;
    const auto port = free_port();
    const auto text = site.config_text({"antwerp"});
    const std::string heading = "[control]\n";
    auto listening = text;
    listening.insert(text.find(heading) + heading.size(), fmt::format("listen = \"127.0.0.1:{}\"\n", port));
    site.write_config(listening);
    auto daemon = site.start_synced();
    const std::string fresh = "shelfd_library_resources{library=\"antwerp\",state=\"fresh\"} 1\n";
    CHECK(holds(scrape(port), fresh));
    CHECK(holds(scrape(port, "?detail=antwerp"), "shelfd_resource_rows{library=\"antwerp\",resource=\"recipes\"} "));
    CHECK(plain_get(fmt::format("http://127.0.0.1:{}/v1/status", port)).starts_with("HTTP/1.1 404"));
    CHECK(holds(site.ctl_done({"metrics"}), fresh));
    const auto file = site.directory() / "shelfd.prom";
    CHECK(site.ctl_done({"metrics", "--all", "--textfile", file}).empty());
    CHECK(holds(read_file(file), "shelfd_resource_rows{library=\"antwerp\",resource=\"recipes\"} "));
    daemon->await("the row of _library",
                  [&] { return site.sql("SELECT count(*) FROM _library WHERE library = 'antwerp'") == "1"; });

    site.write_config(text);
    CHECK(holds(site.ctl_done({"reload"}), "metrics are no longer on"));
    daemon->await("the end of control.listen", [&] { return scrape(port).empty(); });
    CHECK(daemon->stop().code == 0);
    CHECK(site.ctl({"metrics"}).code == 3);
}
