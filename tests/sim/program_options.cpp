#include "sim/program_options.hpp"

#include "sim/files.hpp"
#include "sim/self_signed.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace shelfd::sim {

namespace {

// The values as they are typed.
struct Typed {
    ServeCommand serve;
    AskCommand ask;
    std::string post;
    bool remove = false;
    std::vector<std::string> rows_of;
    std::string tls;
    std::int64_t expires_in = 604'800;
    std::int64_t grace = 0;
    double idle_close = 75;
    std::size_t throttle = 0;
    std::string rate_headers = "none";
    std::string retry_after = "seconds";
    std::string consent = "form";
    bool no_rotation = false;
};

void declare_service(CLI::App& app, Typed& typed)
{
    auto& server = typed.serve.server;
    auto& tokens = server.world.tokens;
    app.add_option("--address", server.address, "Address to listen on")->capture_default_str();
    app.add_option("--port", server.port, "Port to listen on; 0 for any free one")->capture_default_str();
    app.add_option("--libraries", server.world.libraries, "Number of libraries, named lib01, lib02, …")
        ->capture_default_str();
    app.add_option("--seed", server.world.seed, "The same seed gives the same rows and tokens")->capture_default_str();
    app.add_option("--rows", server.world.rows, "Rows in each long list")->capture_default_str();
    app.add_option("--rows-of", typed.rows_of, "PATH=N: rows of one list, e.g. library/recipes=3000");
    app.add_option("--scope", server.world.scope, "Scope of each library's first set")->capture_default_str();
    app.add_option("--expires-in", typed.expires_in, "Life of an access token in seconds")->capture_default_str();
    app.add_option("--grace", typed.grace, "Seconds for which a spent refresh token answers again")
        ->capture_default_str();
    app.add_flag("--family-revocation", tokens.family_revocation, "Reuse of a spent refresh token kills its whole set");
    app.add_flag("--no-rotation", typed.no_rotation, "Refreshing leaves the refresh token as it is");
    app.add_option("--consent", typed.consent, "What the person at the authorization page does")
        ->check(CLI::IsMember({"form", "automatic", "refused", "signed_out"}));
    app.add_option("--throttle", typed.throttle, "Requests a minute for each user; 0 for no limit");
    app.add_option("--rate-headers", typed.rate_headers, "Spelling of the rate limit headers")
        ->check(CLI::IsMember({"none", "x_ratelimit", "ratelimit", "combined"}));
    app.add_option("--retry-after", typed.retry_after, "Form of Retry-After")
        ->check(CLI::IsMember({"seconds", "date"}));
    app.add_option("--idle-close", typed.idle_close, "Close idle connections after so many seconds")
        ->capture_default_str();
}

void declare_program(CLI::App& app, Typed& typed)
{
    app.add_option("--tls", typed.tls, "CERTIFICATE,KEY: PEM files to serve https with");
    app.add_option("--self-signed", typed.serve.certificate_file, "Make a certificate and leave it in this file");
    app.add_option("--port-file", typed.serve.port_file, "Write the port here once listening");
    app.add_option("--write-credentials", typed.serve.credentials,
                   "Directory for each library's client_id, client_secret, library_id and token.json");
    auto* question = app.add_option("--ask", typed.ask.question.url, "Ask a running simulator and print its answer");
    app.add_option("--post", typed.post, "With --ask: POST this JSON")->needs(question);
    app.add_flag("--delete", typed.remove, "With --ask: DELETE")->needs(question);
    app.add_option("--bearer", typed.ask.question.bearer, "With --ask: an access token")->needs(question);
    app.add_option("--field", typed.ask.field, "With --ask: print this field, e.g. libraries.0.name")->needs(question);
}

Consent consent_of(const std::string& word)
{
    if (word == "automatic") {
        return Consent::automatic;
    }
    if (word == "refused") {
        return Consent::refused;
    }
    return word == "signed_out" ? Consent::signed_out : Consent::form;
}

Result<std::optional<Certificate>> certificate_of(const Typed& typed)
{
    if (!typed.serve.certificate_file.empty()) {
        auto made = self_signed_certificate(typed.serve.server.address);
        return made ? Result<std::optional<Certificate>>(std::move(*made)) : std::move(made).error();
    }
    if (typed.tls.empty()) {
        return std::optional<Certificate>();
    }
    const auto comma = typed.tls.find(',');
    if (comma == std::string::npos) {
        return Error(ErrorKind::usage, "--tls wants CERTIFICATE,KEY");
    }
    auto chain = read_file(typed.tls.substr(0, comma));
    auto key = read_file(typed.tls.substr(comma + 1));
    if (!chain || !key) {
        return chain ? std::move(key).error() : std::move(chain).error();
    }
    return std::optional(Certificate{std::move(*chain), std::move(*key)});
}

Result<ServeCommand> serve_command(Typed typed)
{
    auto& world = typed.serve.server.world;
    for (const auto& text : typed.rows_of) {
        const auto equals = text.find('=');
        const auto count = equals == std::string::npos ? "" : text.substr(equals + 1);
        if (count.empty() || count.find_first_not_of("0123456789") != std::string::npos || count.size() > 9) {
            return Error(ErrorKind::usage, "--rows-of wants PATH=N, not " + text);
        }
        world.rows_of[text.substr(0, equals)] = std::stoul(count);
    }
    world.tokens.expires_in = std::chrono::seconds(typed.expires_in);
    world.tokens.grace = std::chrono::seconds(typed.grace);
    world.tokens.rotation = !typed.no_rotation;
    if (typed.throttle > 0) {
        world.throttle.limit = typed.throttle;
    }
    world.throttle.headers = rate_headers_from(typed.rate_headers).value_or(RateHeaders::none);
    world.throttle.retry_after = typed.retry_after == "date" ? RetryAfter::http_date : RetryAfter::seconds;
    typed.serve.server.idle_close = Duration(static_cast<std::int64_t>(typed.idle_close * 1e6));
    typed.serve.consent = consent_of(typed.consent);
    auto certificate = certificate_of(typed);
    if (!certificate) {
        return std::move(certificate).error();
    }
    typed.serve.server.tls = std::move(*certificate);
    return std::move(typed.serve);
}

}  // namespace

Command parse_command_line(int argc, char** argv)
{
    CLI::App app("A simulator of the library service: tokens, lists, and everything that goes wrong with them.\n"
                 "Its controls are at /sim/ of the address that it prints.");
    Typed typed;
    declare_service(app, typed);
    declare_program(app, typed);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 64;
    }
    if (!typed.ask.question.url.empty()) {
        typed.ask.question.method = typed.remove ? "DELETE" : typed.post.empty() ? "GET" : "POST";
        typed.ask.question.body = typed.post;
        return std::move(typed.ask);
    }
    auto command = serve_command(std::move(typed));
    if (!command) {
        std::fprintf(stderr, "shelfsim: %s\n", command.error().text().c_str());
        return 64;
    }
    return std::move(*command);
}

}  // namespace shelfd::sim
