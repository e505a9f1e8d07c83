// Serves one long list, newest first or, on request, oldest first, whatever `ordering` asks for, as fast as the machine
// can, or later by a delay on request: what is measured must be whoever reads it. All rows are made beforehand and
// change on request. A token bench-NAME is one of library NAME.
#include <fmt/format.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr std::string_view list_path = "/api/v2/library/recipes/";
constexpr std::string_view identity_path = "/api/v2/accounts/libraries/current/";
constexpr std::string_view token = "\r\nAuthorization: Bearer bench-";
constexpr std::string_view filter = "modified_date__gt";

// When a row was last changed, to the second, in UTC; half a second is left out.
std::string modified(std::uint64_t id, std::uint64_t revision)
{
    return fmt::format("2025-11-{:02}T09:00:{:02}", 1 + id % 28, revision % 60);
}

std::string row_text(const std::string& origin, std::uint64_t id, std::uint64_t revision)
{
    const auto cents = (id * 7919 + revision * 13) % 10'000;
    return fmt::format(
        R"({{"id":{0},"url":"{1}{2}{0}/","uuid":"{3:08x}-5d1e-4c2b-9f00-{0:012x}","name":"Recipe {0}, revision {4}",)"
        R"("description":"Peel and chop the vegetables of batch {0}, bring {5} ml of water to the boil, let them simmer )"
        R"(for {6} minutes and season to taste. Keeps for three days in the cold; freezes well. Serve with bread, butter )"
        R"(and whatever the season has to offer in the market on that day.","price":"{7}.{8:02}","cost":{9},)"
        R"("portions":{10},"is_active":{11},"created_date":"20{12:02}-03-{13:02}T08:15:30.{14:06}Z",)"
        R"("modified_date":"2025-11-{13:02}T10:00:{15:02}.5+01:00","category":{{"id":{16},"name":"Category {16}"}},)"
        R"("tags":["seasonal","batch-{17}"],"allergens":{{"gluten":{11},"milk":false,"nuts":null}},"supplier":null,)"
        R"("sku":"SKU-{0:09}","weight":{18},"shelf":{19},"notes":"{20}","barcode":"54{0:011}","version":{4}}})",
        id, origin, list_path, static_cast<std::uint32_t>(id * 2654435761U), revision, 250 + id % 750, 10 + id % 50,
        cents / 100, cents % 100, static_cast<double>(cents) / 64, 1 + id % 12, id % 3 != 0 ? "true" : "false",
        10 + id % 15, 1 + id % 28, id % 1'000'000, revision % 60, id % 40, id % 500, static_cast<double>(id % 4000) / 8,
        id % 900, id % 5 == 0 ? "ask the kitchen first" : "");
}

class List {
public:
    explicit List(std::string origin) : origin_(std::move(origin)) {}

    void fill(std::uint64_t rows, bool rising)
    {
        const std::unique_lock lock(mutex_);
        rising_ = rising;
        rows_.clear();
        revisions_.assign(rows, 0);
        rows_.reserve(rows);
        for (std::uint64_t id = 1; id <= rows; ++id) {
            rows_.push_back(row_text(origin_, id, 0));
        }
    }

    std::uint64_t change(double share, std::uint64_t seed)
    {
        const std::unique_lock lock(mutex_);
        std::mt19937_64 random(seed);
        std::bernoulli_distribution chosen(share);
        std::uint64_t changed = 0;
        for (std::uint64_t i = 0; i < rows_.size(); ++i) {
            if (chosen(random)) {
                rows_[i] = row_text(origin_, i + 1, ++revisions_[i]);
                ++changed;
            }
        }
        return changed;
    }

    // nothing past the last page.
    std::string page(std::uint64_t number, std::uint64_t size, const std::string& changed_after,
                     std::string_view ordering) const
    {
        const std::shared_lock lock(mutex_);
        std::vector<std::uint64_t> chosen;  // rows that pass the filter, newest first; not used without one
        for (auto id = changed_after.empty() ? 0 : rows_.size(); id > 0; --id) {
            if (modified(id, revisions_[id - 1]) >= changed_after) {
                chosen.push_back(id);
            }
        }
        const auto total = changed_after.empty() ? static_cast<std::uint64_t>(rows_.size()) : chosen.size();
        const auto first = (number - 1) * size;
        if (number == 0 || size == 0 || (first >= total && number > 1)) {
            return "";
        }
        const auto last = std::min(total, first + size);
        std::string body = fmt::format(R"({{"count":{},"next":{},"previous":{},"results":[)", total,
                                       last < total ? address(number + 1, size, changed_after, ordering) : "null",
                                       number > 1 ? address(number - 1, size, changed_after, ordering) : "null");
        body.reserve(body.size() + (last - first) * 1000);
        for (auto i = first; i < last; ++i) {
            body += i == first ? "" : ",";
            const auto place = rising_ ? i : total - 1 - i;
            body += rows_[changed_after.empty() ? place : chosen[total - 1 - place] - 1];
        }
        return body += "]}";
    }

private:
    std::string address(std::uint64_t number, std::uint64_t size, const std::string& changed_after,
                        std::string_view ordering) const
    {
        return fmt::format(R"("{}{}?ordering={}&page={}&page_size={}{}{}")", origin_, list_path, ordering, number, size,
                           changed_after.empty() ? "" : "&modified_date__gt=", changed_after);
    }

    std::string origin_;
    mutable std::shared_mutex mutex_;
    bool rising_ = false;
    std::vector<std::string> rows_;  // by id, from 1
    std::vector<std::uint64_t> revisions_;
};

