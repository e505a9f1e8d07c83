#include "ctl/setup/application_choice.hpp"

#include "config/tree/files.hpp"

#include <algorithm>

namespace shelfd::ctl {

ApplicationChoice choose_application(const std::string& config_file, const Environment& environment,
                                     const std::string& client_id)
{
    config::FaultList ignored;
    const auto documents =
        config::read_documents(config_file, environment, ignored, config::Reader::anybody, {{config_file, ""}});
    const auto known = config::tables_in(documents.root.find("application"));
    for (const auto* application : known) {
        const auto* id = application->find("client_id");
        if (id != nullptr && id->kind == config::Node::Kind::string && id->text == client_id) {
            return {application->key, true};
        }
    }
    ApplicationChoice choice;
    for (int number = 2;
         std::any_of(known.begin(), known.end(), [&](const auto* one) { return one->key == choice.name; }); ++number) {
        choice.name = "main_" + std::to_string(number);
    }
    return choice;
}

}  // namespace shelfd::ctl
