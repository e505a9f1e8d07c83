#include "base/scope_exit.hpp"
#include "support/catch.hpp"

#include <stdexcept>
#include <vector>

using namespace shelfd;

TEST_CASE("what is to happen at the end of a scope happens once, last in first out, also when an exception leaves it")
{
    std::vector<int> order;
    const auto scope = [&](bool throws) {
        const ScopeExit first([&] { order.push_back(1); });
        const ScopeExit second([&] { order.push_back(2); });
        if (throws) {
            throw std::runtime_error("out");
        }
        order.push_back(0);
    };
    scope(false);
    CHECK(order == std::vector<int>{0, 2, 1});
    order.clear();
    CHECK_THROWS(scope(true));
    CHECK(order == std::vector<int>{2, 1});
}
