// What a refresh says in the log.
#include "oauth/keeper/refresh_driver.hpp"

namespace shelfd::oauth {

void RefreshDriver::log_commit(RefreshMachine::ActionKind kind) const
{
    const auto& present = *parts_.sets.present();
    const auto was_rotated = kind == RefreshMachine::ActionKind::commit;
    if (was_rotated && parts_.exchange.landed().is_doubtful) {
        parts_.services.log.warning(
            "the new token set stood where none is expected; the one before it is kept until "
            "the service accepts the new one",
            {{"library", parts_.settings.library}, {"answer", parts_.exchange.landed().reason}});
    }
    const std::vector<LogField> fields = {
        {"library", parts_.settings.library},
        {"generation", std::to_string(present.generation)},
        {"expires", (present.issued.wall + present.lifetime).to_short_text()},
        {"last_byte_to_durable_us", std::to_string(parts_.exchange.last_landing().value_or(Duration(0)).count())}};
    if (kind == RefreshMachine::ActionKind::restore_kept) {
        parts_.services.log.write(LogLevel::error,
                                  "the newest token set does not work; the one before it is in use again", fields);
        return;
    }
    parts_.services.log.write(LogLevel::info,
                              was_rotated ? "the token set was refreshed" : "another token set is in use", fields);
}

void RefreshDriver::log_verdict() const
{
    const auto& machine = parts_.machine;
    const auto standing = machine.standing();
    const auto is_dead = standing == Standing::lost || standing == Standing::foreign;
    const auto is_unread = machine.doubt().unreadable > 0;
    const auto level = is_dead || is_unread ? LogLevel::error : LogLevel::warning;
    std::vector<LogField> fields = {{"library", parts_.settings.library},
                                    {"generation", std::to_string(parts_.sets.present()->generation)},
                                    {"attempt", std::to_string(machine.attempt())},
                                    {"outcome", to_string(parts_.exchange.landed().answer)},
                                    {"reason", parts_.standing.reason()}};
    if (is_unread) {
        fields.push_back({"kept_in", places_});
    }
    parts_.services.log.write(level, "a refresh did not give a new token set", fields);
}

}  // namespace shelfd::oauth
