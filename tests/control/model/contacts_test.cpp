#include "control/model/contacts.hpp"

#include "support/catch.hpp"

namespace shelfd::control {
namespace {

Affected of(std::string library, std::string contact)
{
    Affected one;
    one.library = std::move(library);
    one.contact = std::move(contact);
    return one;
}

TEST_CASE("one contact stands alone, several with their libraries, and many are counted")
{
    CHECK(describe_contacts(std::vector<Affected>()).empty());
    CHECK(describe_contacts({of("antwerp", ""), of("ghent", "")}).empty());
    CHECK(describe_contacts({of("antwerp", ""), of("ghent", "a@x.test"), of("bruges", "a@x.test")}) == "a@x.test");
    CHECK(describe_contacts({of("antwerp", "a@x.test"), of("ghent", "b@x.test"), of("antwerp", "a@x.test")}) ==
          "a@x.test for antwerp; b@x.test for ghent");
    std::vector<Affected> many;
    for (const auto* library : {"l1", "l2", "l3", "l4", "l5"}) {
        many.push_back(of(library, "a@x.test"));
    }
    for (const auto* other : {"b", "c", "d", "e"}) {
        many.push_back(of(other, std::string(other) + "@x.test"));
    }
    CHECK(describe_contacts(many) == "a@x.test for l1, l2, l3 and 2 more; b@x.test for b; c@x.test for c; and 2 more");
}

}  // namespace
}  // namespace shelfd::control
