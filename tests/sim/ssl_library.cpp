// Asio's TLS part, compiled once for the simulator. Asio itself comes compiled with the runtime floor.
#include <boost/asio/ssl/impl/src.hpp>
