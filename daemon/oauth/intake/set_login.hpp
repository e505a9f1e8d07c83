// A set from an authorization code. Its answer is worth as much as that of a refresh, so it takes the same way: a slot
// that is known to be writable, an INTENT, one POST, every byte on disk before it is read. The INTENT repeats what the
// newest note said about the present set, which is not touched before the canary has named the new one's library.
#pragma once

#include "oauth/intake/set_import.hpp"

namespace shelfd::oauth {

class SetLogin {
public:
    SetLogin(const KeeperParts& parts, SetChange& change, SetProof& proof, const SetImport& import, AskingPace& pace)
        : parts_(parts), change_(change), proof_(proof), import_(import), pace_(pace)
    {
    }

    // Redeems the code. Where the service has answered before the daemon stops, the next start goes on with the set.
    asio::awaitable<Result<ImportOutcome>> run(CodeGrant grant);
    // Goes on with a login whose set waits. True while one waits for the canary: nothing is refreshed meanwhile, since
    // its answer would take the place of the login's.
    asio::awaitable<bool> settle_when_due();
    // A code is on its way, or its answer on the way to the disk.
    bool is_redeeming() const { return is_redeeming_; }
    // The journals end with the INTENT of a code, and perhaps what it gave.
    void recover(const Note& note, const std::optional<RawAnswer>& raw);

private:
    asio::awaitable<Result<void>> exchange_code(CodeGrant grant, Secret client_secret);
    asio::awaitable<std::string> prepare();
    Result<void> keep_candidate(ClassifiedAnswer answer, Moment sent);
    asio::awaitable<Result<ImportOutcome>> settle();
    Result<void> check_candidate(const CanaryReading& reading) const;
    asio::awaitable<Result<ImportOutcome>> accept_candidate(const CanaryReading& reading);
    asio::awaitable<void> close();

    const KeeperParts& parts_;
    SetChange& change_;
    SetProof& proof_;
    const SetImport& import_;
    AskingPace& pace_;
    bool is_redeeming_ = false;
};

}  // namespace shelfd::oauth
