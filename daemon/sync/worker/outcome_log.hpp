// Says in the log how the passes over one table end.
#pragma once

#include "base/instant.hpp"
#include "runtime/log/log.hpp"
#include "sync/pass/pass_report.hpp"

#include <string>
#include <utility>

namespace shelfd::sync {

// Trouble is logged once, not at each try; trouble with the token set once for all tables of the library. Loop only.
class OutcomeLog {
public:
    // `of_token_set` is shared by these tables: what the log says about the set; "" = nothing. It outlives this.
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
    std::string logged_;  // the trouble of the table that the log has; "" = none
};

}  // namespace shelfd::sync
