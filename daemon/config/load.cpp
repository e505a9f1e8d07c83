#include "config/load.hpp"

#include "config/check/tree_check.hpp"

#include <utility>

namespace shelfd::config {

LoadOutcome load(const std::string& main_file, const Environment& environment, KeepOrigins keep_origins,
                 Secrets secrets, const Overlay& overlay)
{
    FaultList faults;
    const auto reader = secrets == Secrets::as_anybody ? Reader::anybody : Reader::daemon;
    auto documents = read_documents(main_file, environment, faults, reader, overlay);
    const auto credentials = environment.find("CREDENTIALS_DIRECTORY");
    const CheckContext context{faults, credentials == environment.end() ? "" : credentials->second, secrets};
    check_tree(documents.root, context);

    LoadOutcome outcome;
    if (documents.complete) {
        auto configuration = bind(documents.root, keep_origins, faults);
        if (faults.empty()) {
            outcome.configuration = std::move(configuration);
        }
    }
    outcome.met_shortage = documents.met_shortage;
    outcome.faults = faults.take_faults(documents.files);
    outcome.warnings = faults.take_warnings(documents.files);
    return outcome;
}

}  // namespace shelfd::config
