#include "support/scripted_server.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <charconv>
#include <memory>
#include <optional>
#include <stdexcept>

namespace shelfd {

using asio::ip::tcp;
using Code = boost::system::error_code;

struct ScriptedServer::State {
    State(asio::io_context& context, const Certificate* certificate)
        : loop(context), acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0))
    {
        if (certificate != nullptr) {
            tls.emplace(asio::ssl::context::tls_server);
            tls->use_certificate_chain(asio::buffer(certificate->certificate_pem));
            tls->use_private_key(asio::buffer(certificate->key_pem), asio::ssl::context::pem);
        }
    }

    Script next_script()
    {
        if (scripts.empty()) {
            throw std::logic_error("scripted server: a connection came that no script is for");
        }
        auto script = scripts.front();
        if (scripts.size() > 1) {
            scripts.pop_front();
        }
        return script;
    }

    asio::io_context& loop;
    tcp::acceptor acceptor;
    std::optional<asio::ssl::context> tls;
    std::deque<Script> scripts;
    std::size_t connections = 0;
    std::size_t open = 0;
    std::vector<std::string> requests;
};

namespace {

using State = ScriptedServer::State;

std::size_t content_length(const std::string& head)
{
    const std::string name = "\r\nContent-Length: ";
    const auto at = head.find(name);
    std::size_t length = 0;
    if (at != std::string::npos) {
        std::from_chars(head.data() + at + name.size(), head.data() + head.size(), length);
    }
    return length;
}

// Reads one request; false when the client went first.
template <typename Stream>
asio::awaitable<bool> read_request(State& state, Stream& stream, std::string& received)
{
    for (;;) {
        const auto head_end = received.find("\r\n\r\n");
        if (head_end != std::string::npos) {
            const auto size = head_end + 4 + content_length(received.substr(0, head_end));
            if (received.size() >= size) {
                state.requests.push_back(received.substr(0, size));
                received.erase(0, size);
                co_return true;
            }
        }
        char piece[4096];
        Code error;
        const auto size =
            co_await stream.async_read_some(asio::buffer(piece), asio::redirect_error(asio::use_awaitable, error));
        if (error) {
            co_return false;
        }
        received.append(piece, size);
    }
}

template <typename Stream>
asio::awaitable<void> wait_for_client_to_go(Stream& stream)
{
    char piece[256];
    Code error;
    while (!error) {
        co_await stream.async_read_some(asio::buffer(piece), asio::redirect_error(asio::use_awaitable, error));
    }
}

template <typename Stream>
asio::awaitable<void> play_script(State& state, Stream& stream, tcp::socket& socket, Script script)
{
    std::string received;
    Code error;
    for (const auto& step : script) {
        switch (step.kind) {
        case Step::Kind::read_request:
            if (!co_await read_request(state, stream, received)) {
                co_return;
            }
            break;
        case Step::Kind::send:
            co_await asio::async_write(stream, asio::buffer(step.bytes),
                                       asio::redirect_error(asio::use_awaitable, error));
            break;
        case Step::Kind::wait: {
            asio::steady_timer timer(state.loop, step.pause);
            co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
            break;
        }
        case Step::Kind::fin: socket.shutdown(tcp::socket::shutdown_send, error); break;
        case Step::Kind::reset:
            socket.set_option(asio::socket_base::linger(true, 0), error);
            socket.close(error);
            co_return;
        case Step::Kind::silence: break;
        }
    }
    co_await wait_for_client_to_go(stream);
}

asio::awaitable<void> serve(std::shared_ptr<State> state, tcp::socket socket, Script script)
{
    ++state->open;
    Code error;
    if (state->tls) {
        asio::ssl::stream<tcp::socket&> stream(socket, *state->tls);
        co_await stream.async_handshake(asio::ssl::stream_base::server,
                                        asio::redirect_error(asio::use_awaitable, error));
        if (!error) {
            co_await play_script(*state, stream, socket, std::move(script));
        }
    } else {
        co_await play_script(*state, socket, socket, std::move(script));
    }
    --state->open;
}

asio::awaitable<void> accept_all(std::shared_ptr<State> state)
{
    for (;;) {
        Code error;
        auto socket = co_await state->acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
        if (error) {
            co_return;
        }
        ++state->connections;
        socket.set_option(tcp::no_delay(true), error);  // nothing waits for an ACK of what was sent before it
        auto failed = [](const std::exception_ptr& failure) {
            if (failure) {
                std::rethrow_exception(failure);
            }
        };
        asio::co_spawn(state->loop, serve(state, std::move(socket), state->next_script()), failed);
    }
}

template <typename T, typename Write>
std::string to_pem(T* object, Write write)
{
    const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), &BIO_free);
    write(out.get(), object);
    char* text = nullptr;
    const auto size = BIO_get_mem_data(out.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}

}  // namespace

namespace steps {

Step ok(const std::string& body, const std::string& more_headers)
{
    return send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + more_headers +
                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
}

}  // namespace steps

Certificate Certificate::for_name(const std::string& subject, std::chrono::hours moved)
{
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> made(X509_new(), &X509_free);
    X509_set_version(made.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), moved / std::chrono::seconds(1) - 3600);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), moved / std::chrono::seconds(1) + 3600);
    X509_set_pubkey(made.get(), key.get());
    auto* name = X509_get_subject_name(made.get());
    const std::string common = "shelfd test";
    const auto* bytes = reinterpret_cast<const unsigned char*>(common.c_str());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, bytes, -1, -1, 0);
    X509_set_issuer_name(made.get(), name);
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, subject.c_str()), &X509_EXTENSION_free);
    X509_add_ext(made.get(), extension.get(), -1);
    if (X509_sign(made.get(), key.get(), EVP_sha256()) == 0) {
        throw std::logic_error("scripted server: no certificate");
    }
    Certificate certificate;
    certificate.certificate_pem = to_pem(made.get(), [](BIO* out, X509* in) { PEM_write_bio_X509(out, in); });
    certificate.key_pem = to_pem(key.get(), [](BIO* out, EVP_PKEY* in) {
        PEM_write_bio_PrivateKey(out, in, nullptr, nullptr, 0, nullptr, nullptr);
    });
    return certificate;
}

ScriptedServer::ScriptedServer(asio::io_context& loop) : ScriptedServer(loop, nullptr) {}

ScriptedServer::ScriptedServer(asio::io_context& loop, const Certificate& certificate)
    : ScriptedServer(loop, &certificate)
{
}

ScriptedServer::ScriptedServer(asio::io_context& loop, const Certificate* certificate)
    : state_(std::make_shared<State>(loop, certificate))
{
    auto failed = [](const std::exception_ptr& failure) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    };
    asio::co_spawn(loop, accept_all(state_), failed);
}

ScriptedServer::~ScriptedServer()
{
    Code ignored;
    state_->acceptor.close(ignored);
}

void ScriptedServer::play(Script script)
{
    state_->scripts.push_back(std::move(script));
}

std::uint16_t ScriptedServer::port() const
{
    return state_->acceptor.local_endpoint().port();
}

std::string ScriptedServer::origin() const
{
    return (state_->tls ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port());
}

std::size_t ScriptedServer::connections() const
{
    return state_->connections;
}

const std::vector<std::string>& ScriptedServer::requests() const
{
    return state_->requests;
}

std::size_t ScriptedServer::open_connections() const
{
    return state_->open;
}

}  // namespace shelfd
