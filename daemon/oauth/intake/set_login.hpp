// A set from an authorization code. Its answer is as valuable as that of a refresh, so the steps are the same: a slot
// that is known to be writable, an INTENT, one POST, each byte on disk before it is read. The INTENT repeats the newest
// note about the present set, which is not changed before the canary has identified the library of the new one.
#pragma once

#include "oauth/intake/set_import.hpp"

namespace shelfd::oauth {

class SetLogin {
public:
    SetLogin(const KeeperParts& parts, SetChange& change, SetProof& proof, const SetImport& import, AskingPace& pace)
        : parts_(parts), change_(change), proof_(proof), import_(import), pace_(pace)
    {
    }

    // Redeems the code. If the service answers before the daemon stops, the next start continues with the set.
    asio::awaitable<Result<ImportOutcome>> run(CodeGrant grant);
    // Continues a login whose set waits. Returns true while one waits for the canary; nothing must be refreshed
    // meanwhile, since that answer would overwrite the login's.
    asio::awaitable<bool> settle_when_due();
    // True while a code is sent and its answer stored.
    bool is_redeeming() const { return is_redeeming_; }
    // Why the latest login since the start gave no set, and when, for people; "" = it gave one, none was tried, or
    // another set was issued since.
    std::string failure() const;
    // Continues from journals that end with the INTENT of a code, and possibly its answer.
    void recover(const Note& note, const std::optional<RawAnswer>& raw);

private:
    asio::awaitable<Result<void>> exchange_code(CodeGrant grant, Secret client_secret);
    asio::awaitable<std::string> prepare();
    Result<void> keep_candidate(ClassifiedAnswer answer, Moment sent);
    asio::awaitable<Result<ImportOutcome>> settle();
    bool tells_of_set(const CanaryReading& reading) const;
    Result<void> check_candidate(const CanaryReading& reading) const;
    asio::awaitable<Result<ImportOutcome>> accept_candidate(const CanaryReading& reading);
    asio::awaitable<void> close();
    void note_failure(const std::string& why);

    const KeeperParts& parts_;
    SetChange& change_;
    SetProof& proof_;
    const SetImport& import_;
    AskingPace& pace_;
    bool is_redeeming_ = false;
    std::string failure_;
    Instant failed_at_;
};

}  // namespace shelfd::oauth
