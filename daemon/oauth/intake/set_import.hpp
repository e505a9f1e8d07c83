// Accepts a set that a person provides, pasted or moved from another machine, if it works for the right library.
#pragma once

#include "oauth/intake/set_proof.hpp"
#include "oauth/set/moved_set.hpp"
#include "oauth/set/pasted_set.hpp"

namespace shelfd::oauth {

struct ImportOrder {
    ImportMode mode = ImportMode::seal;
    Destroying destroying = Destroying::refused;
    std::optional<Provenance> moved = {};  // content of the document, if the set comes from another machine
};

class SetImport {
public:
    SetImport(const KeeperParts& parts, SetChange& change, SetProof& proof)
        : parts_(parts), change_(change), proof_(proof)
    {
    }

    // If it fails before the set is stored, nothing has changed; a later error says which set is in force.
    asio::awaitable<Result<ImportOutcome>> run(ImportedSet set, ImportOrder order);

    // Fails if a moved set was issued by another service or to another application.
    Result<void> check_issuer(const Provenance& from) const;
    // Fails if another library has this refresh token: each library needs a set of its own.
    Result<void> check_shared(const Secret& refresh) const;

private:
    Result<void> check(const ImportedSet& set, const ImportOrder& order) const;
    Result<void> check_destruction(const ImportOrder& order) const;
    Result<void> check_untried(const Provenance& from) const;
    Result<void> check_answer(const CanaryReading& reading) const;
    TokenSet imported_set(ImportedSet set, ImportMode mode) const;
    asio::awaitable<Result<std::string>> learn_about(ImportedSet& set, ImportMode mode);

    const KeeperParts& parts_;
    SetChange& change_;
    SetProof& proof_;
};

}  // namespace shelfd::oauth
