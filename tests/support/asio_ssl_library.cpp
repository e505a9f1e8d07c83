// Asio's TLS code, compiled once (BOOST_ASIO_SEPARATE_COMPILATION); the daemon itself leaves TLS to libcurl.
#include <boost/asio/ssl/impl/src.hpp>