struct Answer {
    int status = 200;
    std::string body;
};

std::string_view parameter(std::string_view target, std::string_view name)
{
    const auto query = target.find('?');
    for (auto rest = query == std::string_view::npos ? std::string_view() : target.substr(query + 1); !rest.empty();) {
        const auto item = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(rest.size(), item.size() + 1));
        if (item.starts_with(name) && item.size() > name.size() && item[name.size()] == '=') {
            return item.substr(name.size() + 1);
        }
    }
    return {};
}

// The first 19 characters of an instant that stands percent-encoded in a query: to the second.
std::string instant(std::string_view text)
{
    std::string decoded;
    for (std::size_t i = 0; i < text.size() && decoded.size() < 19; ++i) {
        const auto is_colon = text.substr(i, 3) == "%3A" || text.substr(i, 3) == "%3a";
        decoded += is_colon ? ':' : text[i];
        i += is_colon ? 2 : 0;
    }
    return decoded;
}

// The library whose token the request bears; nothing without one.
std::string_view library_of(std::string_view request)
{
    const auto found = request.find(token);
    if (found == std::string_view::npos) {
        return {};
    }
    const auto name = request.substr(found + token.size());
    return name.substr(0, name.find('\r'));
}

template <typename T>
T number(std::string_view text, T otherwise)
{
    T value = otherwise;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

struct Service {
    List list;
    std::atomic<unsigned> delay = 0;  // milliseconds before an answer
};

Answer answer(Service& service, std::string_view request)
{
    const auto line = request.substr(0, request.find("\r\n"));
    const auto from = line.find(' ') + 1;
    const auto target = line.substr(from, line.rfind(' ') - from);
    const auto path = target.substr(0, target.find('?'));
    if (path == "/bench/fill") {
        service.list.fill(number<std::uint64_t>(parameter(target, "rows"), 0), parameter(target, "order") == "rising");
        return {200, "{}"};
    }
    if (path == "/bench/change") {
        const auto changed = service.list.change(number<double>(parameter(target, "share"), 0),
                                                 number<std::uint64_t>(parameter(target, "seed"), 1));
        return {200, fmt::format(R"({{"changed":{}}})", changed)};
    }
    if (path == "/bench/delay") {
        service.delay = number<unsigned>(parameter(target, "ms"), 0);
        return {200, "{}"};
    }
    if (const auto delay = service.delay.load()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    }
    const auto library = library_of(request);
    if (library.empty()) {
        return {401, R"({"detail":"Invalid token."})"};
    }
    if (path == identity_path) {
        return {200, fmt::format(R"({{"id":"{}","name":"Benchmark"}})", library)};
    }
    if (path != list_path) {
        return {404, R"({"detail":"Not found."})"};
    }
    auto page = service.list.page(number<std::uint64_t>(parameter(target, "page"), 1),
                                  number<std::uint64_t>(parameter(target, "page_size"), 200),
                                  instant(parameter(target, filter)), parameter(target, "ordering"));
    return page.empty() ? Answer{404, R"({"detail":"Invalid page."})"} : Answer{200, std::move(page)};
}

std::string head_of(const Answer& made)
{
    char date[40] = "";
    const auto now = std::time(nullptr);
    std::tm parts = {};
    std::strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", ::gmtime_r(&now, &parts));
    return fmt::format("HTTP/1.1 {} X\r\nDate: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{}\r\n",
                       made.status, date, made.body.size(), made.status == 401 ? "WWW-Authenticate: Bearer\r\n" : "");
}

bool send_all(int socket, std::string_view head, std::string_view body)
{
    while (!head.empty() || !body.empty()) {
        iovec parts[] = {{const_cast<char*>(head.data()), head.size()}, {const_cast<char*>(body.data()), body.size()}};
        msghdr message = {};
        message.msg_iov = parts;
        message.msg_iovlen = 2;
        const auto sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        const auto of_head = std::min(head.size(), static_cast<std::size_t>(sent));
        head.remove_prefix(of_head);
        body.remove_prefix(static_cast<std::size_t>(sent) - of_head);
    }
    return true;
}

// Requests without a body, one after the other, until the client goes.
void serve(int socket, Service& service)
{
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    std::string buffer;
    char chunk[16'384];
    for (;;) {
        const auto end = buffer.find("\r\n\r\n");
        if (end == std::string::npos) {
            const auto got = ::recv(socket, chunk, sizeof chunk, 0);
            if (got <= 0) {
                break;
            }
            buffer.append(chunk, static_cast<std::size_t>(got));
            continue;
        }
        const auto made = answer(service, std::string_view(buffer).substr(0, end + 2));
        buffer.erase(0, end + 4);
        if (!send_all(socket, head_of(made), made.body)) {
            break;
        }
    }
    ::close(socket);
}

}  // namespace

int main()
{
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (listener < 0 || ::bind(listener, generic, size) != 0 || ::listen(listener, 1024) != 0 ||
        ::getsockname(listener, generic, &size) != 0) {
        std::perror("list_server");
        return 1;
    }
    const auto port = ntohs(address.sin_port);
    Service service{List(fmt::format("http://127.0.0.1:{}", port))};
    std::printf("%u\n", static_cast<unsigned>(port));
    std::fflush(stdout);
    std::vector<std::thread> clients;  // a benchmark has few, and ends with a signal
    for (;;) {
        const int socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket >= 0) {
            clients.emplace_back([socket, &service] { serve(socket, service); });
        }
    }
}
