// Result<T>: expected failures are values.
#pragma once

#include "base/state/trouble.hpp"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace shelfd {

// What the receiver of an error can do about it. A kind exists only if some caller branches on it.
enum class ErrorKind {
    usage,         // the caller asked for something impossible; the text says what is possible
    config,        // the configuration must change (exit 78)
    permission,    // owner or mode of a file, or rights of a peer, must change (exit 77)
    busy,          // in use by another process; the text names it (exit 75)
    storage,       // the disk refused; try again, data in memory is still complete (exit 74)
    corrupt,       // the stored bytes are not what we wrote
    network,       // no complete HTTP answer; `delivery` says whether the request may have had an effect
    timeout,       // like `network`: a deadline passed
    protocol,      // the answer breaks the interface's contract
    refused,       // an HTTP status that refuses the request; `status` holds it
    throttled,     // 429 or 503 with a date; `retry_after` holds the wait
    needs_person,  // only a person can repair it (a new token set must be issued)
    not_found,     // the named thing does not exist
    stopped,       // the daemon is stopping; do not report it as an error
};

// Whether a request without an answer may have had an effect on the service.
enum class Delivery {
    not_sent,      // no byte of the request left: repeating it is safe
    perhaps_sent,  // at least one byte left: the service may have acted
    answered,      // a status line arrived: the service has processed the request
};

class [[nodiscard]] Error {
public:
    Error(ErrorKind kind, std::string text) : kind_(kind), text_(std::move(text)) {}

    ErrorKind kind() const { return kind_; }
    const std::string& text() const { return text_; }
    // What to do about it: the end of text(), if that is known where the error is made; else "".
    const std::string& cure() const { return cure_; }

    // Facts, set by the adapter that observed them.
    std::optional<Delivery> delivery;
    std::optional<TroubleSource> source;  // of the trouble, if the other facts do not show it
    std::optional<std::chrono::milliseconds> retry_after;
    int status = 0;              // HTTP status of `refused` and `throttled`, else 0
    int system_errno = 0;        // errno of `storage` and `permission`, else 0
    int sqlite = 0;              // extended result code of SQLite, of errors of a database, else 0
    unsigned requests_sent = 1;  // ignored if not_sent; more than 1 when the library repeated a GET by itself

    Error& with(Delivery value)
    {
        delivery = value;
        return *this;
    }
    Error& with_status(int value)
    {
        status = value;
        return *this;
    }
    Error& with_errno(int value)
    {
        system_errno = value;
        return *this;
    }
    Error& with(TroubleSource value)
    {
        source = value;
        return *this;
    }
    // Adds the cure to the text, after `joint`: "; " or ": ".
    Error& advise(std::string_view joint, std::string cure);
    // Prefixes the operation that failed: "cannot open the mirror of antwerp: disk I/O error".
    Error in(const std::string& context) &&;

private:
    ErrorKind kind_;
    std::string text_;
    std::string cure_;
};

// Value or Error, shaped like std::expected. Reading the wrong alternative aborts: it is a bug.
template <typename T>
class [[nodiscard]] Result {
public:
    using value_type = T;

    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool has_value() const { return state_.index() == 0; }
    explicit operator bool() const { return has_value(); }

    T& value() & { return check(), std::get<0>(state_); }
    const T& value() const& { return check(), std::get<0>(state_); }
    T&& value() && { return check(), std::get<0>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    T value_or(T other) const& { return has_value() ? std::get<0>(state_) : std::move(other); }

    Error& error() & { return check_error(), std::get<1>(state_); }
    const Error& error() const& { return check_error(), std::get<1>(state_); }
    Error&& error() && { return check_error(), std::get<1>(std::move(state_)); }

private:
    void check() const
    {
        if (!has_value())
            std::abort();
    }
    void check_error() const
    {
        if (has_value())
            std::abort();
    }
    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
public:
    using value_type = void;

    Result() = default;
    Result(Error error) : error_(std::move(error)) {}

    bool has_value() const { return !error_.has_value(); }
    explicit operator bool() const { return has_value(); }
    void value() const
    {
        if (error_)
            std::abort();
    }

    Error& error() & { return check_error(), *error_; }
    const Error& error() const& { return check_error(), *error_; }
    Error&& error() && { return check_error(), std::move(*error_); }

private:
    void check_error() const
    {
        if (!error_)
            std::abort();
    }
    std::optional<Error> error_;
};

// Name of a kind in JSON and logs: "permission", "storage", …
const char* to_string(ErrorKind kind);
const char* to_string(Delivery delivery);

}  // namespace shelfd

// Return from the function with the Error if the Result holds one. Coroutines use the variants with CO. In a lambda
// they return from the lambda, so its return type must be written.
//
//     SHELFD_TRY(database.execute(sql));                     // drops the value, if there is one
//     SHELFD_TRY_ASSIGN(row, database.prepare(sql));         // `row` names the value until the end of the block
//     SHELFD_CO_TRY_ASSIGN(answer, co_await client.get(request));
#define SHELFD_TRY(...) SHELFD_TRY_WITH_(return, SHELFD_UNIQUE_(outcome_), __VA_ARGS__)
#define SHELFD_CO_TRY(...) SHELFD_TRY_WITH_(co_return, SHELFD_UNIQUE_(outcome_), __VA_ARGS__)
#define SHELFD_TRY_ASSIGN(name, ...) SHELFD_TRY_ASSIGN_WITH_(return, name, SHELFD_UNIQUE_(outcome_), __VA_ARGS__)
#define SHELFD_CO_TRY_ASSIGN(name, ...) SHELFD_TRY_ASSIGN_WITH_(co_return, name, SHELFD_UNIQUE_(outcome_), __VA_ARGS__)

#define SHELFD_TRY_WITH_(leave, outcome, ...)                                                                          \
    do {                                                                                                               \
        if (auto outcome = __VA_ARGS__; !outcome) {                                                                    \
            leave std::move(outcome).error();                                                                          \
        }                                                                                                              \
    } while (false)

#define SHELFD_TRY_ASSIGN_WITH_(leave, name, outcome, ...)                                                             \
    auto outcome = __VA_ARGS__;                                                                                        \
    if (!outcome) {                                                                                                    \
        leave std::move(outcome).error();                                                                              \
    }                                                                                                                  \
    auto& name = *outcome

#define SHELFD_UNIQUE_(prefix) SHELFD_JOIN_(prefix, __COUNTER__)
#define SHELFD_JOIN_(prefix, number) SHELFD_JOIN_TOKENS_(prefix, number)
#define SHELFD_JOIN_TOKENS_(prefix, number) prefix##number
