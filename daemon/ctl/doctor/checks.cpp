#include "ctl/doctor/checks.hpp"

#include "base/version.hpp"
#include "ctl/doctor/config_checks.hpp"
#include "ctl/doctor/disk_checks.hpp"
#include "ctl/doctor/machine_checks.hpp"
#include "ctl/doctor/orphan_checks.hpp"
#include "ctl/doctor/people_checks.hpp"
#include "ctl/doctor/wrong_rights.hpp"

#include <algorithm>
#include <string_view>

namespace shelfd::ctl {
namespace {

// "Nov 26 2026"; a reproducible build sets it by SOURCE_DATE_EPOCH.
constexpr std::string_view build_date = __DATE__;
constexpr int build_year = [] {
    int year = 0;
    for (const char digit : build_date.substr(build_date.size() - 4)) {
        year = year * 10 + (digit - '0');
    }
    return year;
}();

}  // namespace

Findings check_all(const Facts& facts)
{
    Findings all;
    const auto add = [&all](Findings findings) {
        std::move(findings.begin(), findings.end(), std::back_inserter(all));
    };
    for (const auto check :
         {check_configuration, check_storage, check_rights, check_groups, check_readers, check_secrets,
          check_certificates, check_socket, check_daemon, check_token_copies, check_space, check_wal,
          check_mirror_contents, check_orphans, check_limits, check_system, check_unit}) {
        add(check(facts));
    }
    add(check_clock(facts, build_year));
    add(check_versions(facts, version));
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.verdict > b.verdict; });
    return all;
}

}  // namespace shelfd::ctl
