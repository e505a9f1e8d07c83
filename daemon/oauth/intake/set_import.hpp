// Takes in a set that a person gave, pasted or moved from another machine, if it works and is of the right library.
#pragma once

#include "oauth/intake/set_proof.hpp"
#include "oauth/set/moved_set.hpp"
#include "oauth/set/pasted_set.hpp"

namespace shelfd::oauth {

struct ImportOrder {
    ImportMode mode = ImportMode::seal;
    Destroying destroying = Destroying::refused;
    std::optional<Provenance> moved = {};  // from another machine, and what its document says
};

class SetImport {
public:
    SetImport(const KeeperParts& parts, SetChange& change, SetProof& proof)
        : parts_(parts), change_(change), proof_(proof)
    {
    }

    // Where it fails nothing has changed.
    asio::awaitable<Result<ImportOutcome>> run(ImportedSet set, ImportOrder order);

    // Whether a moved set is one for this configuration.
    Result<void> check_issuer(const Provenance& from) const;
    // Whether a set with that refresh token may be here: each library needs a set of its own.
    Result<void> check_shared(const Secret& refresh) const;

private:
    Result<void> check(const ImportedSet& set, const ImportOrder& order) const;
    Result<void> check_destruction(const ImportOrder& order) const;
    Result<void> check_untried(const Provenance& from) const;
    TokenSet imported_set(ImportedSet set, ImportMode mode) const;
    asio::awaitable<std::optional<Introspection>> introspect(const Secret& access);
    asio::awaitable<Result<void>> learn_about(ImportedSet& set, ImportMode mode);

    const KeeperParts& parts_;
    SetChange& change_;
    SetProof& proof_;
};

}  // namespace shelfd::oauth
