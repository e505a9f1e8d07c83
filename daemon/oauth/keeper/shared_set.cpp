// One set is for one library: what is held here, and what becomes of a set that another library holds as well.
#include "oauth/keeper/token_keeper.hpp"

#include <fmt/format.h>

namespace shelfd::oauth {

bool TokenKeeper::holds(const std::string& mark) const
{
    const auto has = [&mark](const auto& set) {
        return set && !set->refresh.empty() && fingerprint(set->refresh) == mark;
    };
    return !mark.empty() && (mark == incoming_ || (has(set_) && !is_moved_out()) || has(kept_) || has(candidate_));
}

std::string TokenKeeper::renews() const
{
    return set_ && machine_.can_refresh() ? fingerprint(set_->refresh) : "";
}

void TokenKeeper::stop_renewing_in_favour_of(const std::string& library)
{
    const auto has_answer = landed_.answer == AnswerClass::granted || landed_.answer == AnswerClass::salvaged;
    if (must_land_ && has_answer) {
        return;  // what was answered is another set
    }
    must_land_ = false;
    auto start = start_of(*set_);
    start.standing = Standing::foreign;
    start.attempt = machine_.attempt();
    machine_.begin(start);
    reason_ = fmt::format("library {} holds this very set, and each library needs a set of its own", library);
    standing_since_ = services_.clock.now();
    noted_standing_ = Standing::foreign;
    must_note_ = true;
    services_.log.error("the token set is also the one of another library; it is not refreshed here",
                        {{"library", settings_.library}, {"other", library}});
}

}  // namespace shelfd::oauth
