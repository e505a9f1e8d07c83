#include "ctl/line/verb_adder.hpp"

#include <CLI/App.hpp>
#include <fmt/format.h>

namespace shelfd::ctl {

CLI::App& VerbAdder::verb(Verb which, const std::string& name, const std::string& meaning)
{
    return verb(root_, which, name, meaning);
}

CLI::App& VerbAdder::verb(CLI::App& group, Verb which, const std::string& name, const std::string& meaning)
{
    auto* app = group.add_subcommand(name, meaning)->group("Verbs");
    app->fallthrough();
    app->callback([&command = command_, which] { command.verb = which; });
    return *app;
}

CLI::App* VerbAdder::group(const std::string& name, const std::string& meaning)
{
    return root_.add_subcommand(name, meaning)->group("Verbs");
}

CLI::Option* VerbAdder::library(CLI::App& app, bool required)
{
    return app.add_option("LIB", command_.library, required ? "name of the library" : "one library instead of all")
        ->required(required)
        ->type_name("");
}

CLI::Option* VerbAdder::json(CLI::App& app, const std::string& meaning)
{
    return app.add_flag_callback(
        "--json", [&command = command_] { command.output = Output::json; }, meaning);
}

CLI::Option* VerbAdder::duration(CLI::App& app, const std::string& name, const std::string& meaning,
                                 const std::function<void(Duration)>& take)
{
    const auto check = [](const std::string& text) {
        return parse_duration(text) ? "" : fmt::format("\"{}\" is not a duration: write 90s, 15m, 1h30m or 2d", text);
    };
    const auto assign = [take](const std::string& text) {
        if (const auto duration = parse_duration(text)) {
            take(*duration);
        }
    };
    return app.add_option_function<std::string>(name, assign, meaning)->check(check)->type_name("TIME");
}

}  // namespace shelfd::ctl
