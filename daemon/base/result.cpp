#include "base/result.hpp"

namespace shelfd {

Error Error::in(const std::string& context) &&
{
    text_ = context + ": " + text_;
    return std::move(*this);
}

Error& Error::advise(std::string_view joint, std::string cure)
{
    text_.append(joint).append(cure);
    cure_ = std::move(cure);
    return *this;
}

const char* to_string(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::usage: return "usage";
    case ErrorKind::config: return "config";
    case ErrorKind::permission: return "permission";
    case ErrorKind::busy: return "busy";
    case ErrorKind::storage: return "storage";
    case ErrorKind::corrupt: return "corrupt";
    case ErrorKind::network: return "network";
    case ErrorKind::timeout: return "timeout";
    case ErrorKind::protocol: return "protocol";
    case ErrorKind::refused: return "refused";
    case ErrorKind::throttled: return "throttled";
    case ErrorKind::needs_person: return "needs_person";
    case ErrorKind::not_found: return "not_found";
    case ErrorKind::stopped: return "stopped";
    }
    std::abort();
}

const char* to_string(Delivery delivery)
{
    switch (delivery) {
    case Delivery::not_sent: return "not_sent";
    case Delivery::perhaps_sent: return "perhaps_sent";
    case Delivery::answered: return "answered";
    }
    std::abort();
}

}  // namespace shelfd
