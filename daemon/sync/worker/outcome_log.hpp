// Logs how the passes over one table end.
#pragma once

#include "base/instant.hpp"
#include "runtime/log/log.hpp"
#include "sync/pass/pass_report.hpp"

#include <string>
#include <utility>

namespace shelfd::sync {

// Logs trouble once, not at each try; trouble with the token set once for all tables of the library. Loop only.
class OutcomeLog {
public:
    // `of_token_set`, shared by the library's tables, is the logged trouble of the set; "" = none. Must outlive this
    // object.
    OutcomeLog(Log log, std::string library, std::string resource, std::string& of_token_set)
        : log_(std::move(log)), library_(std::move(library)), resource_(std::move(resource)),
          of_token_set_(of_token_set)
    {
    }

    enum class TokenSet { usable, unusable };
    void ended(const PassReport& pass, TokenSet set, Instant next_try);

private:
    void published(const PassReport& pass);
    void failed(const PassReport& pass, TokenSet set, Instant next_try);

    Log log_;
    std::string library_;
    std::string resource_;
    std::string& of_token_set_;
    std::string logged_;  // the logged trouble of the table; "" = none
};

}  // namespace shelfd::sync
