#include "reference_service.hpp"

#include "support/notify_socket.hpp"
#include "support/plain_get.hpp"

#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <stdexcept>

#include <poll.h>

namespace shelfd {
namespace {

constexpr const char* python = "/usr/bin/python3";
constexpr const char* gunicorn = "/usr/bin/gunicorn";
const std::string sources = std::string(SHELFD_SOURCE_DIR) + "/tests/reference";

sim::Json parsed(const std::string& text)
{
    auto value = sim::parse_json(text);
    if (!value) {
        throw std::runtime_error("the reference service answered: " + text);
    }
    return std::move(*value);
}

std::string body_of(const std::string& answer)
{
    const auto end = answer.find("\r\n\r\n");
    return end == std::string::npos ? "" : answer.substr(end + 4);
}

}  // namespace

bool ReferenceService::is_installed()
{
    return std::filesystem::exists(gunicorn) && run_program({python, "-c", "import oauth2_provider"}).code == 0;
}

ReferenceService::ReferenceService(Settings settings)
    : url_(fmt::format("http://127.0.0.1:{}", free_port())),
      redirect_uri_(fmt::format("http://127.0.0.1:{}/back/", free_port())), environment_(std::move(settings))
{
    environment_["SERVICE_DIRECTORY"] = directory_.path();
    environment_["SERVICE_REDIRECT"] = redirect_uri_;
    environment_["PYTHONDONTWRITEBYTECODE"] = "1";
    environment_["PATH"] = "/usr/bin:/bin";
    const auto prepared = run_program({python, sources + "/service.py"}, environment_);
    if (prepared.code != 0) {
        throw std::runtime_error("the reference service cannot be prepared: " + prepared.err);
    }
    sets_ = parsed(prepared.out);
    Process::Settings server;
    server.argv = {gunicorn, "--chdir", sources, "--threads", "4", "--bind", url_.substr(7), "service:application"};
    server.environment = environment_;
    const NotifySocket listening;
    server.environment["NOTIFY_SOCKET"] = listening.path();
    server.stderr_file = directory_ / "gunicorn.log";
    server_ = std::make_unique<Process>(server);
    pollfd heard{listening.descriptor(), POLLIN, 0};
    constexpr int patience_ms = 60'000;
    if (poll(&heard, 1, patience_ms) != 1 || !plain_get(url_ + "/api/v2/").starts_with("HTTP/1.1 ")) {
        throw std::runtime_error("gunicorn: " + read_file(directory_ / "gunicorn.log"));
    }
}

ReferenceService::~ReferenceService()
{
    server_->signal(SIGTERM);  // its workers end with it
    server_->wait();
}

std::string ReferenceService::token_response(const std::string& library) const
{
    return to_text(*sets_.find(library));
}

sim::Json ReferenceService::change(const std::string& verb, const std::string& library, int number) const
{
    return parsed(body_of(plain_get(fmt::format("{}/test/{}/?library={}&rows={}", url_, verb, library, number))));
}

std::map<std::int64_t, std::string> ReferenceService::items(const std::string& access_token) const
{
    std::map<std::int64_t, std::string> items;
    const auto list = parsed(body_of(plain_get(url_ + "/api/v2/library/bare/?access_token=" + access_token)));
    for (const auto& item : list.items) {
        items[std::stoll(item.find("id")->text)] = to_text(item);
    }
    return items;
}

}  // namespace shelfd
