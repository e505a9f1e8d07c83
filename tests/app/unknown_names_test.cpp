// What a mirror does not have is answered with what it has, and with the command that lists it.
#include "app/troubles/daemon_bench.hpp"
#include "support/catch.hpp"

using namespace shelfd;

namespace {

std::string refusal(const Error& error)
{
    CHECK(error.kind() == ErrorKind::not_found);
    return error.text();
}

}  // namespace

TEST_CASE("a column, a held row and a consumer that are not there are answered with those that are")
{
    DaemonBench bench;
    bench.pass_time(std::chrono::minutes(20));
    auto& operations = bench.operations();
    const auto retyped = bench.clock.run(operations.retype({"antwerp", "recipes", "nam"}));
    REQUIRE_FALSE(retyped);
    const auto no_column = refusal(retyped.error());
    INFO(no_column);
    CHECK(no_column.starts_with("recipes has no column nam (it has: name, "));
    CHECK(no_column.find(" (it has: id, ") == std::string::npos);  // the key cannot be retyped
    CHECK(no_column.ends_with("); all columns, with their kinds: shelfctl schema antwerp recipes"));

    control::DecideRequest decide;
    decide.library = "antwerp";
    decide.resource = "recipes";
    decide.keys = {"5"};
    const auto decided = bench.clock.run(operations.decide(std::move(decide)));
    REQUIRE_FALSE(decided);
    CHECK(refusal(decided.error()) ==
          "5 is not a held row of recipes; those that wait, with their keys: shelfctl held antwerp recipes");

    const auto forget = [&](const char* consumer) {
        control::AcknowledgeRequest request;
        request.library = "antwerp";
        request.consumer = consumer;
        request.asked_by = "erik";
        return bench.clock.run(operations.forget_consumer(std::move(request)));
    };
    CHECK(refusal(forget("nobody").error()) ==
          "no consumer nobody has acknowledged changes of this mirror (known: none); where each of them is: shelfctl "
          "status antwerp");
}
