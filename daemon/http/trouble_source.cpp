#include "http/trouble_source.hpp"

namespace shelfd::http {

TroubleSource source_of(const Error& error)
{
    if (error.source) {
        return *error.source;
    }
    switch (error.kind()) {
    case ErrorKind::network:
    case ErrorKind::timeout:
        return error.delivery == Delivery::answered ? TroubleSource::service : TroubleSource::network;
    case ErrorKind::throttled: return TroubleSource::limit;
    default: return TroubleSource::service;
    }
}

}  // namespace shelfd::http
